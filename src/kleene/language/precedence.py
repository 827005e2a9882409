"""How tightly operators bind: what the parser climbs and the printer puts in parentheses."""

from __future__ import annotations

from enum import IntEnum


class Precedence(IntEnum):
    """From the operator that is applied last to what is never taken apart."""

    OR = 1
    AND = 2
    NOT = 3
    COMPARISON = 4
    ADDITIVE = 5
    MULTIPLICATIVE = 6
    UNARY = 7
    PRIMARY = 8
