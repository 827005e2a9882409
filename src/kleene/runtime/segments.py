"""Aggregates of many arrays at once, with the results of `logical.aggregates`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kleene.language.expressions import Type
from kleene.language.kinds import Kind, kind_of
from kleene.language.user_aggregates import UserAggregate
from kleene.logical.decide import aggregated as by_definition
from kleene.program.kinds import ColumnKind, is_unsigned, natural_kind
from kleene.runtime.bindings import Positions, reduced
from kleene.runtime.codes import ranks
from kleene.runtime.gather import indices
from kleene.runtime.numbers import floats, ints, nulls
from kleene.runtime.rows import stored

_HALF = 32
_LOW = 2**_HALF - 1
_LONG = 64
"""Elements up to which arrays are added side by side, one element of each at a time."""
_EXACT = 18
"""Digits that 64 bits hold, whatever they are."""


@dataclass(frozen=True)
class Segments:
    """Values in arrays, and where each array begins, and the end."""

    values: pa.Array
    offsets: Positions

    def present(self) -> Segments:
        """Without nulls."""
        if not self.values.null_count:
            return self
        valid = nulls(self.values) == 0
        ends = np.concatenate([[0], np.cumsum(valid)])[self.offsets]
        return Segments(self.values.drop_null(), ends)

    @property
    def starts(self) -> Positions:
        """Where each array begins."""
        return self.offsets[:-1]

    @property
    def lengths(self) -> Positions:
        """How many values each array has."""
        return np.diff(self.offsets)


def aggregated(
    name: str, segments: Segments, type_: Type, own: Mapping[str, UserAggregate]
) -> pa.Array:
    """The aggregate of that name of each array.

    >>> segments = Segments(pa.array([1, 2, None]), np.array([0, 2, 3]))
    >>> aggregated("sum", segments, pa.int64(), {}).to_pylist()
    [3, None]
    """
    how = _HOW.get(name)
    found = None if how is None else how(segments, type_)
    return _one_by_one(name, segments, type_, own) if found is None else found


def _one_by_one(
    name: str, segments: Segments, type_: Type, own: Mapping[str, UserAggregate]
) -> pa.Array:
    """What only Python can compute: the user's own, averages of decimals, very long numbers."""
    values, ends = segments.values.to_pylist(), segments.offsets.tolist()
    pairs = pairwise(ends)
    return stored([by_definition(name, values[start:end], own) for start, end in pairs], type_)


def _count(segments: Segments, _type: Type) -> pa.Array:
    return pa.array(segments.present().lengths)


def _first(segments: Segments, _type: Type) -> pa.Array:
    return segments.values.take(indices(np.where(segments.lengths > 0, segments.starts, -1)))


def _last(segments: Segments, _type: Type) -> pa.Array:
    ends = segments.offsets[1:] - 1
    return segments.values.take(indices(np.where(segments.lengths > 0, ends, -1)))


def _sum(segments: Segments, type_: Type) -> pa.Array | None:
    segments = segments.present()
    match kind_of(segments.values.type):
        case Kind.INTEGER if not is_unsigned(segments.values.type):
            return _whole_sum(segments)
        case Kind.DURATION:
            return _whole_sum(segments).cast(type_)
        case Kind.DECIMAL:
            return _decimal_sum(segments, type_)
        case Kind.FLOAT:
            return pa.array(_running(segments), mask=segments.lengths == 0)
        case _:
            return None


def _average(segments: Segments, _type: Type) -> pa.Array | None:
    segments = segments.present()
    if kind_of(segments.values.type) not in {Kind.INTEGER, Kind.FLOAT}:
        return None
    empty = segments.lengths == 0
    with np.errstate(all="ignore"):
        return pa.array(_running(segments) / np.where(empty, 1, segments.lengths), mask=empty)


def _minimum(segments: Segments, _type: Type) -> pa.Array:
    segments = segments.present()
    keys = _keys(segments.values)
    return _attaining(segments, keys, reduced(np.minimum, keys, segments.offsets, 0))


def _maximum(segments: Segments, _type: Type) -> pa.Array:
    segments = segments.present()
    keys = _keys(segments.values)
    return _attaining(segments, keys, reduced(np.maximum, keys, segments.offsets, 0))


def _attaining(segments: Segments, keys: Positions, best: Positions) -> pa.Array:
    """The first value of each array whose key is the best; null where there is none."""
    found = np.flatnonzero(keys == np.repeat(best, segments.lengths))
    place = np.searchsorted(found, segments.starts)
    filled = segments.lengths > 0
    first = np.full(len(best), -1, np.int64)
    first[filled] = found[place[filled]]
    return segments.values.take(indices(first))


def _keys(values: pa.Array) -> Positions:
    """Whole numbers in the order of values that are not null."""
    match natural_kind(values.type):
        case ColumnKind.INT:
            return ints(values)
        case ColumnKind.FLOAT:
            return _ordered(floats(values))
        case ColumnKind.CODE | ColumnKind.SCALED:
            return ranks(values)


def _ordered(numbers: npt.NDArray[np.float64]) -> Positions:
    """Floats as whole numbers in their order: NaN above all, -0.0 as 0.0."""
    bits = np.where(np.isnan(numbers), np.nan, numbers + 0.0).view(np.int64)
    return bits ^ ((bits >> 63) & np.iinfo(np.int64).max)


def _whole_sum(segments: Segments) -> pa.Array:
    """Added in two halves, so that only the total overflows; then it is null."""
    numbers, offsets = ints(segments.values), segments.offsets
    high = reduced(np.add, numbers >> _HALF, offsets, 0)
    low = reduced(np.add, numbers & _LOW, offsets, 0)
    high += low >> _HALF
    beyond = (high < -(2 ** (_HALF - 1))) | (high >= 2 ** (_HALF - 1))
    total = (np.where(beyond, 0, high) << _HALF) | (low & _LOW)
    return pa.array(total, mask=beyond | (segments.lengths == 0))


def _decimal_sum(segments: Segments, type_: Type) -> pa.Array | None:
    """Exact where 64 bits hold any such sum: a decimal is a whole number of its last places."""
    kind: Any = segments.values.type
    longest = int(segments.lengths.max(initial=0))
    if not pa.types.is_decimal128(kind) or kind.precision + len(str(longest)) > _EXACT:
        return None
    values = segments.values
    words = np.frombuffer(values.buffers()[1], np.int64)[2 * values.offset :: 2][: len(values)]
    total = reduced(np.add, words, segments.offsets, 0)
    whole = pa.array(total, mask=segments.lengths == 0).cast(pa.decimal128(38, 0))
    same = pa.decimal128(38, kind.scale)
    return pa.Array.from_buffers(same, len(whole), whole.buffers(), whole.null_count).cast(type_)


def _running(segments: Segments) -> npt.NDArray[np.float64]:
    """Each array added from left to right, for the result depends on it; 0 where it is empty."""
    numbers, lengths = floats(segments.values), segments.lengths
    found = np.zeros(len(lengths), np.float64)
    short = np.flatnonzero((lengths > 0) & (lengths <= _LONG))
    starts = segments.starts
    found[short] = numbers[starts[short]]
    with np.errstate(all="ignore"):
        for place in range(1, _LONG):
            short = short[lengths[short] > place]
            if not len(short):
                break
            found[short] += numbers[starts[short] + place]
        for long in np.flatnonzero(lengths > _LONG):
            part = numbers[segments.offsets[long] : segments.offsets[long + 1]]
            found[long] = np.add.accumulate(part)[-1]
    return found


_HOW: dict[str, Callable[[Segments, Type], pa.Array | None]] = {
    "count": _count,
    "sum": _sum,
    "avg": _average,
    "min": _minimum,
    "max": _maximum,
    "first": _first,
    "last": _last,
}
