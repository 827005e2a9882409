"""Aggregates over the values of a variable, in the order in which its elements are listed.

As in Spark: `first` and `last` take nulls as they come, the others skip them; of no values `count`
is 0 and the others are null. Floats are added from left to right, for their sum depends on it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from functools import reduce

from kleene.language.decimals import MOST_DIGITS
from kleene.logical.arithmetic import EXACT, calculate, in_64_bits
from kleene.logical.moments import MICROSECOND, duration_of
from kleene.logical.ordering import sort_key

_AVERAGE_PLACES = 4
"""Places that an average of decimals has more than they."""


def aggregate_values(name: str, values: Sequence[object]) -> object:
    """The aggregate of that name over the values, nulls among them.

    >>> aggregate_values("sum", [1, None, 2]), aggregate_values("max", [])
    (3, None)
    """
    if name in _OVER_ALL:
        return _OVER_ALL[name](values)
    present = [value for value in values if value is not None]
    return _OVER_PRESENT[name](present) if present else None


def _count(values: Sequence[object]) -> int:
    return sum(value is not None for value in values)


def _first(values: Sequence[object]) -> object:
    return values[0] if values else None


def _last(values: Sequence[object]) -> object:
    return values[-1] if values else None


def _minimum(values: Sequence[object]) -> object:
    return min(values, key=sort_key)


def _maximum(values: Sequence[object]) -> object:
    return max(values, key=sort_key)


def _sum(values: Sequence[object]) -> object:
    """Null where the total, not a part of it, is beyond 64 bits or 38 digits."""
    match values[0]:
        case int():
            return in_64_bits(sum(_wholes(values)))
        case Decimal():
            return _in_digits(reduce(EXACT.add, _decimals(values)))
        case dt.timedelta():
            return duration_of(sum(_lengths(values)))
        case _:
            return reduce(lambda total, value: calculate("+", total, value), values)


def _average(values: Sequence[object]) -> object:
    """Whole numbers are added as floats; decimals and durations are rounded half up."""
    count = len(values)
    match values[0]:
        case Decimal():
            exact = _decimals(values)
            places = max(-int(value.as_tuple().exponent) for value in exact) + _AVERAGE_PLACES
            mean = EXACT.divide(reduce(EXACT.add, exact), Decimal(count))
            unit = Decimal(1).scaleb(-min(places, MOST_DIGITS))
            return _in_digits(mean.quantize(unit, ROUND_HALF_UP, EXACT))
        case dt.timedelta():
            mean = EXACT.divide(Decimal(sum(_lengths(values))), Decimal(count))
            return duration_of(int(mean.to_integral_value(ROUND_HALF_UP)))
        case _:
            floats = [float(value) for value in values if isinstance(value, int | float)]
            return reduce(float.__add__, floats) / count


def _in_digits(value: Decimal) -> Decimal | None:
    return value if len(value.as_tuple().digits) <= MOST_DIGITS else None


def _wholes(values: Sequence[object]) -> list[int]:
    return [value for value in values if isinstance(value, int)]


def _decimals(values: Sequence[object]) -> list[Decimal]:
    return [value for value in values if isinstance(value, Decimal)]


def _lengths(values: Sequence[object]) -> list[int]:
    return [value // MICROSECOND for value in values if isinstance(value, dt.timedelta)]


_OVER_ALL: dict[str, Callable[[Sequence[object]], object]] = {
    "count": _count,
    "first": _first,
    "last": _last,
}
_OVER_PRESENT: dict[str, Callable[[Sequence[object]], object]] = {
    "sum": _sum,
    "avg": _average,
    "min": _minimum,
    "max": _maximum,
}
