"""AFTER MATCH: which kept match leaves no room for another one (semantics 4).

What is kept depends on all matches of a partition, so here the kernel of the query runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pyarrow as pa

from kleene.language.expressions import Attribute, IndexKind
from kleene.language.print_query import print_after_match
from kleene.language.resolved import Output
from kleene.language.syntax import SkipMode, Strategy
from kleene.logical.after_match import Walk, obstacle, order_of
from kleene.logical.algebra import LogicalQuery, variables_of
from kleene.logical.binding import Binding, Value, all_events
from kleene.runtime.evaluate import evaluate
from kleene.runtime.limits import Limits
from kleene.verdict.reasons import Displaced
from kleene.verdict.scene import Input, renumbered
from kleene.verdict.witness import Witnesses

_LAST_NAME = chr(0x10FFFF)
"""A column of this name is the last to break ties, where rows of equal content are left."""


def displaced(
    given: Input, binding: Binding, witnesses: Witnesses, limits: Limits
) -> Displaced | None:
    """The kept match that comes before a match, to rows, and leaves no room for it."""
    clause = given.query.resolved.after_match
    if clause is None or clause.mode is SkipMode.NO_SKIP:
        return None
    names = list(variables_of(given.query.pattern))
    found = list(_kept(given, names, binding, limits))
    if dict(binding) in found:
        return None
    events = [event for match in [*found, binding] for event in all_events(match)]
    scene = given.scene(events)
    walk = Walk(clause, names, [event.rank for event in scene.events])
    own = scene.placed(binding)
    last = order_of(own, names)
    placed = [match for match in map(scene.placed, found) if order_of(match, names) < last]
    by = obstacle(own, sorted(placed, key=lambda match: order_of(match, names)), walk)
    assert by is not None, "what is not kept is displaced"
    rows = {name: renumbered(value, scene.numbers) for name, value in by.items()}
    return Displaced(print_after_match(clause), tuple(witnesses.all_of(names, rows)))


def _kept(
    given: Input, names: list[str], binding: Binding, limits: Limits
) -> Iterator[dict[str, Value]]:
    """The matches that are kept in the partition of a binding, hidden variables included."""
    whole = given.query.resolved.strategy is Strategy.STRICT  # neighbours are those of the input
    like = None if whole else all_events(binding)[0]
    rows = pa.array(given.around((None, None), like), pa.int64())
    table = given.table.take(rows).append_column(_LAST_NAME, rows)
    found = evaluate(_numbered(given.query, names, table.schema), table, limits=limits)
    for batch in found.batches:
        for match in batch.to_pylist():
            yield {name: _value(match[column]) for name, column in zip(names, match, strict=True)}


def _numbered(query: LogicalQuery, names: list[str], schema: pa.Schema) -> LogicalQuery:
    """The query with the rows of all events of a match as its result."""
    kind = pa.int64()
    returns = tuple(
        Output(
            str(number),
            Attribute(name, _whole(query, name), (_LAST_NAME,), kind),
            _type(query, name),
        )
        for number, name in enumerate(names)
    )
    resolved = replace(
        query.resolved,
        shape=replace(query.resolved.shape, schema=schema),
        variables=tuple(replace(v, hidden=False) for v in query.resolved.variables),
        returns=returns,
        grouping=None,
    )
    return LogicalQuery(resolved, query.pattern, query.conditions)


def _whole(query: LogicalQuery, name: str) -> tuple[IndexKind, ...]:
    return (IndexKind.ALL,) * len(query.loops[name])


def _type(query: LogicalQuery, name: str) -> pa.DataType:
    kind = pa.int64()
    for _ in query.loops[name]:
        kind = pa.list_(kind)
    return kind


def _value(found: object) -> Value:
    match found:
        case list():
            return tuple(map(_value, found))
        case int() | None:
            return found
        case _:
            raise AssertionError(found)
