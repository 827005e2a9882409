"""The functions of `language.functions`, as functions of Python values.

Where Spark in its ANSI mode would raise an error there is null; otherwise results are Spark's.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from kleene.logical.ordering import compare, equal
from kleene.logical.scalars_number import NUMERIC, is_nan
from kleene.logical.scalars_text import TEXTS, concat_ws, locate
from kleene.logical.scalars_time import CALENDAR

Scalar = Callable[..., object]


def strict(function: Scalar) -> Scalar:
    """The function that is null where one of its arguments is."""

    @wraps(function)
    def guarded(*arguments: object) -> object:
        absent = any(argument is None for argument in arguments)
        return None if absent else function(*arguments)

    return guarded


def coalesce(*values: object) -> object:
    return next((value for value in values if value is not None), None)


def choose(condition: object, then: object, otherwise: object) -> object:
    """`if`: a null condition is not met."""
    return then if condition is True else otherwise


def nvl2(value: object, then: object, otherwise: object) -> object:
    return otherwise if value is None else then


def nullif(value: object, other: object) -> object:
    return None if equal(value, other) else value


def extreme(*values: object, sign: int) -> object:
    """For greatest (sign 1) and least (sign -1), which pass over nulls."""
    best = None
    for value in values:
        if value is not None and (best is None or compare(value, best) * sign > 0):
            best = value
    return best


def array_contains(array: list[object], value: object) -> bool | None:
    """As `value IN (elements)`: null where only a null might have been it."""
    found = [equal(item, value) for item in array]
    return True if True in found else None if None in found else False


def element_at(collection: Any, key: object) -> object:
    """An element of an array, counted from 1 or from the end with -1, or the value of a key."""
    if not _is_array(collection):
        return _value_of(collection, key)
    if not isinstance(key, int) or key == 0:
        return None
    return _item(collection, key - 1 if key > 0 else len(collection) + key)


def subscript(collection: Any, key: object) -> object:
    """`x[key]`: an element of an array, counted from 0, or the value of a key; null for none."""
    if _is_array(collection) and isinstance(key, int):
        return _item(collection, key)
    return _value_of(collection, key)


def _is_array(collection: Any) -> bool:
    """Arrow hands out maps as lists of pairs, or as dicts; an empty one has no element anyway."""
    return isinstance(collection, list) and not isinstance(next(iter(collection), None), tuple)


def _item(array: list[object], place: int) -> object:
    return array[place] if 0 <= place < len(array) else None


def _value_of(pairs: Any, key: object) -> object:
    for known, value in pairs.items() if isinstance(pairs, dict) else pairs:
        if equal(known, key):
            return value
    return None


_NULL_AWARE: dict[str, Scalar] = {
    "coalesce": coalesce,
    "ifnull": coalesce,
    "nvl": coalesce,
    "nvl2": nvl2,
    "if": choose,
    "nullif": nullif,
    "greatest": partial(extreme, sign=1),
    "least": partial(extreme, sign=-1),
    "isnull": lambda value: value is None,
    "isnotnull": lambda value: value is not None,
    "isnan": is_nan,
    "concat_ws": concat_ws,
    "locate": locate,
    "position": locate,
}

_COLLECTIONS: dict[str, Scalar] = {
    "size": len,
    "cardinality": len,
    "array_contains": array_contains,
    "element_at": element_at,
    "reverse": lambda value: value[::-1],
}

SCALARS: dict[str, Scalar] = _NULL_AWARE | {
    name: strict(function)
    for table in (NUMERIC, TEXTS, CALENDAR, _COLLECTIONS)
    for name, function in table.items()
}
"""Every function of `language.functions.FUNCTIONS` that is not a cast, by its name."""
