"""What generated code calls: arithmetic of whole numbers that never wraps, the order of floats.

Every function runs as plain Python and, once it is `compilable`, within code that Numba compiles.
So each takes and gives numbers alone, gives a number for whatever it is given (generated code
computes values that are null, and does not look at them), and never lets an operation overflow:
Numba would wrap where Python would not. What has no result has a second function that says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable

MAX = 2**63 - 1
MIN = -(2**63)
DAY = 86_400_000_000
_BOUND = 2.0**63
_SAFE = 2.0**62
_ALL_WHOLE = 2.0**52
"""Every float from here on is a whole number."""
_MOST_DAYS = 4_000_000
"""More days than there are from the year 1 to 9999, and few enough to be counted in 64 bits."""
_LOW = 2**32 - 1


def ask(asking: Callable[[int, tuple[int, ...]], int], number: int, words: tuple[int, ...]) -> int:
    """What a question comes to (`questions`); in machine code `assemble` calls what is asked."""
    return asking(number, words)


def add(a: int, b: int) -> int:
    return 0 if add_overflows(a, b) else a + b


def add_overflows(a: int, b: int) -> bool:
    return a > MAX - b if b > 0 else a < MIN - b


def subtract(a: int, b: int) -> int:
    return 0 if subtract_overflows(a, b) else a - b


def subtract_overflows(a: int, b: int) -> bool:
    return a < MIN + b if b > 0 else a > MAX + b


def multiply(a: int, b: int) -> int:
    return 0 if multiply_overflows(a, b) else a * b


def multiply_overflows(a: int, b: int) -> bool:
    """As floats two numbers tell at once unless they are close to the bound."""
    if abs(float(a) * float(b)) < _SAFE:
        return False
    if a > 0:
        return b > MAX // a if b > 0 else b < (MIN + (a - 1)) // a
    return a < (MIN + (b - 1)) // b if b > 0 else b < -((-MAX) // a)


def negative(a: int) -> int:
    return 0 if a == MIN else -a


def absolute(a: int) -> int:
    return negative(a) if a < 0 else a


def divide(a: int, b: int) -> int:
    """`div`: towards zero."""
    if b == 0:
        return 0
    if b == -1:
        return negative(a)
    quotient = a // b
    return quotient + 1 if quotient < 0 and a % b != 0 else quotient


def divide_fails(a: int, b: int) -> bool:
    return b == 0 or (b == -1 and a == MIN)


def remainder(a: int, b: int) -> int:
    """With the sign of the dividend."""
    if b in (0, -1):
        return 0
    rest = a % b
    return rest - b if rest != 0 and (rest < 0) != (a < 0) else rest


def divide_half_up(a: int, b: int) -> int:
    """Rounded half away from zero, as durations are."""
    if divide_fails(a, b):
        return 0
    quotient, rest = divide(a, b), remainder(a, b)
    # half or more of b, without doubling what may be as large as b; both as negative numbers
    rest, size = (rest if rest < 0 else -rest), (b if b < 0 else -b)
    if rest <= size - rest:
        return quotient + 1 if (a < 0) == (b < 0) else quotient - 1
    return quotient


def order_raised(a: int, factor: int, b: int) -> int:
    """-1, 0 or 1: how `a * factor` compares with b."""
    if multiply_overflows(a, factor):
        return 1 if a > 0 else -1
    if a * factor == b:
        return 0
    return 1 if a * factor > b else -1


def quotient(a: int, b: int, places: int) -> int:
    """`a * 10^places / b`, rounded half away from zero; MIN where 64 bits do not hold it."""
    if b == 0:
        return 0
    if MIN in (a, b):
        return MIN
    size, divisor = abs(a), abs(b)
    found, rest = size // divisor, size % divisor
    for _ in range(places):
        if rest > MAX // 10 or found > MAX // 10 - 1:
            return MIN
        rest *= 10
        found = found * 10 + rest // divisor
        rest %= divisor
    if rest >= divisor - rest:
        found += 1
    return found if (a < 0) == (b < 0) else -found


def quotient_fails(a: int, b: int, places: int) -> bool:
    return quotient(a, b, places) == MIN


def whole_below(a: int, unit: int) -> int:
    return a // unit


def whole_above(a: int, unit: int) -> int:
    return a // unit + (1 if a % unit != 0 else 0)


def float_equal(x: float, y: float) -> bool:
    """NaN is equal to itself."""
    return x == y or (x != x and y != y)  # noqa: PLR0124 - NaN


def float_less(x: float, y: float) -> bool:
    """NaN is greater than every number."""
    return x < y or (x == x and y != y)  # noqa: PLR0124 - NaN


def float_divide(x: float, y: float) -> float:
    return 0.0 if y == 0.0 else x / y


def float_remainder(x: float, y: float) -> float:
    """With the sign of the dividend; NaN of what is infinite.

    Of positive numbers `%` is `math.fmod`, which Numba has not.
    """
    if y == 0.0:
        return 0.0
    if math.isinf(x) or math.isnan(x) or math.isnan(y):
        return math.nan
    return math.copysign(abs(x) % abs(y), x)


def sign(x: float) -> float:
    return math.copysign(1.0, x) if x < 0.0 or x > 0.0 else x


def square_root(x: float) -> float:
    return math.nan if x < 0.0 else math.sqrt(x)


def floor(x: float) -> int:
    """NaN gives 0, as in Java."""
    return math.floor(x) if -_BOUND <= x < _BOUND else 0


def ceiling(x: float) -> int:
    """NaN gives 0, as in Java."""
    return math.ceil(x) if -_BOUND <= x < _BOUND else 0


def too_large(x: float) -> bool:
    """Whether a number is beyond 64 bits; NaN is not."""
    return x < -_BOUND or x >= _BOUND


def round_half_up(x: float) -> int:
    """To the nearest whole number, halves away from zero."""
    size = abs(x)
    if size >= _ALL_WHOLE or math.isnan(x):
        return floor(x)
    nearest = math.floor(size)
    if size - nearest >= 0.5:  # noqa: PLR2004 - a half
        nearest += 1
    return -nearest if x < 0.0 else nearest


def no_length(x: float) -> bool:
    """Whether no duration has that many microseconds."""
    return not -_BOUND <= x < _BOUND


def outside(moment: int, low: int, high: int) -> bool:
    """Whether a moment, or the sum that is one, is beyond the years that there are."""
    return moment < low or moment > high


def move_days(moment: int, days: int) -> int:
    """A date some days later."""
    return 0 if too_many_days(days) else add(moment, days * DAY)


def too_many_days(days: int) -> bool:
    return days > _MOST_DAYS or days < -_MOST_DAYS


def larger(a: int, a_null: bool, b: int, b_null: bool) -> int:  # noqa: FBT001 - generated calls
    """The greater of what is not null; the first if they are equal."""
    return b if not b_null and (a_null or b > a) else a


def smaller(a: int, a_null: bool, b: int, b_null: bool) -> int:  # noqa: FBT001 - generated calls
    """The lesser of what is not null; the first if they are equal."""
    return b if not b_null and (a_null or b < a) else a


def float_larger(x: float, x_null: bool, y: float, y_null: bool) -> float:  # noqa: FBT001 - as above
    return y if not y_null and (x_null or float_less(x, y)) else x


def float_smaller(x: float, x_null: bool, y: float, y_null: bool) -> float:  # noqa: FBT001 - as above
    return y if not y_null and (x_null or float_less(y, x)) else x


def total(high: int, low: int) -> int:
    """A sum that was kept in two parts: high * 2^32 + low."""
    return 0 if total_overflows(high, low) else ((high + (low >> 32)) << 32) | (low & _LOW)


def total_overflows(high: int, low: int) -> bool:
    top = high + (low >> 32)
    return top < -(2**31) or top >= 2**31


def mean(high: int, low: int, count: int) -> int:
    """A sum in two parts, divided and rounded half away from zero."""
    if count == 0:
        return 0
    top, bottom = high + (low >> 32), low & _LOW
    rest = ((top % count) << 32) + bottom
    quotient = ((top // count) << 32) + rest // count
    rest %= count
    up = 2 * rest >= count if top >= 0 else 2 * rest > count
    return quotient + 1 if up else quotient


FUNCTIONS = (
    *(add, add_overflows, subtract, subtract_overflows, multiply, multiply_overflows),
    *(negative, absolute, divide, divide_fails, remainder, divide_half_up),
    *(order_raised, quotient, quotient_fails, whole_below, whole_above),
    *(float_equal, float_less, float_divide, float_remainder, sign, square_root),
    *(floor, ceiling, too_large, round_half_up, no_length, outside, move_days, too_many_days),
    *(larger, smaller, float_larger, float_smaller, total, total_overflows, mean),
)
"""All that generated code may call."""

NAMES: dict[str, object] = {function.__name__: function for function in FUNCTIONS} | {
    "ask": ask,
    "NAN": math.nan,
    "INFINITY": math.inf,
}
"""The names that generated code takes from here: the globals it is to be executed with."""
