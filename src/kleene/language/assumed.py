"""Events that have whatever a query asks for: to check a query before there are any events."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from itertools import count

import pyarrow as pa

from kleene.language.expressions import Expression, Reference, SameKey
from kleene.language.schema import EventShape, assumed_column
from kleene.language.syntax import (
    Conditioned,
    EventPattern,
    Name,
    Query,
    walk_patterns,
)
from kleene.language.traversal import walk

Path = tuple[str, ...]
Fields = dict[str, "Fields"]


def assumed_shape(query: Query) -> EventShape:
    """Events with every column that the query names, each of whatever type.

    What does not resolve against them is wrong whatever the events are.

    >>> from kleene.language.parser import parse
    >>> assumed_shape(parse("SEQ(A a, (B b : y = 1)) WHERE a.x.z > 1")).schema.names
    ['y', 'x', 'time', 'type']
    """
    columns: Fields = {}
    for path in _paths(query):
        inner = columns
        for name in path:
            inner = inner.setdefault(name, {})
    time, kind = _free("time", columns), _free("type", columns)
    numeric = query.within is not None and isinstance(query.within.extent, int | Decimal)
    roles = [
        (time, pa.int64() if numeric else pa.timestamp("us")),
        (kind, pa.string()),
    ]
    return EventShape(pa.schema([*_typed(columns), *roles]), (time,), kind)


def _paths(query: Query) -> Iterator[Path]:
    """The columns that a query names, and their fields."""
    variables = set(_variables(query))
    for definition in query.definitions:
        for node in _references(definition.condition):
            own = node.variable.casefold() == definition.name.key
            yield node.path if own and node.path else (node.variable, *node.path)
    for condition in _inline(query):
        for node in _references(condition):
            yield node.path
            if node.variable.casefold() not in variables:
                yield (node.variable, *node.path)
    for condition in _written(query):
        yield from (node.path for node in _references(condition))
        yield from (node.path for node in walk(condition) if isinstance(node, SameKey))
    yield from (column.path for column in query.partition_by)


def _variables(query: Query) -> Iterator[str]:
    """The variables by their keys; one without a name is called like its type."""
    for node in walk_patterns(query.pattern):
        if isinstance(node, EventPattern):
            named = node.variable or node.type or Name("ANY")
            yield named.key


def _inline(query: Query) -> Iterator[Expression]:
    for node in walk_patterns(query.pattern):
        if isinstance(node, Conditioned):
            yield from node.conditions


def _written(query: Query) -> Iterator[Expression]:
    """The expressions outside of the pattern and of DEFINE."""
    yield from query.where
    yield from (item.expression for item in query.returns)
    if query.group_by is not None:
        yield from (*query.group_by.keys, *query.group_by.having)


def _references(node: Expression) -> Iterator[Reference]:
    return (found for found in walk(node) if isinstance(found, Reference))


def _typed(columns: Fields) -> list[pa.Field]:
    """The columns: structs where the query reaches into them, else of whatever type."""
    return [
        pa.field(name, pa.struct(_typed(inner))) if inner else assumed_column(name)
        for name, inner in columns.items()
    ]


def _free(name: str, columns: Fields) -> str:
    names = (name if number == 1 else f"{name}_{number}" for number in count(1))
    return next(found for found in names if found not in columns)
