"""One total order over the values of each type: of conditions, of sorting, of min and max.

Numbers by value, NaN equal to itself and above all others, -0.0 equal to 0.0; strings by code
points; binary strings by bytes; dates and timestamps by the instant; arrays and structs element by
element; nulls first. A struct is a dict, in the order of its fields. A map is what Arrow makes of
it, a list of pairs (tuples), compared as the sorted list of them.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from math import isnan
from typing import Any

from kleene.logical.moments import micros

SortKey = tuple[Any, ...]
"""What compares like the value that it was made of, among values of one type."""

_NULL: SortKey = (0,)


def sort_key(value: object) -> SortKey:
    """A key that orders values of one type as `compare` does, with null before all.

    >>> sorted([2.0, None, float("nan"), -1.0], key=sort_key)
    [None, -1.0, 2.0, nan]
    """
    return _NULL if value is None else (1, _payload(value))


def _payload(value: object) -> Any:
    match value:
        case bool() | str() | bytes() | dt.timedelta() | dt.time():
            return value
        case float():
            return (1, 0.0) if isnan(value) else (0, value)
        case int() | Decimal():
            return (0, value)
        case dt.date():
            return micros(value)
        case dict():
            return tuple(map(sort_key, value.values()))
        case list() if any(isinstance(entry, tuple) for entry in value):
            return tuple(sorted(tuple(map(sort_key, entry)) for entry in value))
        case list():
            return tuple(map(sort_key, value))
        case _:
            raise TypeError(f"values of {type(value)} have no order")


def compare(left: object, right: object) -> int:
    """-1, 0 or 1: total for values that are not null and whose types were found comparable.

    A float beside another number makes a float of it, as in Spark: 2^53 + 1 equals 2.0^53.

    >>> compare(1, 2.5), compare("b", "a"), compare(float("nan"), float("nan"))
    (-1, 1, 0)
    """
    if isinstance(left, float) and isinstance(right, int | Decimal):
        right = float(right)
    elif isinstance(right, float) and isinstance(left, int | Decimal):
        left = float(left)
    one, other = _payload(left), _payload(right)
    return int(one > other) - int(one < other)


def equal(left: object, right: object) -> bool | None:
    """SQL's equality: null where one side is."""
    return None if left is None or right is None else compare(left, right) == 0
