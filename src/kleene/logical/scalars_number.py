"""Functions on numbers. As in Spark a logarithm of what has none is null, a root of it NaN."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from functools import partial

from kleene.logical.arithmetic import EXACT, Number, calculate_numbers, in_64_bits

_ALL_DIGITS = Context(prec=800)
"""Enough for every digit of every float."""


def absolute(value: Number | dt.timedelta) -> object:
    if isinstance(value, int):
        return in_64_bits(abs(value))
    return value.copy_abs() if isinstance(value, Decimal) else abs(value)


def negative(value: Number | dt.timedelta) -> object:
    if isinstance(value, int):
        return in_64_bits(-value)
    return value.copy_negate() if isinstance(value, Decimal) else -value


def sign(value: Number) -> float:
    number = float(value)
    return math.copysign(1.0, number) if number and not math.isnan(number) else number


def whole(value: Number, *, rounding: str) -> Number | None:
    """For floor and ceil: NaN gives 0, as in Java; what 64 bits do not hold is null."""
    if isinstance(value, Decimal):
        return value.to_integral_value(rounding, EXACT)
    if isinstance(value, float):
        if math.isnan(value):
            return 0
        if math.isinf(value):
            return None
        value = math.floor(value) if rounding == ROUND_FLOOR else math.ceil(value)
    return in_64_bits(value)


def rounded(value: Number, places: int = 0, *, rounding: str) -> Number | None:
    """A float is rounded as the decimal that it is written as: 1.005 to 1.01."""
    if isinstance(value, float):
        if not math.isfinite(value):
            return value
        return float(_rounded(Decimal(repr(value)), places, rounding))
    exact = _rounded(Decimal(value), places, rounding)
    return exact if isinstance(value, Decimal) else in_64_bits(int(exact))


def _rounded(exact: Decimal, places: int, rounding: str) -> Decimal:
    if -places <= int(exact.as_tuple().exponent):
        return exact
    if exact.adjusted() + 1 < -places:
        return Decimal(0).copy_sign(exact)
    unit = Decimal(1).scaleb(-places, EXACT)
    return exact.quantize(unit, rounding, _ALL_DIGITS)


def square_root(value: Number) -> float:
    number = float(value)
    return math.nan if number < 0 else math.sqrt(number)


def exponential(value: Number) -> float:
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf


def logarithm(value: Number) -> float | None:
    number = float(value)
    return None if number <= 0 else math.log(number)


def logarithm_to(base: Number, value: Number) -> float | None:
    """To base 1 there is none but what IEEE's division by zero makes of it."""
    below, above = logarithm(base), logarithm(value)
    if below is None or above is None:
        return None
    if below == 0:
        return above * math.inf if above else math.nan
    return above / below


def log(first: Number, second: Number | None = None) -> float | None:
    return logarithm(first) if second is None else logarithm_to(first, second)


def common_logarithm(value: Number) -> float | None:
    number = float(value)
    return None if number <= 0 else math.log10(number)


def power(base: Number, exponent: Number) -> float:
    """As Java's `pow`: what is undefined is NaN, what is too large infinite."""
    x, y = float(base), float(exponent)
    if math.isnan(y) or (abs(x) == 1 and math.isinf(y)):
        return math.nan
    odd = math.isfinite(y) and y % 2 == 1
    try:
        return math.pow(x, y)
    except OverflowError:
        return -math.inf if x < 0 and odd else math.inf
    except ValueError:
        return math.nan if x else math.copysign(math.inf, x) if odd else math.inf


def remainder(left: Number, right: Number) -> Number | None:
    """The remainder with the sign of the dividend."""
    return calculate_numbers("%", left, right)


def positive_remainder(left: Number, right: Number) -> Number | None:
    """The remainder that is not negative, if the divisor is positive."""
    rest = remainder(left, right)
    if rest is None or not rest < 0:
        return rest
    raised = calculate_numbers("+", rest, right)
    return None if raised is None else remainder(raised, right)


def is_nan(value: Number | None) -> bool:
    return isinstance(value, float) and math.isnan(value)


NUMERIC: dict[str, Callable[..., object]] = {
    "abs": absolute,
    "sign": sign,
    "signum": sign,
    "sqrt": square_root,
    "exp": exponential,
    "ln": logarithm,
    "log": log,
    "log2": partial(logarithm_to, 2),
    "log10": common_logarithm,
    "pow": power,
    "power": power,
    "mod": remainder,
    "pmod": positive_remainder,
    "floor": partial(whole, rounding=ROUND_FLOOR),
    "ceil": partial(whole, rounding=ROUND_CEILING),
    "ceiling": partial(whole, rounding=ROUND_CEILING),
    "round": partial(rounded, rounding=ROUND_HALF_UP),
    "bround": partial(rounded, rounding=ROUND_HALF_EVEN),
}
