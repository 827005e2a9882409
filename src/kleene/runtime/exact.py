"""Sums that are exact, however long: added in limbs of 32 bits, of which 2^31 add up in a word."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kleene.errors import LimitError
from kleene.language.decimals import MOST_DIGITS, digits
from kleene.language.kinds import Kind, kind_of
from kleene.program.kinds import is_unsigned
from kleene.runtime.bindings import Flags, Positions
from kleene.runtime.numbers import ints
from kleene.runtime.segments import Segments

_BITS = 32
_MASK = 2**_BITS - 1
_LIMBS = 4
"""Those of a decimal of 128 bits."""
_WIDE = 10**MOST_DIGITS >> 64
"""Where the upper 64 bits are below this, there are no more digits than there may be."""
_LONG = "a sum has more than 38 digits"
_LATE = "a sum of durations is longer than 64 bits count in microseconds"


def exact_sums(segments: Segments, type_: pa.DataType) -> pa.Array:
    """The sum of each array, as a decimal of 38 digits or a duration; null where it has no value.

    >>> sums = exact_sums(
    ...     Segments(pa.array([2**62] * 4), np.array([0, 4, 4])), pa.decimal128(38, 0)
    ... )
    >>> sums.to_pylist()
    [Decimal('18446744073709551616'), None]
    """
    segments = segments.present()
    filled = segments.lengths > 0
    limbs = _limbs(segments.values)
    sums = np.zeros((len(filled), limbs.shape[1]), np.int64)
    if filled.any():
        sums[filled] = np.add.reduceat(limbs, segments.starts[filled], axis=0)
    words = _carried(sums)
    if pa.types.is_duration(type_):
        return pa.array(_in_64_bits(words), mask=~filled).cast(type_)
    _refuse_long(words)
    buffers = [pa.array(filled).buffers()[1], pa.py_buffer(words[:, :_LIMBS].astype(np.uint32))]
    return pa.Array.from_buffers(type_, len(filled), buffers)


def _limbs(values: pa.Array) -> Positions:
    """The limbs of each value from the lowest on; only the highest has a sign."""
    if kind_of(values.type) is not Kind.DECIMAL:
        if not is_unsigned(values.type):
            return _signed(ints(values).view(np.int32).reshape(-1, 2))
        values = values.cast(pa.decimal128(digits(values.type)[0], 0))
    type_ = values.type
    wide = pa.decimal256 if type_.bit_width > _LIMBS * _BITS or type_.scale < 0 else pa.decimal128
    values = values.cast(wide(*digits(type_)))
    count = values.type.bit_width // _BITS
    words = np.frombuffer(values.buffers()[1], np.int32) if len(values) else np.zeros(0, np.int32)
    return _signed(words[count * values.offset :][: count * len(values)].reshape(-1, count))


def _signed(words: npt.NDArray[np.int32]) -> Positions:
    limbs = words.astype(np.int64)
    limbs[:, :-1] &= _MASK
    return limbs


def _carried(sums: Positions) -> Positions:
    """Limbs that are within 32 bits, all without a sign; what is above them repeats the sign."""
    found = np.zeros((len(sums), max(sums.shape[1], _LIMBS) + 1), np.int64)
    carry = np.zeros(len(sums), np.int64)
    for place in range(found.shape[1]):
        value = carry + sums[:, place] if place < sums.shape[1] else carry
        found[:, place], carry = value & _MASK, value >> _BITS
    return found


def _in_64_bits(words: Positions) -> Positions:
    beyond = _is_beyond(words, 2)
    if beyond.any():
        raise LimitError(_LATE)
    return words[:, 0] | words[:, 1] << _BITS


def _refuse_long(words: Positions) -> None:
    """Refuse what has more digits than a decimal has."""
    if _is_beyond(words, _LIMBS).any():
        raise LimitError(_LONG)
    high = words[:, 2] | words[:, 3] << _BITS
    for row in np.flatnonzero((high >= _WIDE) | (high < -_WIDE)):
        exact = (int(high[row]) << 64) + (int(words[row, 1]) << _BITS) + int(words[row, 0])
        if abs(exact) >= 10**MOST_DIGITS:
            raise LimitError(_LONG)


def _is_beyond(words: Positions, limbs: int) -> Flags:
    """Whether so many limbs do not hold a number."""
    sign = np.where(words[:, limbs - 1] >> (_BITS - 1) == 1, _MASK, 0)
    found: Flags = (words[:, limbs:] != sign[:, None]).any(axis=1)
    return found
