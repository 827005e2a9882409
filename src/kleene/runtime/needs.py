"""What a query needs of its input: which columns, which types of events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pyarrow as pa

from kleene.language.expressions import Aggregate, Attribute, Expression, IndexKind
from kleene.language.measures import Grouping
from kleene.language.syntax import SkipMode, Strategy
from kleene.language.traversal import children, walk
from kleene.logical.algebra import LogicalQuery
from kleene.logical.output import OutputForm

_ANY_ORDER = frozenset({"count", "min", "max"})
"""Aggregates that are the same in whatever order elements are listed; sums of doubles are not."""


def pruned(query: LogicalQuery, form: OutputForm) -> LogicalQuery:
    """The query over no more columns of the events than it needs."""
    if not _is_prunable(query, form):
        return query
    shape = query.resolved.shape
    used = {path[0] for path in _paths(query)}
    used |= {*shape.time, *shape.order_by, *(path[0] for path in query.resolved.partition_by)}
    used |= {name for name in (shape.type, shape.probabilities) if name is not None}
    schema = pa.schema([field for field in shape.schema if field.name in used])
    smaller = replace(shape, schema=schema, id=shape.id if shape.id in used else None)
    return replace(query, resolved=replace(query.resolved, shape=smaller))


def together(queries: Sequence[LogicalQuery], form: OutputForm) -> list[LogicalQuery]:
    """Queries over the columns that any of them needs: the same for all, as they share events."""
    shape = queries[0].resolved.shape
    used = {name for query in queries for name in pruned(query, form).resolved.shape.schema.names}
    schema = pa.schema([field for field in shape.schema if field.name in used])
    smaller = replace(shape, schema=schema, id=shape.id if shape.id in used else None)
    return [replace(q, resolved=replace(q.resolved, shape=smaller)) for q in queries]


def types_together(queries: Sequence[LogicalQuery]) -> list[str] | None:
    """The types that take part in a match of any of some queries; None where any type may."""
    found = [relevant_types(query) for query in queries]
    named = [kinds for kinds in found if kinds is not None]
    return sorted({kind for kinds in named for kind in kinds}) if named == found else None


def relevant_types(query: LogicalQuery) -> list[str] | None:
    """The types that events must have to take part; None where events of any type may.

    For contiguity every row is a neighbour; with imprecise time rows that are no events are only
    known once they are read.
    """
    resolved = query.resolved
    contiguous = resolved.strategy in (Strategy.STRICT, Strategy.PARTITION)
    if resolved.shape.type is None or resolved.shape.imprecise or contiguous:
        return None
    kinds = {variable.type for variable in resolved.variables}
    defined = {definition.name for definition in resolved.definitions}
    named = {kind for kind in kinds if kind is not None}
    return sorted(named) if kinds == named and named.isdisjoint(defined) else None


def skips(query: LogicalQuery) -> bool:
    """Whether a match may keep another from being one."""
    clause = query.resolved.after_match
    return clause is not None and clause.mode is not SkipMode.NO_SKIP


def _is_prunable(query: LogicalQuery, form: OutputForm) -> bool:
    """Whether columns that no expression names make no difference.

    They are shown where whole events are, and they make the total order where the rest leaves
    ties: what that decides is neighbours, AFTER MATCH, and the order in which sets are listed.
    """
    grouping = query.resolved.grouping
    whole = form is not OutputForm.COUNT and not query.resolved.returns and grouping is None
    if whole or query.resolved.strategy in (Strategy.STRICT, Strategy.PARTITION) or skips(query):
        return False
    sets = {v.name for v in query.resolved.variables if v.kleene and not v.sequence}
    if sets and query.resolved.strategy is Strategy.NEXT:
        return False
    of_matches = replace(query.resolved, grouping=None).expressions()
    return all(_needs_no_order(e, sets) for e in of_matches) and (
        grouping is None or _groups_need_no_order(grouping, sets)
    )


def _groups_need_no_order(grouping: Grouping, sets: set[str]) -> bool:
    """Whether neither keys nor aggregates do; over the events of a set these have no order."""
    return all(_needs_no_order(key.expression, sets) for key in grouping.keys) and all(
        _needs_no_order(measure.argument, sets - {measure.each})
        for measure in grouping.measures
        if measure.argument is not None
    )


def _needs_no_order(expression: Expression, sets: set[str]) -> bool:
    """Whether an expression shows no whole event, and no set in the order of its elements."""
    for node in _outside_aggregates(expression):
        match node:
            case Aggregate():
                inside = [n for n in walk(node.argument) if isinstance(n, Attribute)]
                ordered = node.name not in _ANY_ORDER and any(n.variable in sets for n in inside)
                counted = node.name == "count" and node.argument in inside
                if ordered or not (counted or all(n.path for n in inside)):
                    return False
            case Attribute():
                listed = IndexKind.ALL in node.indices and node.variable in sets
                if listed or not node.path:
                    return False
            case _:
                pass
    return True


def _outside_aggregates(expression: Expression) -> Iterator[Expression]:
    """The aggregates of an expression, and what stands in none of them."""
    pending = [expression]
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, Aggregate):
            pending.extend(children(node))


def _paths(query: LogicalQuery) -> Iterator[tuple[str, ...]]:
    for expression in query.resolved.expressions():
        for node in walk(expression):
            if isinstance(node, Attribute) and node.path:
                yield node.path
