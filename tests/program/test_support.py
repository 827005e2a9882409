"""What generated code calls computes what `logical` computes, in plain Python and compiled."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR
from functools import cache
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleene.logical.aggregates import aggregate_values
from kleene.logical.arithmetic import calculate
from kleene.logical.moments import MICROSECOND
from kleene.logical.ordering import compare
from kleene.logical.scalars_number import absolute, negative, sign, square_root, whole
from kleene.program import support
from support.written import compiled

LEAST, MOST = -(2**63), 2**63 - 1
EDGES = (
    0,
    1,
    -1,
    2,
    -2,
    3,
    -3,
    7,
    2**31,
    -(2**31),
    2**32,
    MOST,
    MOST - 1,
    LEAST,
    LEAST + 1,
    MOST // 2,
)
FLOATS = (
    *(0.0, -0.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0.49999999999999994, -0.49999999999999994),
    *(1e-300, -1e300, 2.0**52 + 1, 2.0**63, -(2.0**63), math.inf, -math.inf, math.nan),
)
WHOLES = st.integers(LEAST, MOST) | st.sampled_from(EDGES) | st.integers(-100, 100)
NUMBERS = st.floats() | st.sampled_from(FLOATS)


def ways(function: Callable[..., Any]) -> list[Callable[..., Any]]:
    """A function of `support` as it is, and compiled."""
    return [function, _compiled(function)]


_compiled = cache(compiled)


def agree(
    expected: object, function: Callable[..., Any], fails: Callable[..., Any] | None, *values: Any
) -> None:
    """The function gives the value, and the other one says where there is none."""
    for way in ways(function):
        found = way(*values)
        assert expected is None or repr(found) == repr(expected), (function, values)
    for way in ways(fails) if fails is not None else ():
        assert way(*values) is (expected is None), (fails, values)


OPERATORS = {
    "+": (support.add, support.add_overflows),
    "-": (support.subtract, support.subtract_overflows),
    "*": (support.multiply, support.multiply_overflows),
    "div": (support.divide, support.divide_fails),
}


def check_wholes(a: int, b: int) -> None:
    for operator, (function, fails) in OPERATORS.items():
        agree(calculate(operator, a, b), function, fails, a, b)
    agree(calculate("%", a, b), support.remainder, None, a, b)
    length = calculate("/", a * MICROSECOND, b)
    expected = length // MICROSECOND if isinstance(length, dt.timedelta) else None
    agree(expected, support.divide_half_up, support.divide_fails, a, b)
    agree(absolute(a), support.absolute, None, a)
    agree(negative(a), support.negative, None, a)


def check_floats(x: float, y: float) -> None:
    agree(compare(x, y) == 0, support.float_equal, None, x, y)
    agree(compare(x, y) < 0, support.float_less, None, x, y)
    agree(calculate("/", x, y), support.float_divide, None, x, y)
    agree(calculate("%", x, y), support.float_remainder, None, x, y)
    agree(sign(x), support.sign, None, x)
    agree(square_root(x), support.square_root, None, x)
    agree(whole(x, rounding=ROUND_FLOOR), support.floor, support.too_large, x)
    agree(whole(x, rounding=ROUND_CEILING), support.ceiling, support.too_large, x)
    scaled = calculate("*", MICROSECOND, x)
    expected = scaled // MICROSECOND if isinstance(scaled, dt.timedelta) else None
    agree(expected, support.round_half_up, support.no_length, x)


@pytest.mark.parametrize("a", EDGES)
def test_wholes_at_the_edges(a: int) -> None:
    for b in EDGES:
        check_wholes(a, b)


@given(WHOLES, WHOLES)
def test_wholes(a: int, b: int) -> None:
    check_wholes(a, b)


def test_floats_at_the_edges() -> None:
    for x, y in product(FLOATS, FLOATS):
        check_floats(x, y)


@given(NUMBERS, NUMBERS)
def test_floats(x: float, y: float) -> None:
    check_floats(x, y)


@given(st.lists(WHOLES, min_size=1, max_size=9))
def test_sums_in_two_parts(values: list[int]) -> None:
    high, low = sum(v >> 32 for v in values), sum(v & 0xFFFFFFFF for v in values)
    agree(aggregate_values("sum", values), support.total, support.total_overflows, high, low)
    mean = aggregate_values("avg", [v * MICROSECOND for v in values])
    assert isinstance(mean, dt.timedelta)
    agree(mean // MICROSECOND, support.mean, None, high, low, len(values))


@given(WHOLES)
def test_days(days: int) -> None:
    day = dt.date(2024, 2, 29)
    low, high, start = (calendar(found) for found in (dt.date.min, dt.date.max, day))
    expected = calculate("+", day, days)
    for move, many in zip(ways(support.move_days), ways(support.too_many_days), strict=True):
        moved = move(start, days)
        null = many(days) or support.outside(moved, low, high)
        assert null is (expected is None)
        assert null or (isinstance(expected, dt.date) and moved == calendar(expected))


def calendar(day: dt.date) -> int:
    return (day - dt.date(1970, 1, 1)).days * support.DAY


def test_the_greater_and_the_lesser_pass_over_nulls() -> None:
    assert support.larger(1, False, 2, False) == 2  # noqa: FBT003 - as generated code calls it
    assert support.larger(1, False, 2, True) == 1  # noqa: FBT003
    assert support.smaller(1, True, 2, False) == 2  # noqa: FBT003
    assert math.isnan(support.float_larger(1.0, False, math.nan, False))  # noqa: FBT003
    assert support.float_smaller(math.nan, False, 1.0, False) == 1.0  # noqa: FBT003
