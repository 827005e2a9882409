"""Precision and scale of decimals, as Spark derives them: what a result keeps, bit for bit."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa

from kleene.language.expressions import Expression, Literal, Negative, Type
from kleene.language.kinds import Kind, kind_of, plain

MOST_DIGITS = 38
_KEPT_PLACES = 6
"""Places behind the point that Spark keeps where a result would need more than 38 digits."""

_WHOLE_DIGITS = {8: 3, 16: 5, 32: 10, 64: 20}


def digits(type_: Type) -> tuple[int, int]:
    """Precision and scale of a number that is not a float; NULL has the smallest."""
    values = plain(type_)
    match kind_of(values):
        case Kind.DECIMAL:
            return values.precision - min(values.scale, 0), max(values.scale, 0)
        case Kind.INTEGER:
            return _WHOLE_DIGITS[values.bit_width], 0
        case _:
            return 1, 0


def operand_digits(node: Expression, type_: Type) -> tuple[int, int]:
    """As `digits`, but a whole number written in the query has only the digits it shows."""
    inner = node.operand if isinstance(node, Negative) else node
    if isinstance(inner, Literal) and isinstance(inner.value, int):
        return len(str(abs(inner.value))), 0
    return digits(type_)


def decimal_literal(value: Decimal) -> pa.DataType | None:
    """The smallest type that holds a constant, or None where 38 digits do not."""
    _, shown, exponent = value.as_tuple()
    scale = max(-int(exponent), 0)
    precision = max(len(shown) + max(int(exponent), 0), scale)
    return pa.decimal128(precision, scale) if precision <= MOST_DIGITS else None


def bounded(precision: int, scale: int) -> pa.DataType:
    """A type with no more digits than there are."""
    return pa.decimal128(min(precision, MOST_DIGITS), min(scale, MOST_DIGITS))


def arithmetic_decimal(operator: str, left: tuple[int, int], right: tuple[int, int]) -> pa.DataType:
    """The type of `left operator right` for `+ - * / %` on decimals."""
    (p1, s1), (p2, s2) = left, right
    scale = max(s1, s2)
    match operator:
        case "*":
            return _adjusted(p1 + p2 + 1, s1 + s2)
        case "/":
            scale = max(_KEPT_PLACES, s1 + p2 + 1)
            return _adjusted(p1 - s1 + s2 + scale, scale)
        case "%":
            return _adjusted(min(p1 - s1, p2 - s2) + scale, scale)
        case _:
            return _adjusted(max(p1 - s1, p2 - s2) + scale + 1, scale)


def common_decimal(left: Type, right: Type) -> pa.DataType:
    """The type that holds both, giving up places behind the point rather than in front of it."""
    (p1, s1), (p2, s2) = digits(left), digits(right)
    scale, whole = max(s1, s2), max(p1 - s1, p2 - s2)
    excess = max(whole + scale - MOST_DIGITS, 0)
    return bounded(whole + scale, max(scale - excess, 0))


def rounded_decimal(type_: Type, places: int) -> pa.DataType:
    """The type of `round(x, places)`: one more digit in front, for the carry."""
    precision, scale = digits(type_)
    whole = precision - scale + 1
    if places < 0:
        return bounded(max(whole, 1 - places), 0)
    kept = min(scale, places)
    return bounded(whole + kept, kept)


def _adjusted(precision: int, scale: int) -> pa.DataType:
    if precision <= MOST_DIGITS:
        return pa.decimal128(precision, scale)
    least = min(scale, _KEPT_PLACES)
    return pa.decimal128(MOST_DIGITS, max(MOST_DIGITS - (precision - scale), least))
