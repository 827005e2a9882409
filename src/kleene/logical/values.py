"""What an expression is worth: SQL on Python values, null being None.

Values are those of Arrow's `to_pylist`: int, float, Decimal, str, bool, bytes, date, datetime,
timedelta for durations, lists for arrays, dicts for structs, lists of pairs for maps.

No evaluation fails: a division by zero, an overflow beyond 64 bits, a failed cast, a subscript out
of range are null, as by Spark's `try_` functions. An error would depend on which candidates a plan
tries; null does not, and a condition that is null is not met. For the same reason it cannot be
observed in which order operands are evaluated.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import assert_never, cast

from kleene.errors import UnknownFunctionError
from kleene.language.casting import cast_target
from kleene.language.expressions import (
    Aggregate,
    Arithmetic,
    Attribute,
    Call,
    Case,
    Cast,
    Comparison,
    Conjunction,
    Disjunction,
    Duration,
    Expression,
    Inversion,
    Like,
    Literal,
    MatchCount,
    Membership,
    Negative,
    NullTest,
    Range,
    Reference,
    SameKey,
    Subscript,
)
from kleene.language.functions import CASTS
from kleene.language.like import like_pattern
from kleene.language.types import Check, literal_type, type_of
from kleene.logical import casts
from kleene.logical.arithmetic import calculate
from kleene.logical.ordering import compare, equal
from kleene.logical.scalars import SCALARS, subscript
from kleene.logical.scalars_number import negative

_type_of = lru_cache(maxsize=4096)(type_of)


def evaluate(
    expression: Expression,
    attribute: Callable[[Attribute], object],
    aggregate: Callable[[Aggregate], object],
) -> object:
    """The value of an expression that was resolved, coerced and found well typed.

    `attribute` and `aggregate` say what the leaves are worth; of a comparison with null, True,
    False or None comes out.
    """
    return _Evaluation(attribute, aggregate).of(expression)


def conjunction(truths: Iterable[object]) -> bool | None:
    """AND of Kleene's logic: false if one is false, else null if one is null."""
    found = list(truths)
    return False if False in found else None if None in found else True


def disjunction(truths: Iterable[object]) -> bool | None:
    """OR of Kleene's logic: true if one is true, else null if one is null."""
    return inversion(conjunction(map(inversion, truths)))


def inversion(truth: object) -> bool | None:
    """NOT: null of null."""
    return None if truth is None else not truth


@dataclass(frozen=True, slots=True)
class _Evaluation:
    """The values of the leaves, and one rule a node."""

    attribute: Callable[[Attribute], object]
    aggregate: Callable[[Aggregate], object]

    def of(self, node: Expression) -> object:
        match node:
            case Literal():
                return _constant(node)
            case Attribute():
                return self.attribute(node)
            case Aggregate():
                return self.aggregate(node)
            case Negative():
                operand = self.of(node.operand)
                return None if operand is None else negative(cast("int", operand))
            case Arithmetic():
                left, right = self.of(node.left), self.of(node.right)
                return _carried(node, calculate(node.operator, left, right))
            case Case():
                return _carried(node, self.case(node))
            case Call():
                return _carried(node, self.call(node))
            case Cast():
                return self.cast(node)
            case Subscript():
                return self.subscript(node)
            case Reference() | MatchCount() | SameKey():
                raise ValueError(f"not resolved: {node}")
            case _:
                return self.truth(node)

    def all(self, nodes: Iterable[Expression]) -> list[object]:
        return [self.of(node) for node in nodes]

    def truth(self, node: Check) -> bool | None:
        match node:
            case Comparison():
                return self.comparison(node)
            case Conjunction():
                return conjunction(self.all(node.operands))
            case Disjunction():
                return disjunction(self.all(node.operands))
            case Inversion():
                return inversion(self.of(node.operand))
            case Membership():
                operand = self.of(node.operand)
                found = disjunction(equal(operand, value) for value in self.all(node.items))
                return inversion(found) if node.negated else found
            case Range():
                return self.range(node)
            case Like():
                found = _like(self.of(node.operand), self.of(node.pattern), node.escape)
                return inversion(found) if node.negated else found
            case NullTest():
                return (self.of(node.operand) is None) != node.negated
            case _:
                assert_never(node)

    def comparison(self, node: Comparison) -> bool | None:
        """A chain is the conjunction of its links."""
        values = self.all(node.operands)
        links = zip(values, node.operators, values[1:], strict=False)
        return conjunction(_compared(left, operator, right) for left, operator, right in links)

    def range(self, node: Range) -> bool | None:
        operand, low, high = self.all((node.operand, node.low, node.high))
        ends = (_compared(low, "<=", operand), _compared(operand, "<=", high))
        return inversion(conjunction(ends)) if node.negated else conjunction(ends)

    def case(self, node: Case) -> object:
        """The first branch whose condition is met, or whose value equals the subject."""
        subject = None if node.subject is None else self.of(node.subject)
        for when, then in node.branches:
            value = self.of(when)
            if (value if node.subject is None else equal(subject, value)) is True:
                return self.of(then)
        return None if node.otherwise is None else self.of(node.otherwise)

    def call(self, node: Call) -> object:
        if node.name in CASTS:
            (argument,) = node.arguments
            return casts.cast(self.of(argument), _type_of(argument), CASTS[node.name])
        if node.name not in SCALARS:
            reason = f"{node.name} is a function that only Spark can evaluate"
            hint = "compute it before the call, into a column of the events"
            raise UnknownFunctionError(reason, node.span, hint)
        return SCALARS[node.name](*self.all(node.arguments))

    def cast(self, node: Cast) -> object:
        target = cast_target(node.target, node.span)
        return casts.cast(self.of(node.operand), _type_of(node.operand), target)

    def subscript(self, node: Subscript) -> object:
        collection, index = self.of(node.operand), self.of(node.index)
        if collection is None or index is None:
            return None
        return subscript(collection, index)


def _constant(node: Literal) -> object:
    if isinstance(node.value, Duration):
        return dt.timedelta(microseconds=node.value.microseconds)
    return casts.conform(node.value, literal_type(node))


def _carried(node: Expression, value: object) -> object:
    """The value in the type of the node, which matters where operands are of several types."""
    return casts.conform(value, _type_of(node)) if _may_differ(value) else value


def _may_differ(value: object) -> bool:
    """Whether values like this one come from expressions of more than one type."""
    return isinstance(value, int | Decimal | dt.date) and not isinstance(value, bool)


def _compared(left: object, operator: str, right: object) -> bool | None:
    if operator == "<=>":
        absent = (left is None) + (right is None)
        return absent == 2 if absent else compare(left, right) == 0  # noqa: PLR2004 - both
    if left is None or right is None:
        return None
    order = compare(left, right)
    match operator:
        case "=":
            return order == 0
        case "!=":
            return order != 0
        case "<":
            return order < 0
        case "<=":
            return order <= 0
        case ">":
            return order > 0
        case _:
            return order >= 0


def _like(value: object, pattern: object, escape: str) -> bool | None:
    """Null where one side is, or where the pattern is none."""
    if not isinstance(value, str) or not isinstance(pattern, str):
        return None
    compiled = like_pattern(pattern, escape)
    return None if compiled is None else compiled.fullmatch(value) is not None
