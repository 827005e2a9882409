"""Sums of any length are exact, or refused."""

from __future__ import annotations

import datetime as dt
from decimal import Context, Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleene.errors import LimitError
from kleene.runtime.exact import exact_sums
from kleene.runtime.segments import Segments

MOST = 10**38 - 1


def sums(values: pa.Array, lengths: list[int], type_: pa.DataType) -> list[object]:
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    found: list[object] = exact_sums(Segments(values, offsets), type_).to_pylist()
    return found


numbers = st.one_of(
    st.none(), st.integers(-(2**63), 2**63 - 1), st.sampled_from([2**63 - 1, -(2**63), 0, -1])
)


@given(st.lists(st.lists(numbers, max_size=5), max_size=5))
def test_whole_numbers(groups: list[list[int | None]]) -> None:
    values = pa.array([value for group in groups for value in group], pa.int64())
    expected = [sum(v for v in g if v is not None) if any_value(g) else None for g in groups]
    assert sums(values, [len(g) for g in groups], pa.decimal128(38, 0)) == expected


def any_value(group: list[int | None]) -> bool:
    return any(value is not None for value in group)


@given(st.lists(st.lists(st.integers(-(10**36), 10**36), max_size=5), max_size=5))
def test_decimals(groups: list[list[int]]) -> None:
    values = pa.array(
        [Decimal(value).scaleb(-2, Context(prec=50)) for group in groups for value in group],
        pa.decimal128(38, 2),
    )
    found = sums(values, [len(g) for g in groups], pa.decimal128(38, 2))
    expected = [Decimal(sum(g)).scaleb(-2, Context(prec=50)) if g else None for g in groups]
    assert found == expected


@pytest.mark.parametrize("width", [pa.uint8(), pa.uint64(), pa.int8(), pa.int32()])
def test_other_widths(width: pa.DataType) -> None:
    low = 0 if pa.types.is_unsigned_integer(width) else -(2 ** (width.bit_width - 1))
    high = low + 2**width.bit_width - 1
    values = pa.array([high, high, low, None, low, low], width)
    found = sums(values, [2, 2, 2], pa.decimal128(38, 0))
    assert found == [2 * high, low, 2 * low]


def test_decimals_of_other_widths() -> None:
    for type_ in (pa.decimal32(9, 2), pa.decimal64(18, 2), pa.decimal256(60, 2)):
        values = pa.array([Decimal("1.25"), Decimal("-3.50"), None], type_)
        assert sums(values, [2, 1], pa.decimal128(38, 2)) == [Decimal("-2.25"), None]


def test_a_slice_of_a_column() -> None:
    values = pa.array([Decimal(n) for n in range(6)], pa.decimal128(5, 0)).slice(3)
    assert sums(values, [3], pa.decimal128(38, 0)) == [12]


@pytest.mark.parametrize("sign", [1, -1])
def test_38_digits_and_no_more(sign: int) -> None:
    type_ = pa.decimal128(38, 0)
    most = Decimal(sign * MOST)
    assert sums(pa.array([most, Decimal(0)], type_), [2], type_) == [most]
    assert sums(pa.array([most, most, Decimal(-sign * MOST)], type_), [3], type_) == [most]
    for beyond in ([most, Decimal(sign)], [most] * 9, [most] * 900):
        with pytest.raises(LimitError, match="more than 38 digits"):
            sums(pa.array(beyond, type_), [len(beyond)], type_)


def test_durations() -> None:
    type_ = pa.duration("us")
    hours = pa.array([dt.timedelta(hours=1), dt.timedelta(hours=-3), None], type_)
    assert sums(hours, [2, 1], type_) == [dt.timedelta(hours=-2), None]
    longest = pa.array([2**63 - 1, 1], pa.int64()).cast(type_)
    with pytest.raises(LimitError, match="64 bits"):
        sums(longest, [2], type_)
