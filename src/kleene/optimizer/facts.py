"""What is known of a value: its bounds, and whether it may be null or NaN.

Bounds are floats: they serve to know a sign and to rule an overflow out, never to compute a value.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite
from typing import Any

import pyarrow as pa

from kleene.language.expressions import Type
from kleene.language.kinds import Kind, kind_of, plain

MOST_ELEMENTS = 2.0**31
"""No collection of a match has more elements."""
_SAFE = 2.0**62
"""Whole numbers up to here are in 64 bits, however their bounds were rounded."""
_DIGITS = 38
_CHRONICLE = 4e17
"""Microseconds from 1970 to any moment of the years 1 to 9999, and some more."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Bounds of a value that is neither null nor NaN, and whether it may be these."""

    low: float = -inf
    high: float = inf
    null: bool = True
    nan: bool = True

    @property
    def finite(self) -> bool:
        """Whether bounds are known; what has them is not infinite."""
        return isfinite(self.low) and isfinite(self.high)

    @property
    def size(self) -> float:
        """How far from zero the value is, at most."""
        return max(abs(self.low), abs(self.high))


def overflows(low: float, high: float, type_: Type) -> bool:
    """Whether a calculated value between these bounds may be null because its type is too small."""
    size = max(abs(low), abs(high))
    match kind_of(type_):
        case Kind.FLOAT:
            return False
        case Kind.INTEGER | Kind.DURATION:
            return size > _SAFE
        case Kind.DECIMAL:
            kind: Any = plain(type_)
            return bool(size >= 10.0 ** (kind.precision - kind.scale - 1))
        case _:
            return True


def sum_overflows(facts: Facts, type_: Type) -> bool:
    """Whether the total of values of a type may be null: beyond 64 bits, or 38 digits."""
    total = facts.size * MOST_ELEMENTS
    kind: Any = plain(type_)
    if kind_of(type_) is Kind.DECIMAL:
        return bool(total >= 10.0 ** (_DIGITS - kind.scale - 1))
    return overflows(-total, total, type_)


def fitted(facts: Facts, type_: Type) -> Facts:
    """The facts of a calculated value: null where its type is too small."""
    whole = typed(type_, null=facts.null or overflows(facts.low, facts.high, type_))
    return Facts(
        max(facts.low, whole.low), min(facts.high, whole.high), whole.null, facts.nan and whole.nan
    )


def typed(type_: Type, *, null: bool = True) -> Facts:
    """What the type of a value tells."""
    kind: Any = plain(type_)
    match kind_of(type_):
        case Kind.INTEGER:
            signed = pa.types.is_signed_integer(kind)
            high = 2.0 ** (kind.bit_width - signed)
            return Facts(-high if signed else 0.0, high, null, nan=False)
        case Kind.DECIMAL:
            high = 10.0 ** (kind.precision - kind.scale)
            return Facts(-high, high, null, nan=False)
        case Kind.FLOAT | Kind.UNKNOWN:
            return Facts(null=null)
        case Kind.DATE | Kind.TIMESTAMP:
            return Facts(-_CHRONICLE, _CHRONICLE, null, nan=False)
        case Kind.DURATION:
            return Facts(-(2.0**63), 2.0**63, null, nan=False)
        case _:
            return Facts(null=null, nan=False)
