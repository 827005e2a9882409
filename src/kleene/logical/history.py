"""Rows to events: which rows are events, in which order (semantics 1 and 5)."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from kleene.language.expressions import Attribute, Expression
from kleene.language.resolved import ResolvedQuery
from kleene.logical.moments import micros
from kleene.logical.ordering import sort_key
from kleene.logical.values import evaluate

Row = Mapping[str, object]
Time = int | float | Decimal


@dataclass(frozen=True, slots=True)
class KnownRow:
    """What a row says apart from its time: types, partition, and its place among equal times."""

    number: int
    row: Row
    partition: tuple[object, ...] | None
    types: frozenset[str]
    ties: tuple[object, ...]
    identity: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class HistoryEvent:
    """An event: `position` in the total order, `rank` in the order (equal where tied)."""

    position: int
    rank: int
    time: Time
    known: KnownRow

    @property
    def row(self) -> Row:
        """The row that the event is."""
        return self.known.row

    def is_of(self, kind: str | None) -> bool:
        """Whether the event has a type; every event has the type of ANY."""
        return kind is None or kind in self.known.types


def know(rows: Sequence[Row], query: ResolvedQuery) -> list[KnownRow]:
    """What each row says apart from its time, numbered in the total order of the rows as stored.

    Where time is imprecise that order begins with the bounds; it is the one that sets are listed
    in, whatever the order of a world.
    """
    shape = query.shape
    ties = () if shape.imprecise else shape.order_by
    identity = (*(() if shape.id is None else (shape.id,)), *sorted(shape.schema.names))
    listed = (*shape.time, *ties, *identity)
    rows = sorted(rows, key=lambda row: tuple(sort_key(row[name]) for name in listed))
    return [
        KnownRow(
            number,
            row,
            partition(row, query),
            types(row, query),
            tuple(sort_key(row[name]) for name in ties),
            tuple(sort_key(row[name]) for name in identity),
        )
        for number, row in enumerate(rows)
    ]


def order(timed: Sequence[tuple[Time, KnownRow]]) -> tuple[HistoryEvent, ...]:
    """Events in the total order: time, tie-breaks, then id, then all columns by name."""

    def ordered(item: tuple[Time, KnownRow]) -> tuple[object, ...]:
        return (sort_key(item[0]), *item[1].ties)

    events: list[HistoryEvent] = []
    rank, previous = -1, None
    for time, known in sorted(timed, key=lambda item: (ordered(item), item[1].identity)):
        place = ordered((time, known))
        if place != previous:
            rank, previous = rank + 1, place
        events.append(HistoryEvent(len(events), rank, time, known))
    return tuple(events)


def moment(value: object) -> Time | None:
    """A time as a number: microseconds for dates and timestamps; None where it is no time."""
    match value:
        case None:
            return None
        case dt.date():
            return micros(value)
        case float() if not math.isfinite(value):
            return None
        case int() | float() | Decimal():
            return value
        case _:
            raise TypeError(f"{value!r} is no time")


def partition(row: Row, query: ResolvedQuery) -> tuple[object, ...] | None:
    """The partition of a row; None where a key is null: it is in no partition (semantics 1)."""
    keys = [field(row, path) for path in query.partition_by]
    return None if any(key is None for key in keys) else tuple(sort_key(key) for key in keys)


def types(row: Row, query: ResolvedQuery) -> frozenset[str]:
    """The types that a row has: what DEFINE says, else what the column of types says."""
    defined = {definition.name for definition in query.definitions}
    found = {d.name for d in query.definitions if holds_for_row(d.condition, row)}
    if query.shape.type is not None:
        named = type_name(row[query.shape.type])
        if named is not None and named not in defined:
            found.add(named)
    return frozenset(found)


def type_name(value: object) -> str | None:
    """The name of a type, as Spark spells the value that the column of types holds."""
    match value:
        case None:
            return None
        case bool():
            return str(value).lower()
        case _:
            return str(value)


def holds_for_row(condition: Expression, row: Row) -> bool:
    """Whether a condition on one row is met."""

    def attribute(node: Attribute) -> object:
        return field(row, node.path)

    def aggregate(_: object) -> object:
        raise AssertionError("one row has nothing to aggregate")

    return evaluate(condition, attribute, aggregate) is True


def field(row: Row, path: Sequence[str]) -> object:
    """The value at the end of a path; null where anything on the way is."""
    value: object = row
    for name in path:
        if value is None:
            return None
        assert isinstance(value, Mapping)
        value = value[name]
    return value
