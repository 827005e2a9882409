"""Families of types: what Kleene's rules speak of instead of Arrow's many widths and layouts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import pyarrow as pa

from kleene.errors import Span
from kleene.language.expressions import Expression, Type


class Kind(StrEnum):
    """A family of types whose members mix freely, save what the rules of `combine` refuse."""

    BOOLEAN = "boolean"
    INTEGER = "integer"
    DECIMAL = "decimal"
    FLOAT = "float"
    STRING = "string"
    BINARY = "binary"
    DATE = "date"
    TIMESTAMP = "timestamp"
    DURATION = "duration"
    TIME = "time"
    LIST = "list"
    MAP = "map"
    STRUCT = "struct"
    NULL = "null"
    OTHER = "other"
    UNKNOWN = "unknown"


NUMBERS = frozenset({Kind.INTEGER, Kind.DECIMAL, Kind.FLOAT})
MOMENTS = frozenset({Kind.DATE, Kind.TIMESTAMP})
_INCOMPARABLE = frozenset({Kind.MAP, Kind.OTHER})
UNORDERED = frozenset({Kind.LIST, Kind.MAP, Kind.STRUCT, Kind.OTHER})
ANYTHING = frozenset({Kind.NULL, Kind.UNKNOWN})
"""Kinds that go with every other: NULL, and what only Spark can tell."""

_TESTS: tuple[tuple[Kind, tuple[Callable[[pa.DataType], bool], ...]], ...] = (
    (Kind.NULL, (pa.types.is_null,)),
    (Kind.BOOLEAN, (pa.types.is_boolean,)),
    (Kind.INTEGER, (pa.types.is_integer,)),
    (Kind.DECIMAL, (pa.types.is_decimal,)),
    (Kind.FLOAT, (pa.types.is_floating,)),
    (Kind.STRING, (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)),
    (
        Kind.BINARY,
        (
            pa.types.is_binary,
            pa.types.is_large_binary,
            pa.types.is_binary_view,
            pa.types.is_fixed_size_binary,
        ),
    ),
    (Kind.DATE, (pa.types.is_date,)),
    (Kind.TIMESTAMP, (pa.types.is_timestamp,)),
    (Kind.DURATION, (pa.types.is_duration,)),
    (Kind.TIME, (pa.types.is_time,)),
    (Kind.MAP, (pa.types.is_map,)),
    (
        Kind.LIST,
        (
            pa.types.is_list,
            pa.types.is_large_list,
            pa.types.is_fixed_size_list,
            pa.types.is_list_view,
            pa.types.is_large_list_view,
        ),
    ),
    (Kind.STRUCT, (pa.types.is_struct,)),
)

_WORDS = {
    Kind.BOOLEAN: "a boolean",
    Kind.INTEGER: "a number",
    Kind.DECIMAL: "a number",
    Kind.FLOAT: "a number",
    Kind.STRING: "a string",
    Kind.BINARY: "a binary string",
    Kind.DATE: "a date",
    Kind.TIMESTAMP: "a timestamp",
    Kind.DURATION: "a duration",
    Kind.TIME: "a time of day",
    Kind.LIST: "an array",
    Kind.MAP: "a map",
    Kind.STRUCT: "a struct",
    Kind.NULL: "NULL",
    Kind.UNKNOWN: "a value that only Spark knows",
}


def plain(type_: Type) -> Any:
    """The type of the values themselves, whatever way a column encodes them; None stays None.

    What else such a type tells (`tz`, `value_type`, `scale`, …) depends on its kind.
    """
    inner: Any = type_
    while inner is not None:
        if pa.types.is_dictionary(inner) or pa.types.is_run_end_encoded(inner):
            inner = inner.value_type
        elif isinstance(inner, pa.BaseExtensionType):
            inner = inner.storage_type
        else:
            break
    return inner


def zone_of(type_: Type) -> str | None:
    """The zone of a timestamp; None for what has none."""
    zone: str | None = getattr(plain(type_), "tz", None)
    return zone


def kind_of(type_: Type) -> Kind:
    """The family that a type belongs to."""
    if type_ is None:
        return Kind.UNKNOWN
    values = plain(type_)
    for kind, tests in _TESTS:
        if any(test(values) for test in tests):
            return kind
    return Kind.OTHER


@dataclass(frozen=True, slots=True)
class Typed:
    """An expression with its type."""

    node: Expression
    type: Type

    @property
    def kind(self) -> Kind:
        return kind_of(self.type)

    @property
    def span(self) -> Span:
        return self.node.span


def describe(type_: Type) -> str:
    """The type in the words of a message.

    >>> describe(pa.int16()), describe(pa.list_(pa.string())), describe(pa.time64("us"))
    ('a number', 'an array', 'a time of day')
    """
    return _WORDS.get(kind_of(type_)) or f"a value of type {type_}"


def comparable(left: Type, right: Type) -> bool:
    """Whether `=` makes sense: numbers with numbers, dates with timestamps, else like with like.

    Below the surface of arrays and structs kinds must agree exactly, for there nothing is cast.
    Maps have no order of entries, so Spark does not compare them, nor what contains them. Nor does
    Kleene compare months with days, or whatever else Arrow has.
    """
    kinds = {kind_of(left), kind_of(right)}
    if kinds & _INCOMPARABLE:
        return False
    if kinds & ANYTHING or kinds <= NUMBERS or kinds <= MOMENTS:
        return True
    return _same(left, right)


def _same(left: Type, right: Type) -> bool:
    """Whether two types have the same values, but for widths."""
    kind, left, right = kind_of(left), plain(left), plain(right)
    if kind is not kind_of(right) or kind in _INCOMPARABLE:
        return False
    match kind:
        case Kind.LIST:
            return _same(left.value_type, right.value_type)
        case Kind.STRUCT:
            names = [field.name for field in left] == [field.name for field in right]
            return names and all(_same(x.type, y.type) for x, y in zip(left, right, strict=True))
        case _:
            return True


def ordered(type_: Type) -> bool:
    """Whether `<` makes sense."""
    return kind_of(type_) not in UNORDERED
