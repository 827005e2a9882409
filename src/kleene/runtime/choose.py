"""Which events may take part: those that some variable can bind (semantics 2).

The rest is dropped before anything is sorted, because sorting costs most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kleene.language.expressions import Attribute
from kleene.language.kinds import Kind, kind_of
from kleene.language.resolved import ResolvedQuery
from kleene.language.syntax import Strategy
from kleene.language.traversal import walk
from kleene.program.kernel import Kernel
from kleene.runtime.order import Flags, Int64
from kleene.runtime.rows import Rows
from kleene.runtime.threads import mapped

_WORTHWHILE = 0.9
"""Events are dropped where no more than this share of them is left."""
_LEAST = 1 << 17
"""Rows that are worth a thread."""
_CONTIGUOUS = frozenset({Strategy.STRICT, Strategy.PARTITION})


@dataclass(frozen=True)
class Events:
    """Some rows of a table, with the columns that a kernel looks at."""

    table: pa.Table
    rows: Int64
    """For each of them its row in the whole table."""

    @cached_property
    def columns(self) -> Rows:
        """The values of expressions on them."""
        return Rows(self.table, {})

    def where(self, flags: Flags) -> Events:
        """Those of them of which something is true."""
        if flags.all():
            return self
        return Events(self.table.filter(pa.array(flags)), self.rows[flags])


@dataclass(frozen=True)
class Chosen:
    """The events that may take part, and which of these each variable may bind."""

    events: Events
    fits: dict[str, Flags]
    bad_rows: int
    """How many rows were no events, because they have no time (semantics 1)."""


def choose(table: pa.Table, kernel: Kernel, threads: int) -> Chosen:
    """The events of a table that may take part, chosen by several threads where there are many."""
    query = kernel.query.resolved
    names = {query.shape.time[0], *(path[0] for path in query.partition_by)}
    names |= {node.path[0] for node in _attributes(kernel) if node.path}
    if query.shape.type is not None:
        names.add(query.shape.type)
    seen = table.select([name for name in table.column_names if name in names])
    pieces = min(threads, 1 + table.num_rows // _LEAST)
    size = -(-table.num_rows // pieces)
    starts = range(0, max(table.num_rows, 1), max(size, 1))
    found = mapped(lambda start: _chosen(seen.slice(start, size), start, kernel), starts, threads)
    return found[0] if len(found) == 1 else _joined(found)


def taking_part(
    table: pa.Table, query: ResolvedQuery, kernel: Kernel | None, threads: int
) -> tuple[pa.Table, int]:
    """The rows of the events that may take part, and how many rows were no events.

    With imprecise time all rows stay: whoever evaluates the query tells which are no events.
    """
    if query.shape.imprecise:
        return table, 0
    if kernel is not None:
        chosen = choose(table, kernel, threads)
        rows, bad_rows = chosen.events.rows, chosen.bad_rows
    else:
        time = Rows(table, {}).attribute((query.shape.time[0],))
        rows = np.flatnonzero(_is_event(time))
        bad_rows = table.num_rows - len(rows)
    return table if len(rows) == table.num_rows else table.take(pa.array(rows)), bad_rows


def _attributes(kernel: Kernel) -> list[Attribute]:
    expressions = (spec.expression for spec in kernel.columns.specs)
    return [node for each in expressions for node in walk(each) if isinstance(node, Attribute)]


def _joined(pieces: Sequence[Chosen]) -> Chosen:
    events = Events(
        pa.concat_tables([piece.events.table for piece in pieces]),
        np.concatenate([piece.events.rows for piece in pieces]),
    )
    fits = {name: np.concatenate([piece.fits[name] for piece in pieces]) for name in pieces[0].fits}
    return Chosen(events, fits, sum(piece.bad_rows for piece in pieces))


def _chosen(table: pa.Table, start: int, kernel: Kernel) -> Chosen:
    """The same of a piece of a table that starts at a row."""
    all_rows = Events(table, np.arange(start, start + table.num_rows, dtype=np.int64))
    column = kernel.query.resolved.shape.time[0]
    events = all_rows.where(_is_event(all_rows.columns.attribute((column,))))
    bad_rows = table.num_rows - len(events.rows)
    events, fits = _candidates(events, kernel)
    return Chosen(events, fits, bad_rows)


def _is_event(times: pa.Array) -> Flags:
    valid = pc.is_valid(times)
    if kind_of(times.type) is Kind.FLOAT:
        valid = pc.and_(valid, pc.fill_null(pc.is_finite(times), False))  # noqa: FBT003
    return _flags(valid)


def _candidates(events: Events, kernel: Kernel) -> tuple[Events, dict[str, Flags]]:
    """For contiguity every event may take part: it is a neighbour."""
    types = _Types(events, kernel)
    every = kernel.query.resolved.strategy in _CONTIGUOUS
    if not every and types.are_all_named:
        types = types.of_events_that_have_one()
        events = types.events
    fits = {name: types.of(kernel.query.variables[name].type) for name in kernel.layout.slots}
    for name, indices in kernel.filters.items():
        for index in indices:
            fits[name] = fits[name] & _is_met(index, events, kernel)
    some = np.logical_or.reduce(list(fits.values()))
    if every or some.sum() > _WORTHWHILE * len(some):
        return events, fits
    return events.where(some), {name: flags[some] for name, flags in fits.items()}


class _Types:
    """Of which of the types of a query each event is."""

    def __init__(self, events: Events, kernel: Kernel) -> None:
        self.events, self._kernel = events, kernel
        kinds = {variable.type for variable in kernel.query.variables.values()}
        named = {kind for kind in kinds if kind is not None and kind not in kernel.types}
        self.are_all_named = kinds == named
        self._names = sorted(named)

    @cached_property
    def _named(self) -> npt.NDArray[np.int32]:
        """For each event the number of the type that its column names, or -1."""
        column = self._kernel.query.resolved.shape.type
        assert column is not None, "resolution saw to it that every type is known"
        text = self.events.columns.attribute((column,))
        found = pc.index_in(text.cast(pa.string()), value_set=pa.array(self._names, pa.string()))
        return np.asarray(found.fill_null(-1).to_numpy())

    def of_events_that_have_one(self) -> _Types:
        """The same for the events that are of one of the types that columns name."""
        kept = self._named >= 0
        found = _Types(self.events.where(kept), self._kernel)
        found._named = self._named[kept]
        return found

    def of(self, kind: str | None) -> Flags:
        """Which events are of a type; all are of that of ANY."""
        if kind is None:
            return np.ones(len(self.events.rows), np.bool_)
        if kind in self._kernel.types:
            return _is_met(self._kernel.types[kind], self.events, self._kernel)
        found: Flags = self._named == self._names.index(kind)
        return found


def _is_met(index: int, events: Events, kernel: Kernel) -> Flags:
    """Where the column of a condition says that it holds: neither false nor null."""
    truth = events.columns.array(kernel.columns.specs[index].expression)
    return _flags(truth.cast(pa.bool_()))


def _flags(truth: pa.Array) -> Flags:
    found: Flags = truth.fill_null(False).to_numpy(zero_copy_only=False)  # noqa: FBT003 - a value
    return found
