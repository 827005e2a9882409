"""Operators on values. What has no result is null: a division by zero, an overflow of 64 bits.

An evaluation must not fail, for whether it happens at all depends on which candidates a plan
tries. So Kleene follows Spark's `try_add`, `try_divide` and so on, and not its ANSI errors.
Decimals are exact here; `casts.conform` brings them to the scale of their type.
"""

from __future__ import annotations

import datetime as dt
import math
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal, localcontext

from kleene.logical.moments import (
    LARGEST,
    MICROSECOND,
    at_midnight,
    date_moved,
    duration_of,
    micros,
    timestamp_at,
)

Number = int | float | Decimal

EXACT = Context(prec=200, rounding=ROUND_HALF_UP)
"""Digits enough that nothing is rounded but quotients, and those far beyond what a type keeps."""


def in_64_bits(number: int) -> int | None:
    """The number, or null where it overflows."""
    return number if -LARGEST - 1 <= number <= LARGEST else None


def calculate(operator: str, left: object, right: object) -> object:
    """`left operator right` for `+ - * / % div ||`."""
    match left, right:
        case (None, _) | (_, None):
            return None
        case str(), str():
            return left + right
        case int() | float() | Decimal(), int() | float() | Decimal():
            return calculate_numbers(operator, left, right)
        case dt.date(), dt.date():
            return duration_of(micros(left) - micros(right))
        case dt.date(), dt.timedelta() | int():
            return _moved(left, right if operator == "+" else -right)
        case dt.timedelta() | int(), dt.date():
            return _moved(right, left)
        case _:
            return _durations(operator, left, right)


def _moved(moment: dt.date, by: dt.timedelta | int) -> dt.date | None:
    """A date some days on; or, by a duration, a timestamp on the clock of the same zone."""
    if isinstance(by, int):
        return date_moved(moment, by)
    point = at_midnight(moment)
    return timestamp_at(micros(point) + by // MICROSECOND, point.tzinfo)


def _durations(operator: str, left: object, right: object) -> object:
    match operator, left, right:
        case "+", dt.timedelta(), dt.timedelta():
            return duration_of((left + right) // MICROSECOND)
        case "-", dt.timedelta(), dt.timedelta():
            return duration_of((left - right) // MICROSECOND)
        case "/", dt.timedelta(), dt.timedelta():
            return _floats("/", left // MICROSECOND, right // MICROSECOND)
        case "*" | "/", dt.timedelta(), int() | float() | Decimal():
            return _scaled(operator, left, right)
        case "*", int() | float() | Decimal(), dt.timedelta():
            return _scaled(operator, right, left)
        case _:
            raise TypeError(f"{operator} is not defined for {type(left)} and {type(right)}")


def _scaled(operator: str, duration: dt.timedelta, by: Number) -> dt.timedelta | None:
    """A duration times or over a number, rounded half away from zero to microseconds."""
    length = duration // MICROSECOND
    if isinstance(by, float):
        product = _floats(operator, length, by)
        if product is None or not math.isfinite(product):
            return None
        exact = Decimal(product)
    elif by == 0 and operator == "/":
        return None
    else:
        scale = EXACT.multiply if operator == "*" else EXACT.divide
        exact = scale(Decimal(length), Decimal(by))
    return duration_of(int(exact.to_integral_value(ROUND_HALF_UP)))


def calculate_numbers(operator: str, left: Number, right: Number) -> Number | None:
    """A float makes floats of both; else a decimal decimals; `/` of whole numbers is a float."""
    if isinstance(left, float) or isinstance(right, float):
        return _floats(operator, float(left), float(right))
    if isinstance(left, Decimal) or isinstance(right, Decimal):
        return _decimals(operator, Decimal(left), Decimal(right))
    if operator == "/":
        return _floats(operator, left, right)
    return _wholes(operator, left, right)


def _wholes(operator: str, left: int, right: int) -> int | None:
    match operator:
        case "+":
            return in_64_bits(left + right)
        case "-":
            return in_64_bits(left - right)
        case "*":
            return in_64_bits(left * right)
        case _ if right == 0:
            return None
        case "div":
            quotient = abs(left) // abs(right)
            return in_64_bits(quotient if (left < 0) == (right < 0) else -quotient)
        case _:
            size = abs(left) % abs(right)
            return -size if left < 0 else size


def _floats(operator: str, left: float, right: float) -> float | None:
    """IEEE arithmetic, save that nothing is divided by zero."""
    left, right = float(left), float(right)
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case _ if right == 0:
            return None
        case "/":
            return left / right
        case _:
            undefined = math.isinf(left) or math.isnan(left) or math.isnan(right)
            return math.nan if undefined else math.fmod(left, right)


def _decimals(operator: str, left: Decimal, right: Decimal) -> Number | None:
    with localcontext(EXACT):
        match operator:
            case "+":
                return left + right
            case "-":
                return left - right
            case "*":
                return left * right
            case _ if right == 0:
                return None
            case "/":
                return left / right
            case "div":
                return in_64_bits(int((left / right).to_integral_value(ROUND_DOWN)))
            case _:
                return left % right
