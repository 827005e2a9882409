"""Casts of values. What cannot be cast is null, as by Spark's `try_cast`."""

from __future__ import annotations

import datetime as dt
import math
import re
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

import numpy as np
import pyarrow as pa

from kleene.language.expressions import Type
from kleene.language.instants import BLANKS, in_utc, parse_day, parse_timestamp
from kleene.language.kinds import Kind, kind_of, zone_of
from kleene.logical.arithmetic import EXACT
from kleene.logical.moments import at_midnight, micros, timestamp_at

_WHOLE = re.compile(r"([+-]?)0*(\d{1,19})", re.ASCII)
_FLOAT = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)[df]?", re.ASCII | re.IGNORECASE)
_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_INFINITE = re.compile(r"([+-]?)inf(?:inity)?", re.IGNORECASE)
_TRUE = frozenset({"t", "true", "y", "yes", "1"})
_FALSE = frozenset({"f", "false", "n", "no", "0"})
_SECOND = 1_000_000


def cast(value: object, source: Type, target: pa.DataType) -> object:
    """The value as one of type `target`; `source` tells how wide a float is that becomes text."""
    if value is None:
        return None
    match kind_of(target):
        case Kind.BOOLEAN:
            return _boolean(value)
        case Kind.INTEGER:
            return _whole(value, target.bit_width)
        case Kind.DECIMAL:
            return _decimal(value, target)
        case Kind.FLOAT:
            return _float(value, single=pa.types.is_float32(target))
        case Kind.STRING:
            return text_of(value, single=pa.types.is_float32(source))
        case Kind.BINARY:
            return value.encode() if isinstance(value, str) else value
        case Kind.DATE:
            return _date(value)
        case _:
            return _timestamp(value, zoned=zone_of(target) is not None)


def conform(value: object, type_: Type) -> object:
    """The value as an expression of this type carries it, where an operand was of another one.

    Decimals are rounded half up to the scale of the type, and null where they have more digits
    than it; whole numbers become decimals or floats, and dates their midnight.
    """
    match value, kind_of(type_):
        case bool(), _:
            return value
        case int() | Decimal(), Kind.FLOAT:
            return float(value)
        case int() | Decimal(), Kind.DECIMAL:
            return _fitted(Decimal(value), type_)
        case dt.date(), Kind.TIMESTAMP if not isinstance(value, dt.datetime):
            return _timestamp(value, zoned=zone_of(type_) is not None)
        case _:
            return value


def _fitted(value: Decimal, type_: pa.DataType) -> Decimal | None:
    """The value with the places of a decimal type, or null where it has too many digits."""
    if value and value.adjusted() >= type_.precision:
        return None
    unit = Decimal(1).scaleb(-type_.scale)
    rounded = value.quantize(unit, ROUND_HALF_UP, EXACT)
    return rounded if len(rounded.as_tuple().digits) <= type_.precision else None


def _boolean(value: object) -> bool | None:
    if isinstance(value, str):
        word = value.strip(BLANKS).lower()
        return True if word in _TRUE else False if word in _FALSE else None
    return value != 0


def _whole(value: object, bits: int) -> int | None:
    """Fractions are cut off, but a string must be a whole number; timestamps are seconds."""
    largest = 2 ** (bits - 1) - 1
    match value:
        case str():
            found = _WHOLE.fullmatch(value.strip(BLANKS))
            number = int(found[1] + found[2]) if found else None
        case dt.datetime():
            number = micros(value) // _SECOND
        case float() if not math.isfinite(value):
            number = None
        case float() if value == float(largest):
            number = largest  # 2^63 is the double next to the largest whole number of 64 bits
        case int() | float() | Decimal():
            number = int(value)
        case _:
            raise TypeError(f"not a number: {value!r}")
    return number if number is not None and -largest - 1 <= number <= largest else None


def _decimal(value: object, target: pa.DataType) -> Decimal | None:
    match value:
        case str():
            exact = _parse_decimal(value)
        case float():
            exact = Decimal(repr(value)) if math.isfinite(value) else None
        case dt.datetime():
            exact = EXACT.divide(Decimal(micros(value)), Decimal(_SECOND))
        case int() | Decimal():
            exact = Decimal(value)
        case _:
            raise TypeError(f"not a number: {value!r}")
    return None if exact is None else _fitted(exact, target)


def _parse_decimal(text: str) -> Decimal | None:
    text = text.strip(BLANKS)
    try:
        return Decimal(text) if _DECIMAL.fullmatch(text) else None
    except InvalidOperation:
        return None


def _float(value: object, *, single: bool) -> float | None:
    match value:
        case str():
            number = _parse_float(value.strip(BLANKS))
        case dt.datetime():
            number = micros(value) / _SECOND
        case int() | float() | Decimal():
            number = float(value)
        case _:
            raise TypeError(f"not a number: {value!r}")
    if number is None or not single:
        return number
    with np.errstate(over="ignore"):
        return float(np.float32(number))


def _parse_float(text: str) -> float | None:
    """A number, perhaps with Java's suffix d or f; infinity and NaN in words."""
    if text.lower() == "nan":
        return math.nan
    infinite = _INFINITE.fullmatch(text)
    if infinite:
        return -math.inf if infinite[1] == "-" else math.inf
    found = _FLOAT.fullmatch(text)
    return float(found[1]) if found else None


def _date(value: object) -> dt.date | None:
    match value:
        case str():
            return parse_day(value)
        case dt.datetime():
            return value.date()
        case dt.date():
            return value
        case _:
            raise TypeError(f"not a date: {value!r}")


def _timestamp(value: object, *, zoned: bool) -> dt.datetime | None:
    """With a zone: UTC unless the value has one. Without: what its clock shows."""
    match value:
        case str():
            point = parse_timestamp(value)
            if point is None:
                return None
            point = in_utc(point) if zoned else point
        case dt.date():
            point = at_midnight(value)
        case float():
            position = value * _SECOND
            return timestamp_at(int(position), dt.UTC) if math.isfinite(position) else None
        case int() | Decimal():
            return timestamp_at(int(EXACT.multiply(Decimal(value), Decimal(_SECOND))), dt.UTC)
        case _:
            raise TypeError(f"not a timestamp: {value!r}")
    if not zoned:
        return point.replace(tzinfo=None)
    return point if point.tzinfo else point.replace(tzinfo=dt.UTC)


def text_of(value: object, *, single: bool = False) -> str:
    """A value as Spark writes it: `true`, `1.0E10`, `2024-01-31 12:00:00.5`."""
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case bytes():
            return value.decode(errors="replace")
        case float():
            return _float_text(value, str(np.float32(value)) if single else repr(value))
        case Decimal():
            return f"{value:f}"
        case dt.datetime():
            clock = value.replace(tzinfo=None).isoformat(" ", "microseconds")
            return clock.rstrip("0").rstrip(".") if value.microsecond else clock[:-7]
        case _:
            return str(value)


def _float_text(value: float, shortest: str) -> str:
    """As Java writes a double: plain from 0.001 up to ten million, else with an exponent."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    exact = Decimal(shortest)
    if value == 0 or -3 <= exact.adjusted() < 7:  # noqa: PLR2004 - powers of ten
        plain = f"{exact:f}"
        return plain if "." in plain else f"{plain}.0"
    sign, digits, _ = exact.normalize(EXACT).as_tuple()
    first, *rest = map(str, digits)
    return f"{'-' if sign else ''}{first}.{''.join(rest) or '0'}E{exact.adjusted()}"
