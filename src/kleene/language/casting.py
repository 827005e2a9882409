"""The types that CAST knows, and which casts there are: those of Spark's ANSI mode."""

from __future__ import annotations

import re

import pyarrow as pa

from kleene.errors import NOWHERE, Span, TypeMismatchError, closest
from kleene.language.decimals import MOST_DIGITS
from kleene.language.expressions import Type
from kleene.language.kinds import (
    ANYTHING,
    MOMENTS,
    NUMBERS,
    UNORDERED,
    Kind,
    describe,
    kind_of,
    zone_of,
)

CAST_NAMES: dict[str, pa.DataType] = {
    "boolean": pa.bool_(),
    "tinyint": pa.int8(),
    "byte": pa.int8(),
    "smallint": pa.int16(),
    "short": pa.int16(),
    "int": pa.int32(),
    "integer": pa.int32(),
    "bigint": pa.int64(),
    "long": pa.int64(),
    "float": pa.float32(),
    "real": pa.float32(),
    "double": pa.float64(),
    "decimal": pa.decimal128(10, 0),
    "dec": pa.decimal128(10, 0),
    "numeric": pa.decimal128(10, 0),
    "string": pa.string(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ltz": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
}
"""Types by their name in Spark SQL, lower case; `timestamp` has a zone, `timestamp_ntz` none."""

_COMMON_NAMES = (
    "boolean",
    "int",
    "long",
    "double",
    "decimal(10, 2)",
    "string",
    "date",
    "timestamp",
)
_FOREIGN = {
    **dict.fromkeys(("text", "varchar", "char", "str", "nvarchar"), "string"),
    **dict.fromkeys(("number", "float64", "money"), "double"),
    **dict.fromkeys(("datetime", "timestamptz", "time"), "timestamp"),
    **dict.fromkeys(("int64", "unsigned"), "long"),
    "int32": "int",
    "bool": "boolean",
}

_DECIMAL = re.compile(
    r"(?:decimal|dec|numeric)\s*\(\s*(\d{1,9})\s*(?:,\s*(\d{1,9})\s*)?\)", re.ASCII
)

_SIMPLE = frozenset({Kind.BOOLEAN, Kind.STRING, *NUMBERS})
_SOURCES: dict[Kind, frozenset[Kind]] = {
    Kind.BOOLEAN: _SIMPLE,
    Kind.INTEGER: _SIMPLE,
    Kind.DECIMAL: _SIMPLE,
    Kind.FLOAT: _SIMPLE,
    Kind.STRING: _SIMPLE | MOMENTS | {Kind.BINARY},
    Kind.BINARY: frozenset({Kind.STRING, Kind.BINARY}),
    Kind.DATE: MOMENTS | {Kind.STRING},
    Kind.TIMESTAMP: MOMENTS | {Kind.STRING},
}


def cast_target(name: str, span: Span) -> pa.DataType:
    """The type that a name in CAST means.

    >>> from kleene.errors import NOWHERE
    >>> cast_target("Decimal(10, 2)", NOWHERE)
    Decimal128Type(decimal128(10, 2))
    """
    spelled = name.strip().lower()
    if spelled in CAST_NAMES:
        return CAST_NAMES[spelled]
    found = _DECIMAL.fullmatch(spelled)
    if found is None:
        place = span if "(" in name or span == NOWHERE else _before_bracket(name, span)
        raise TypeMismatchError(f"{name} is not a type that CAST knows", place, _type_hint(spelled))
    precision, scale = int(found[1]), int(found[2] or 0)
    if not 1 <= precision <= MOST_DIGITS or scale > precision:
        limit = f"decimal(p, s) has 1 to {MOST_DIGITS} digits, s of them behind the point"
        raise TypeMismatchError(f"there is no type {name}", span, limit)
    return pa.decimal128(precision, scale)


def _before_bracket(name: str, span: Span) -> Span:
    """The place of the type's name in `CAST(x AS name)`."""
    return Span(span.end - 1 - len(name), span.end - 1)


def _type_hint(spelled: str) -> str:
    """The type that another language calls by that name, or a name much like it, or all of them."""
    word = spelled.partition("(")[0].strip()
    meant = _FOREIGN.get(word) or closest(word, CAST_NAMES)
    return f"did you mean {meant}?" if meant else f"types are {', '.join(_COMMON_NAMES)}"


def cast_type(source: Type, target: pa.DataType, span: Span) -> pa.DataType:
    """The type of a cast; what has a zone keeps it, for a zone changes no instant.

    Numbers are seconds since 1970 where they become timestamps with a zone, and the other way.
    """
    kind, goal, zones = kind_of(source), kind_of(target), (zone_of(source), zone_of(target))
    if all(zones):
        return pa.timestamp("us", zones[0])
    seconds = {kind, goal} <= NUMBERS | {Kind.TIMESTAMP} and any(zones)
    if kind in ANYTHING or kind in _SOURCES[goal] or seconds:
        return target
    reason = f"{describe(source)} cannot be cast to {describe(target)}"
    raise TypeMismatchError(reason, span, _cast_hint(kind, goal))


def _cast_hint(kind: Kind, goal: Kind) -> str:
    if kind in UNORDERED:
        return "cast what it holds: one of its elements or fields"
    if {kind, goal} <= NUMBERS | MOMENTS:
        return "go by way of a timestamp: CAST(CAST(… AS timestamp) AS …)"
    targets = {name: kind_of(cast_target(name, NOWHERE)) for name in _COMMON_NAMES}
    known = [name for name, target in targets.items() if kind in _SOURCES[target]]
    return f"it can be cast to {', '.join(known)}" if known else "use it as it is, without CAST"
