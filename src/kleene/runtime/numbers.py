"""Arrow arrays as numbers of a kernel; where there is a null there is a zero."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kleene.language.decimals import digits
from kleene.language.kinds import Kind, kind_of
from kleene.program.support import DAY

_EXACT_DIGITS = 15
"""Decimals of so many digits are exact as floats, and so are the powers of ten up to 10^22."""
_EXACT_PLACES = 22
_WORDS = 2
_DIGITS_OF_128 = 38


def nulls(array: pa.Array) -> npt.NDArray[np.uint8]:
    """1 where there is a null."""
    if not array.null_count:
        return np.zeros(len(array), np.uint8)
    return _numpy(pc.is_null(array)).astype(np.uint8)


def ints(array: pa.Array) -> npt.NDArray[np.int64]:
    """Whole numbers; booleans as 0 and 1; moments and durations in microseconds."""
    match kind_of(array.type):
        case Kind.NULL:
            return np.zeros(len(array), np.int64)
        case Kind.BOOLEAN:
            return _filled(array, False).astype(np.int64)  # noqa: FBT003 - a value
        case Kind.DATE:
            days = array.cast(pa.date32()).cast(pa.int32()).cast(pa.int64())
            return _filled(days) * DAY
        case Kind.TIMESTAMP:
            zone = array.type.tz
            return _filled(array.cast(pa.timestamp("us", zone), safe=False).cast(pa.int64()))
        case Kind.DURATION:
            return _filled(array.cast(pa.duration("us"), safe=False).cast(pa.int64()))
        case _:
            return _filled(array.cast(pa.int64()))


def scaled(array: pa.Array) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Decimals as counts of their smallest unit, and where 64 bits do not hold that count.

    >>> scaled(pa.array([Decimal("1.50"), None, Decimal("-0.07")]))[0].tolist()
    [150, 0, -7]
    """
    precision, places = digits(array.type)
    wide = pa.decimal128 if precision <= _DIGITS_OF_128 else pa.decimal256
    filled = array.cast(wide(precision, places))
    filled = filled.fill_null(pa.scalar(Decimal(0), filled.type))
    size = filled.type.bit_width // 64
    start, end = size * filled.offset, size * (filled.offset + len(filled))
    words = np.frombuffer(filled.buffers()[1], np.int64)[start:end].reshape(-1, size)
    lowest = words[:, 0]
    beyond = (words[:, 1:] != (lowest >> 63)[:, None]).any(axis=1)
    return np.where(beyond, 0, lowest), beyond


def floats(array: pa.Array) -> npt.NDArray[np.float64]:
    """Every number as the float next to it."""
    match kind_of(array.type):
        case Kind.FLOAT:
            return _filled(array.cast(pa.float64()), 0.0)
        case Kind.DECIMAL:
            return _of_decimals(array)
        case Kind.INTEGER:
            return _filled(array).astype(np.float64)
        case _:
            return ints(array).astype(np.float64)


def _of_decimals(array: pa.Array) -> npt.NDArray[np.float64]:
    """Arrow's own conversion is off by a digit at times; a division of exact numbers is not."""
    type_ = array.type
    if (
        type_.bit_width == _WORDS * 64
        and type_.precision <= _EXACT_DIGITS
        and 0 <= type_.scale <= _EXACT_PLACES
    ):
        filled = array.fill_null(pa.scalar(Decimal(0), type_))
        start, end = _WORDS * filled.offset, _WORDS * (filled.offset + len(filled))
        words = np.frombuffer(filled.buffers()[1], np.int64)[start:end:_WORDS]
        unit = np.float64(10.0**type_.scale)
        return words.astype(np.float64) / unit
    distinct = array.dictionary_encode()
    known = [float(value) for value in distinct.dictionary.to_pylist()]
    indices = _numpy(distinct.indices.fill_null(len(known)))
    return np.array([*known, 0.0], np.float64).take(indices)


def _filled(array: pa.Array, zero: object = 0) -> npt.NDArray[Any]:
    """The numbers of an array, not copied where there is no null."""
    return _numpy(array.fill_null(zero) if array.null_count else array)


def _numpy(array: pa.Array) -> npt.NDArray[Any]:
    found: npt.NDArray[Any] = array.to_numpy(zero_copy_only=False)
    return found
