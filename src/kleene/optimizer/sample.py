"""Some windows of a table of events, read quickly enough to be told about before a query runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kleene.language.expressions import Attribute, Duration
from kleene.language.resolved import ResolvedQuery
from kleene.language.schema import is_moment
from kleene.language.traversal import walk
from kleene.logical.algebra import LogicalQuery
from kleene.logical.history import Row

Flags = npt.NDArray[np.bool_]

_WINDOWS = 24
_EVENTS, _MOST_EVENTS = 400, 3_000
"""Events that are looked at of a window, and about so many of all windows."""
_SCANNED = 1_000_000
"""Rows among which the windows of a table are looked for that is not in the order of time."""
_STARTS = 50_000
"""Rows among which the beginnings of matches are looked for."""
_NEAR = 20_000
"""Rows of a window among which those of a partition are looked for."""


@dataclass(frozen=True, slots=True)
class Window:
    """An event and what follows it in its partition within the window, in the order of time."""

    rows: Sequence[Row]
    cut: bool
    """Whether there were more."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Windows of events that are spread over those that a match may begin with."""

    windows: Sequence[Window]
    starts: float
    """About how many events a match may begin with."""


def sample(query: LogicalQuery, table: pa.Table, first: frozenset[str]) -> Sample:
    """Windows that begin with events of the types of some variables."""
    columns = _columns(query)
    seen = table.select([name for name in table.column_names if name in columns])
    some = np.arange(0, table.num_rows, 1 + table.num_rows // _STARTS)
    starts = some[_begins(query, seen.take(pa.array(some)), first)]
    within = _Windows(query.resolved, seen)
    windows: list[Window] = []
    most = _WINDOWS if within.sorted else max(1, _SCANNED // max(table.num_rows, 1))
    count = min(_WINDOWS, most, len(starts))
    spread = np.linspace(0, len(starts) - 1, count).astype(int) if count else np.arange(0)
    # In no order, so that those which are left out are spread as well.
    for place in np.random.default_rng(0).permutation(spread):
        windows.append(within.of(int(starts[place])))
        if sum(len(window.rows) for window in windows) > _MOST_EVENTS:
            break
    return Sample(windows, len(starts) * table.num_rows / max(len(some), 1))


def _columns(query: LogicalQuery) -> set[str]:
    """The columns that say where an event is, of which type, and whether it fits a variable."""
    resolved = query.resolved
    expressions = [definition.condition for definition in resolved.definitions]
    for conditions in query.own_conditions.values():
        expressions += conditions
    nodes = [node for expression in expressions for node in walk(expression)]
    found = {node.path[0] for node in nodes if isinstance(node, Attribute) and node.path}
    found |= {resolved.shape.time[0], *(path[0] for path in resolved.partition_by)}
    if any(isinstance(node, Attribute) and not node.path for node in nodes):
        found |= set(resolved.shape.schema.names)
    return found | ({resolved.shape.type} if resolved.shape.type is not None else set())


def _begins(query: LogicalQuery, table: pa.Table, first: frozenset[str]) -> Flags:
    """Which rows may begin a match: by the column of types, unless DEFINE has to say that."""
    resolved = query.resolved
    valid = pc.is_valid(table.column(resolved.shape.time[0]))
    types = {query.variables[name].type for name in first}
    defined = {definition.name for definition in resolved.definitions}
    if None in types or not defined.isdisjoint(types) or resolved.shape.type is None:
        return _flags(valid)
    names = table.column(resolved.shape.type).cast(pa.string())
    wanted = pa.array(sorted(filter(None, types)), pa.string())
    return _flags(pc.and_(valid, pc.is_in(names, value_set=wanted)))


def _numbers(time: pa.ChunkedArray) -> npt.NDArray[Any]:
    """Times as numbers; those of nulls are never asked about."""
    if is_moment(time.type):
        time = time.cast(pa.timestamp("us", getattr(time.type, "tz", None))).cast(pa.int64())
    elif pa.types.is_decimal(time.type):
        time = time.cast(pa.float64())
    return np.asarray(pc.fill_null(time, 0).to_numpy())


class _Windows:
    """Finds the windows of a table."""

    def __init__(self, query: ResolvedQuery, table: pa.Table) -> None:
        self._query, self._table = query, table
        time = table.column(query.shape.time[0])
        self._clock = _numbers(time)
        self._valid = _flags(pc.is_valid(time))
        self.sorted = bool(self._valid.all() and (self._clock[1:] >= self._clock[:-1]).all())

    def of(self, start: int) -> Window:
        """An event and those of its partition that follow within its window."""
        begin, end = self._range(start)
        near = self._table.slice(begin, end - begin)
        clock = self._clock[begin:end]
        inside = self._valid[begin:end] & (clock >= self._clock[start])
        extent = self._query.window
        if extent is not None:
            length = extent.microseconds if isinstance(extent, Duration) else float(extent)
            inside &= clock < self._clock[start] + length
        for path in self._query.partition_by:
            column = near.column(path[0])
            if path[1:]:
                column = pc.struct_field(column, list(path[1:]))
            inside &= _equal(column, column[start - begin])
        inside[start - begin] = False
        places = np.flatnonzero(inside)
        order = places[np.argsort(clock[places], kind="stable")]
        chosen = np.concatenate([[start - begin], order[:_EVENTS]]).astype(np.int64)
        more = len(order) > _EVENTS or (self.sorted and end - begin == _NEAR and bool(inside[-1]))
        return Window(near.take(pa.array(chosen)).to_pylist(), more)

    def _range(self, start: int) -> tuple[int, int]:
        """The rows among which a window is."""
        if not self.sorted:
            return 0, self._table.num_rows
        begin = int(np.searchsorted(self._clock, self._clock[start]))
        return begin, max(min(begin + _NEAR, self._table.num_rows), start + 1)


def _equal(column: pa.ChunkedArray, value: pa.Scalar) -> Flags:
    """Where a column has a value; Arrow does not compare structs and arrays."""
    if pa.types.is_nested(column.type):
        wanted = value.as_py()
        return np.array([found == wanted for found in column.to_pylist()])
    return _flags(pc.equal(column, value))


def _flags(truth: pa.ChunkedArray) -> Flags:
    found: Flags = truth.fill_null(False).to_numpy()  # noqa: FBT003 - a value
    return np.array(found)
