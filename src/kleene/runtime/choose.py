"""Which events may take part: those that some variable can bind (semantics 2).

The rest is dropped before anything is sorted, because sorting costs most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kleene.language.expressions import Expression
from kleene.language.kinds import Kind, kind_of
from kleene.language.resolved import ResolvedQuery
from kleene.language.syntax import Strategy
from kleene.program.kernel import Kernel
from kleene.runtime.order import Flags, Int64
from kleene.runtime.rows import Rows, decoded
from kleene.runtime.threads import mapped
from kleene.runtime.types import rows_of

_WORTHWHILE = 0.9
"""Events are dropped where no more than this share of them is left."""
_LEAST = 1 << 17
"""Rows that are worth a thread."""
CONTIGUOUS = frozenset({Strategy.STRICT, Strategy.PARTITION})


@dataclass(frozen=True)
class Events:
    """Some rows of a table."""

    table: pa.Table
    rows: Int64
    """In ascending order."""

    @cached_property
    def columns(self) -> Rows:
        """The values of expressions on them; only of what is read any values are taken."""
        return Rows(self.table, {}, self.rows)

    def where(self, flags: Flags) -> Events:
        """Those of them of which something is true."""
        return self if flags.all() else Events(self.table, self.rows[flags])


@dataclass(frozen=True)
class Chosen:
    """The events that may take part, and which of these each variable may bind."""

    events: Events
    fits: tuple[dict[str, Flags], ...]
    """For each kernel, by variable."""
    bad_rows: int
    """How many rows were no events, because they have no time (semantics 1)."""


def choose(table: pa.Table, kernels: Sequence[Kernel], threads: int) -> Chosen:
    """The events of a table that may take part in a match of any of some kernels.

    They are chosen by several threads where there are many.
    """
    pieces = min(threads, 1 + table.num_rows // _LEAST)
    size = max(-(-table.num_rows // pieces), 1)
    starts = range(0, max(table.num_rows, 1), size)
    found = mapped(lambda start: _chosen(table, start, size, kernels), starts, threads)
    return found[0] if len(found) == 1 else _joined(table, found)


def taking_part(
    table: pa.Table, query: ResolvedQuery, kernels: Sequence[Kernel], threads: int
) -> tuple[pa.Table, int]:
    """The rows of the events that may take part, and how many rows were no events.

    Without kernels all events do, for the definition looks at them all. With imprecise time all
    rows stay: whoever evaluates the query tells which are no events.
    """
    if query.shape.imprecise:
        return table, 0
    if kernels:
        chosen = choose(table, kernels, threads)
        rows, bad_rows = chosen.events.rows, chosen.bad_rows
    else:
        time = Rows(table, {}).attribute((query.shape.time[0],))
        rows = np.flatnonzero(_is_event(time))
        bad_rows = table.num_rows - len(rows)
    return table if len(rows) == table.num_rows else table.take(pa.array(rows)), bad_rows


def _joined(table: pa.Table, pieces: Sequence[Chosen]) -> Chosen:
    events = Events(table, np.concatenate([piece.events.rows for piece in pieces]))
    fits = tuple(
        {name: np.concatenate([flags[name] for flags in of_kernel]) for name in of_kernel[0]}
        for of_kernel in zip(*(piece.fits for piece in pieces), strict=True)
    )
    return Chosen(events, fits, sum(piece.bad_rows for piece in pieces))


def _chosen(table: pa.Table, start: int, size: int, kernels: Sequence[Kernel]) -> Chosen:
    """The same of so many rows of a table from one on."""
    piece = range(start, min(start + size, table.num_rows))
    all_rows = Events(table, np.arange(piece.start, piece.stop, dtype=np.int64))
    time = table.column(kernels[0].query.resolved.shape.time[0]).slice(start, size)
    bad_rows = 0
    if time.null_count or kind_of(time.type) is Kind.FLOAT:
        events = all_rows.where(_is_event(decoded(time)))
        bad_rows = len(piece) - len(events.rows)
    else:
        events = all_rows
    events, fits = _candidates(events, kernels)
    return Chosen(events, fits, bad_rows)


def _is_event(times: pa.Array) -> Flags:
    valid = pc.is_valid(times)
    if kind_of(times.type) is Kind.FLOAT:
        valid = pc.and_(valid, pc.fill_null(pc.is_finite(times), False))  # noqa: FBT003
    return _flags(valid)


def _candidates(
    events: Events, kernels: Sequence[Kernel]
) -> tuple[Events, tuple[dict[str, Flags], ...]]:
    """For contiguity every event may take part: it is a neighbour."""
    types = _Types(events, kernels)
    every = any(kernel.query.resolved.strategy in CONTIGUOUS for kernel in kernels)
    if not every and types.are_all_named:
        types = types.of_events_that_have_one()
        events = types.events
    fits = tuple(types.fits(kernel) for kernel in kernels)
    filtered = any(indices for kernel in kernels for indices in kernel.filters.values())
    if not every and types.are_all_named and not filtered:
        return events, fits
    some = np.logical_or.reduce([flags for of_kernel in fits for flags in of_kernel.values()])
    if every or some.sum() > _WORTHWHILE * len(some):
        return events, fits
    kept = tuple({name: flags[some] for name, flags in of_kernel.items()} for of_kernel in fits)
    return events.where(some), kept


class _Types:
    """Of which of the types of some kernels each event is, and which conditions on one it meets.

    What two kernels ask of an event is decided once.
    """

    def __init__(self, events: Events, kernels: Sequence[Kernel]) -> None:
        self.events, self._kernels = events, kernels
        kinds = [(k.types, v.type) for k in kernels for v in k.query.variables.values()]
        named = [kind for defined, kind in kinds if kind is not None and kind not in defined]
        self.are_all_named = len(named) == len(kinds)
        self._names = sorted(set(named))
        self._met: dict[Expression, Flags] = {}

    @cached_property
    def _named(self) -> Int64:
        """For each event the number of the type that its column names, or -1."""
        rows, kinds = self._of_a_type
        found = np.full(len(self.events.rows), -1, np.int64)
        found[rows] = kinds
        return found

    @cached_property
    def _of_a_type(self) -> tuple[Int64, Int64]:
        """The events of types that columns name, by their places, and the number of each type."""
        column = self._kernels[0].query.resolved.shape.type
        assert column is not None, "resolution saw to it that every type is known"
        return rows_of(self.events.columns.pieces(column), self._names)

    def of_events_that_have_one(self) -> _Types:
        """The same for the events that are of one of the types that columns name."""
        rows, kinds = self._of_a_type
        found = _Types(Events(self.events.table, self.events.rows[rows]), self._kernels)
        found._named = kinds
        return found

    def fits(self, kernel: Kernel) -> dict[str, Flags]:
        """For each variable of a kernel the events of its type that meet its own conditions."""
        found = {
            name: self._of(kernel.query.variables[name].type, kernel)
            for name in kernel.layout.slots
        }
        for name, indices in kernel.filters.items():
            for index in indices:
                found[name] = found[name] & self._is_met(index, kernel)
        return found

    def _of(self, kind: str | None, kernel: Kernel) -> Flags:
        """Which events are of a type; all are of that of ANY."""
        if kind is None:
            return np.ones(len(self.events.rows), np.bool_)
        if kind in kernel.types:
            return self._is_met(kernel.types[kind], kernel)
        found: Flags = self._named == self._names.index(kind)
        return found

    def _is_met(self, index: int, kernel: Kernel) -> Flags:
        """Where the column of a condition says that it holds: neither false nor null."""
        condition = kernel.columns.specs[index].expression
        if condition not in self._met:
            self._met[condition] = _flags(self.events.columns.array(condition).cast(pa.bool_()))
        return self._met[condition]


def _flags(truth: pa.Array) -> Flags:
    found: Flags = truth.fill_null(False).to_numpy(zero_copy_only=False)  # noqa: FBT003 - a value
    return found
