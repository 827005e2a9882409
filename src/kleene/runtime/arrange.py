"""Events in the order in which kernels walk them: by partition, then in the total order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kleene.language.kinds import Kind, kind_of
from kleene.language.resolved import ResolvedQuery
from kleene.runtime.codes import ranks
from kleene.runtime.numbers import floats, ints
from kleene.runtime.rows import Rows

Int64 = npt.NDArray[np.int64]
Numbers = Int64 | npt.NDArray[np.float64]


@dataclass(frozen=True)
class Arranged:
    """Sorted events, and what a kernel asks about each of them."""

    table: pa.Table
    time: Numbers
    """Moments in microseconds."""
    rank: Int64
    """The place in the order: equal where events are tied, and greater in a later partition."""
    part: Int64
    """Where each partition begins, and the end."""
    place: Int64
    """The place in the total order of the whole input."""
    bad_rows: int


def arrange(table: pa.Table, query: ResolvedQuery) -> Arranged:
    """Sort the events of a table; rows without a time are no events (semantics 1)."""
    shape = query.shape
    events = table.filter(_is_event(table.column(shape.time[0])))
    rows = Rows(events, {})
    time = clock(rows.attribute((shape.time[0],)))
    ties = [ranks(rows.attribute((name,))) for name in shape.order_by]
    total = _total_order([time, *ties], rows, query)
    keys = [ranks(rows.attribute(path))[total] for path in query.partition_by]
    place = _by_partition(keys, len(total))
    order = total[place]
    starts = _changes([key[place] for key in keys], len(place))
    moves = starts | _changes([known[order] for known in (time, *ties)], len(place))
    return Arranged(
        table=events.take(pa.array(order)),
        time=time[order],
        rank=np.cumsum(moves, dtype=np.int64),
        part=np.append(np.flatnonzero(starts), len(place)).astype(np.int64),
        place=place,
        bad_rows=table.num_rows - events.num_rows,
    )


def clock(column: pa.Array) -> Numbers:
    """Times as numbers."""
    return floats(column) if kind_of(column.type) is Kind.FLOAT else ints(column)


def _is_event(times: pa.ChunkedArray) -> pa.ChunkedArray:
    valid = pc.is_valid(times)
    if kind_of(times.type) is Kind.FLOAT:
        valid = pc.and_(valid, pc.invert(pc.fill_null(pc.is_nan(times), True)))  # noqa: FBT003
    return valid


def _total_order(known: Sequence[Numbers], rows: Rows, query: ResolvedQuery) -> Int64:
    """Time, tie-breaks, then id, then all columns: the last only where they are needed."""
    shape = query.shape
    if shape.id is not None:
        known = [*known, ranks(rows.attribute((shape.id,)))]
    order = _sorted(known)
    if _changes([key[order] for key in known], len(order)).all():
        return order
    return _sorted(
        [*known, *(ranks(rows.attribute((name,))) for name in sorted(shape.schema.names))]
    )


def _by_partition(keys: Sequence[Int64], length: int) -> Int64:
    """Places in the total order by partition, without those that are in none."""
    inside = np.ones(length, dtype=bool)
    for key in keys:
        inside &= key >= 0
    place = np.flatnonzero(inside)
    return place[_sorted([*(key[place] for key in keys), place])]


def _sorted(keys: Sequence[npt.NDArray[Any]]) -> Int64:
    """The order of rows by several keys, the first of them above all."""
    return np.lexsort(list(keys)[::-1]).astype(np.int64)


def _changes(columns: Sequence[npt.NDArray[Any]], length: int) -> npt.NDArray[np.bool_]:
    """Where a value differs from the one before it; the first always does."""
    found = np.zeros(length, dtype=np.bool_)
    found[:1] = True
    for column in columns:
        found[1:] |= column[1:] != column[:-1]
    return found
