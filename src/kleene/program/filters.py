"""Conditions on one event: decided beforehand, for all candidates of its variable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from kleene.language.expressions import Attribute, Expression, IndexKind
from kleene.language.traversal import walk
from kleene.logical.algebra import LogicalQuery, Not
from kleene.logical.algebra import walk as walk_nodes
from kleene.program.columns import ColumnKind, Columns
from kleene.program.layout import Layout


@dataclass(frozen=True, slots=True)
class Filters:
    """For each variable the columns that must be true of its events."""

    columns: dict[str, list[int]]
    decided: set[int]
    """The conditions that this decides, by identity: no machine asks them again."""


def plan_filters(query: LogicalQuery, layout: Layout, columns: Columns) -> Filters:
    """The filters of a query; their conditions become columns."""
    found: dict[str, list[int]] = {name: [] for name in layout.slots}
    decided: set[int] = set()
    for owner, conditions in _owned(query):
        for condition in conditions:
            name = _only_variable(condition)
            if name is not None and layout.slot(name).negation == owner:
                found[name].append(condition_column(condition, columns))
                decided.add(id(condition))
    return Filters(found, decided)


def condition_column(condition: Expression, columns: Columns) -> int:
    """The column that says whether a condition on one event is met."""
    return columns.column(condition, ColumnKind.INT, pa.bool_())[0]


def _owned(query: LogicalQuery) -> Iterator[tuple[int | None, Sequence[Expression]]]:
    """Conditions and the negation that they belong to.

    A condition of a negation on an event outside says when the negation is tested, not which events
    there are.
    """
    yield None, query.conditions
    for node in walk_nodes(query.pattern):
        if isinstance(node, Not):
            yield node.number, node.conditions


def _only_variable(condition: Expression) -> str | None:
    """The variable that a condition is about, if it is about each of its events apart."""
    found = {
        (node.variable, node.indices) for node in walk(condition) if isinstance(node, Attribute)
    }
    if len(found) != 1:
        return None
    name, indices = found.pop()
    return name if all(kind is IndexKind.EACH for kind in indices) else None
