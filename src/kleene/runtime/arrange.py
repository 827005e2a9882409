"""Events as a kernel walks over them: the ones that may take part, sorted, with their columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pyarrow as pa

from kleene.errors import NOWHERE, InputError
from kleene.language.kinds import Kind, kind_of
from kleene.language.resolved import ResolvedQuery
from kleene.language.syntax import SkipMode, Strategy
from kleene.program.kernel import Kernel
from kleene.runtime.choose import Events, choose
from kleene.runtime.columns import NOTHING, Asked, Loaded, load
from kleene.runtime.numbers import floats, ints, scaled
from kleene.runtime.order import (
    Column,
    Flags,
    Int64,
    Numbers,
    Order,
    partition_codes,
    sorted_rows,
    total_order,
)
from kleene.runtime.rows import decoded


@dataclass(frozen=True)
class Arranged:
    """Sorted events, and what a kernel asks about each of them."""

    source: pa.Table
    rows: Int64
    """For each event its row in the source."""
    time: Numbers
    """Moments in microseconds."""
    rank: Int64
    """The place in the order: equal where events are tied, and greater in a later partition."""
    part: Int64
    """Where each partition begins, and the end."""
    place: Int64
    """The place in the total order of the whole input, if that makes neighbours."""
    candidates: dict[str, Int64]
    """For each variable the events that are of its type and meet its own conditions."""
    loaded: Loaded
    bad_rows: int


def arrange(table: pa.Table, kernels: Sequence[Kernel], threads: int = 1) -> list[Arranged]:
    """Choose and sort the events of a table for kernels that want them in the same order.

    Each gets the candidates of its own variables among the events that any of them looks at.
    """
    queries = [kernel.query.resolved for kernel in kernels]
    chosen = choose(table, kernels, threads)
    events, fits = chosen.events, chosen.fits
    place = np.zeros(0, np.int64)
    if queries[0].strategy is Strategy.STRICT:
        place = _places(events, table, queries)
    keys = [events.columns.attribute(path) for path in queries[0].partition_by]
    partitions = partition_codes(keys, len(events.rows))
    inside = partitions >= 0
    if not inside.all():
        events, partitions = events.where(inside), partitions[inside]
        fits = tuple({name: flags[inside] for name, flags in one.items()} for one in fits)
        place = place[inside] if len(place) else place
    time = clock(events.columns.attribute((queries[0].shape.time[0],)))
    order = sorted_rows(time, partitions, *_tie_breaks(events, table, queries))
    asked = [Asked(kernel.columns, kernel.reads) for kernel in kernels]
    first = Arranged(
        source=table,
        rows=order.of(events.rows),
        time=order.time,
        rank=order.rank,
        part=order.part,
        place=order.of(place) if len(place) else place,
        candidates={},
        loaded=NOTHING,
        bad_rows=chosen.bad_rows,
    )
    return [
        replace(first, candidates=_candidates(flags, order), loaded=loaded)
        for flags, loaded in zip(fits, load(events.columns, asked, order.of), strict=True)
    ]


def _candidates(fits: Mapping[str, Flags], order: Order) -> dict[str, Int64]:
    return {name: _places_of(flags, order) for name, flags in fits.items()}


def _places_of(flags: Flags, order: Order) -> Int64:
    """Where in an order the events are of which something is true."""
    if flags.all():
        return np.arange(len(flags), dtype=np.int64)
    return np.flatnonzero(order.of(flags))


def clock(column: pa.Array) -> Numbers:
    """Times as numbers; decimals are counts of their smallest unit."""
    match kind_of(column.type):
        case Kind.FLOAT:
            return floats(column)
        case Kind.DECIMAL:
            times, beyond = scaled(column)
            if beyond.any():
                raise _beyond(column.type, "cast them to decimal(18, 6), or to fewer digits still")
            return times
        case _:
            try:
                return ints(column)
            except pa.ArrowInvalid:
                raise _beyond(column.type, "count them from a later beginning") from None


def _beyond(type_: pa.DataType, hint: str) -> InputError:
    return InputError(f"a time of type {type_} is beyond 64 bits with a sign", NOWHERE, hint)


def _places(events: Events, table: pa.Table, queries: Sequence[ResolvedQuery]) -> Int64:
    """The place of each event in the total order of all, whatever their partition."""
    time = clock(events.columns.attribute((queries[0].shape.time[0],)))
    order = total_order(time, *_tie_breaks(events, table, queries))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return place


def _tie_breaks(
    events: Events, table: pa.Table, queries: Sequence[ResolvedQuery]
) -> tuple[list[Column], list[Column]]:
    """The columns that break ties of time, and those that break what is tied then."""
    shape = queries[0].shape
    identity = [shape.id] if shape.id is not None else []
    identity += sorted(shape.schema.names)

    def columns(names: Sequence[str]) -> list[Column]:
        return [partial(_values, events, table, name) for name in names]

    return columns(shape.order_by), columns(identity if any(map(_lists_events, queries)) else ())


def _values(events: Events, table: pa.Table, name: str, rows: Int64) -> pa.Array:
    return decoded(table.column(name).take(pa.array(events.rows[rows])))


def _lists_events(query: ResolvedQuery) -> bool:
    """Whether anything depends on the order of tied events: neighbours, lists, who is skipped."""
    skips = query.after_match is not None and query.after_match.mode is not SkipMode.NO_SKIP
    lists = any(variable.loops for variable in query.variables)
    return skips or lists or query.strategy is not Strategy.ANY
