"""What is known of the values of events because they meet a condition."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

from kleene.language.expressions import (
    Attribute,
    Comparison,
    Duration,
    Expression,
    Literal,
    Membership,
    Negative,
    NullTest,
    Range,
)
from kleene.optimizer.facts import Facts


def narrowed(facts: Facts, condition: Expression, path: tuple[str, ...]) -> Facts:
    """The facts of an attribute whose event meets a condition."""

    def asked(node: Expression) -> bool:
        return isinstance(node, Attribute) and node.path == path

    match condition:
        case NullTest(negated=True) if asked(condition.operand):
            return replace(facts, null=False)
        case Membership(negated=False) if asked(condition.operand):
            return replace(facts, null=False)
        case Range(negated=False) if asked(condition.operand):
            facts = _compared(facts, ">=", condition.low)
            return _compared(facts, "<=", condition.high)
        case Comparison():
            for (left, right), operator in zip(
                pairwise(condition.operands), condition.operators, strict=True
            ):
                if asked(left):
                    facts = _compared(facts, operator, right)
                if asked(right):
                    facts = _compared(facts, _TURNED.get(operator, operator), left)
            return facts
        case _:
            return facts


_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def _compared(facts: Facts, operator: str, other: Expression) -> Facts:
    """The facts of a value of which a comparison is met; NaN is greater than all numbers."""
    if operator == "<=>":
        return facts
    bound = constant(other)
    low, high = facts.low, facts.high
    if bound is not None and operator in {">", ">=", "="}:
        low = max(low, bound)
    if bound is not None and operator in {"<", "<=", "="}:
        high = min(high, bound)
    below = bound is not None and operator in {"<", "<=", "="}
    return Facts(low, high, null=False, nan=facts.nan and not below)


def constant(node: Expression) -> float | None:
    """The number that a constant is; durations count microseconds."""
    match node:
        case Literal(value=bool()):
            return None
        case Literal(value=int() | float() | Decimal() as number):
            return None if number != number else float(number)  # noqa: PLR0124 - that is NaN
        case Literal(value=Duration() as length):
            return float(length.microseconds)
        case Negative():
            found = constant(node.operand)
            return None if found is None else -found
        case _:
            return None
