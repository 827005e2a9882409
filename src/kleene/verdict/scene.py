"""The events that a binding is judged among: cut down before anything looks at them one by one.

Events are told apart by the number of their row in the input; each scene has an order of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kleene.language.schema import is_moment
from kleene.logical.algebra import LogicalQuery
from kleene.logical.binding import Binding, Value
from kleene.logical.decide import Ground
from kleene.logical.denotation import window
from kleene.logical.history import HistoryEvent, Time, know, moment, order
from kleene.logical.negation import World

Interval = tuple[Time | None, Time | None]
"""Times from the one to the other, both included; None is no bound."""

_DAY = 86_400_000_000
_ROUNDING = 1e-12
"""More than what is lost where times are compared as floats: that keeps some events too many."""


@dataclass(frozen=True)
class Scene:
    """Some of the events of the input, in the order that they have among all of them."""

    query: LogicalQuery
    events: tuple[HistoryEvent, ...]
    numbers: tuple[int, ...]
    """The row of each event."""

    @cached_property
    def places(self) -> dict[int, int]:
        """The position of each row that is an event."""
        return {number: position for position, number in enumerate(self.numbers)}

    @cached_property
    def ground(self) -> Ground:
        """What conditions are decided on."""
        return Ground(self.events, self.query.loops, self.query.aggregates)

    def world(self, candidates: Sequence[HistoryEvent]) -> World:
        """Some of the events as what bindings are judged in."""
        return World(candidates, self.ground, window(self.query))

    def beside(self, row: int) -> list[HistoryEvent]:
        """The events of the partition that a row is in."""
        partition = self.events[self.places[row]].known.partition
        return [event for event in self.events if event.known.partition == partition]

    def placed(self, binding: Binding) -> dict[str, Value]:
        """A binding to rows as one to positions."""
        return {name: renumbered(value, self.places) for name, value in binding.items()}


def renumbered(value: Value, numbers: Mapping[int, int] | Sequence[int]) -> Value:
    """A value with other numbers for its events."""
    match value:
        case int():
            return numbers[value]
        case tuple():
            return tuple(renumbered(item, numbers) for item in value)
        case _:
            return value


@dataclass(frozen=True)
class Input:
    """A query and the whole table of its events."""

    query: LogicalQuery
    table: pa.Table

    def scene(self, rows: Iterable[int]) -> Scene:
        """The events among some rows; of rows of equal content the first stored comes first."""
        chosen = sorted(set(rows))
        contents = self.table.take(pa.array(chosen, pa.int64())).to_pylist()
        number_of = {id(row): number for row, number in zip(contents, chosen, strict=True)}
        column = self.query.resolved.shape.time[0]
        timed = [
            (time, known)
            for known in know(contents, self.query.resolved)
            if (time := moment(known.row[column])) is not None
        ]
        events = order(timed)
        return Scene(self.query, events, tuple(number_of[id(event.row)] for event in events))

    def around(
        self, interval: Interval, like: int | None = None, kinds: Iterable[str | None] = (None,)
    ) -> list[int]:
        """Rows in an interval of time, in the partition of a row, of some types.

        There may be too many of them, never too few: what Arrow does not compare as Kleene does is
        left to a closer look.
        """
        low, high = interval
        kept = ~np.isnan(self._times)
        if low is not None:
            kept &= self._times >= float(low) - abs(float(low)) * _ROUNDING
        if high is not None:
            kept &= self._times <= float(high) + abs(float(high)) * _ROUNDING
        for path in self.query.resolved.partition_by if like is not None else ():
            kept &= self._agreeing(path, like)
        named = set(kinds)
        if None not in named and named.isdisjoint(self._defined):
            kept &= self._of_types(named)
        return list(map(int, np.flatnonzero(kept)))

    @cached_property
    def _times(self) -> np.ndarray:
        """The times as floats, NaN where there is none; they are as near as floats come."""
        column = self.table.column(self.query.resolved.shape.time[0])
        days = pa.types.is_date(column.type)
        if is_moment(column.type):
            column = pc.cast(pc.cast(column, pa.int32()) if days else column, pa.int64())
        floats = pc.cast(column, pa.float64(), safe=False).combine_chunks()
        return np.asarray(floats.to_numpy(zero_copy_only=False)) * (_DAY if days else 1)

    @cached_property
    def _defined(self) -> frozenset[str]:
        return frozenset(definition.name for definition in self.query.resolved.definitions)

    def _agreeing(self, path: tuple[str, ...], row: int | None) -> np.ndarray:
        column = self.table.column(path[0])
        if len(path) > 1 or not _compares_as_it_is(column.type):
            return np.full(len(column), fill_value=True)
        return _mask(pc.equal(column, column[row]))

    def _of_types(self, named: set[str | None]) -> np.ndarray:
        kind = self.query.resolved.shape.type
        if kind is None or not pa.types.is_string(self.table.schema.field(kind).type):
            return np.full(self.table.num_rows, fill_value=True)
        names = pa.array(sorted(name for name in named if name is not None), pa.string())
        return _mask(pc.is_in(self.table.column(kind), names))


def _compares_as_it_is(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_string(kind)
        or pa.types.is_integer(kind)
        or pa.types.is_boolean(kind)
        or is_moment(kind)
    )


def _mask(truths: pa.ChunkedArray) -> np.ndarray:
    """Truths as numpy has them; null is false."""
    filled = pc.fill_null(truths, fill_value=False).combine_chunks()
    return np.asarray(filled.to_numpy(zero_copy_only=False))
