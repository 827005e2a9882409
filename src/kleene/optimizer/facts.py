"""What is known of a value before any event is seen: its bounds, and whether it may be null or NaN.

From types and nullability of columns, from the parts that columns play, from constants, and from
the conditions that each event of a variable meets by itself. Bounds are floats: they serve to know
a sign and to rule an overflow out, never to compute a value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import reduce
from itertools import pairwise
from math import inf, isfinite
from typing import Any

import pyarrow as pa

from kleene.language.expressions import (
    Aggregate,
    Arithmetic,
    Attribute,
    Call,
    Comparison,
    Duration,
    Expression,
    IndexKind,
    Literal,
    Membership,
    Negative,
    NullTest,
    Range,
    Type,
)
from kleene.language.kinds import Kind, kind_of, plain
from kleene.language.schema import EventShape
from kleene.language.traversal import walk
from kleene.language.types import type_of
from kleene.logical.algebra import LogicalQuery, Not
from kleene.logical.algebra import walk as walk_nodes

MOST_ELEMENTS = 2.0**31
"""No collection of a match has more elements."""
_SAFE = 2.0**62
"""Whole numbers up to here are in 64 bits, however their bounds were rounded."""
_DIGITS = 38
_CHRONICLE = 4e17
"""Microseconds from 1970 to any moment of the years 1 to 9999, and some more."""
_CHOOSING = frozenset({"coalesce", "ifnull", "nvl"})


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


@dataclass(frozen=True)
class Known:
    """The facts of a query: those of the elements of each variable, and what follows from them."""

    query: LogicalQuery

    def of(self, node: Expression) -> Facts:
        """What is known of an expression where the condition that it stands in applies."""
        match node:
            case Literal():
                return _literal(node)
            case Attribute():
                return self.element(node)
            case Aggregate():
                return self.aggregate(node)
            case Negative():
                inner = self.of(node.operand)
                return fitted(replace(inner, low=-inner.high, high=-inner.low), type_of(node))
            case Arithmetic():
                return self.arithmetic(node)
            case Call(name="abs"):
                inner = self.of(node.arguments[0])
                least = max(0.0, inner.low, -inner.high)
                return fitted(replace(inner, low=least, high=inner.size), type_of(node))
            case Call(name="length"):
                return Facts(0, MOST_ELEMENTS, self.of(node.arguments[0]).null, nan=False)
            case Call(name=name) if name in _CHOOSING:
                return _any_of([self.of(argument) for argument in node.arguments])
            case _:
                return typed(type_of(node))

    def element(self, node: Attribute) -> Facts:
        """What is known of an attribute of each event of a variable."""
        shape = self.query.resolved.shape
        found = typed(node.type, null=nullable(shape, self.query, node.path))
        for condition in own_conditions(self.query, node.variable):
            found = _met(found, condition, node.path)
        return found

    def aggregate(self, node: Aggregate) -> Facts:
        """Of no elements, or of nulls alone, count is 0 and what else is built in is null."""
        if node.name in self.query.aggregates:
            return Facts()
        if node.name == "count":
            return Facts(0, MOST_ELEMENTS, null=False, nan=False)
        inner = self.of(node.argument)
        if node.name != "sum":
            return replace(inner, null=True)
        low, high = (
            min(inner.low, inner.low * MOST_ELEMENTS),
            max(inner.high, inner.high * MOST_ELEMENTS),
        )
        return Facts(low, high, null=True, nan=inner.nan or not inner.finite)

    def arithmetic(self, node: Arithmetic) -> Facts:
        """What is known of a calculated value; of some operators no more than of its type."""
        found = self.calculated(node)
        return typed(type_of(node)) if found is None else fitted(found, type_of(node))

    def calculated(self, node: Arithmetic) -> Facts | None:
        """Interval arithmetic, before the value is fitted into its type."""
        left, right = self.of(node.left), self.of(node.right)
        null = left.null or right.null
        nan = left.nan or right.nan or not (left.finite and right.finite)
        match node.operator:
            case "+":
                low, high = left.low + right.low, left.high + right.high
            case "-":
                low, high = left.low - right.high, left.high - right.low
            case "*" if node.left == node.right:
                low, high = 0, left.size * left.size
            case "*":
                ends = [
                    _times(x, y) for x in (left.low, left.high) for y in (right.low, right.high)
                ]
                low, high = min(ends), max(ends)
            case _:
                return None
        return Facts(low, high, null, nan)

    def calculation_overflows(self, node: Arithmetic) -> bool:
        """Whether a calculated value may be null though its operands are not."""
        found = self.calculated(node) or Facts()
        return overflows(found.low, found.high, type_of(node))


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


def nullable(shape: EventShape, query: LogicalQuery, path: tuple[str, ...]) -> bool:
    """Whether an attribute of an event may be null: times and keys of partitions never are."""
    if not path or path[0] in shape.time or path in query.resolved.partition_by:
        return False
    fields: Any = shape.schema
    for name in path:
        field = fields.field(name)
        if field.nullable:
            return True
        fields = field.type
    return False


def own_conditions(query: LogicalQuery, variable: str) -> Iterator[Expression]:
    """The conditions that each event of a variable meets by itself."""
    negations = query.variables[variable].negations
    for condition in _belonging(query, negations[-1] if negations else None):
        found = {
            (node.variable, node.indices) for node in walk(condition) if isinstance(node, Attribute)
        }
        alone = len(found) == 1 and not any(isinstance(node, Aggregate) for node in walk(condition))
        if alone and all(
            name == variable and set(indices) <= {IndexKind.EACH} for name, indices in found
        ):
            yield condition


def _belonging(query: LogicalQuery, negation: int | None) -> Sequence[Expression]:
    if negation is None:
        return query.conditions
    nodes = (node for node in walk_nodes(query.pattern) if isinstance(node, Not))
    return next(node.conditions for node in nodes if node.number == negation)


def _met(facts: Facts, condition: Expression, path: tuple[str, ...]) -> Facts:
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
    bound = _constant(other)
    low, high = facts.low, facts.high
    if bound is not None and operator in {">", ">=", "="}:
        low = max(low, bound)
    if bound is not None and operator in {"<", "<=", "="}:
        high = min(high, bound)
    below = bound is not None and operator in {"<", "<=", "="}
    return Facts(low, high, null=False, nan=facts.nan and not below)


def _constant(node: Expression) -> float | None:
    """The number that a constant is; durations count microseconds."""
    match node:
        case Literal(value=bool()):
            return None
        case Literal(value=int() | float() | Decimal() as number):
            return None if number != number else float(number)  # noqa: PLR0124 - that is NaN
        case Literal(value=Duration() as length):
            return float(length.microseconds)
        case Negative():
            found = _constant(node.operand)
            return None if found is None else -found
        case _:
            return None


def _literal(node: Literal) -> Facts:
    found = _constant(node)
    if found is not None:
        return Facts(found, found, null=False, nan=False)
    return Facts(null=node.value is None, nan=isinstance(node.value, float))


def _any_of(choices: Sequence[Facts]) -> Facts:
    """The facts of the first value that is not null."""
    return reduce(
        lambda one, other: Facts(
            min(one.low, other.low),
            max(one.high, other.high),
            one.null and other.null,
            one.nan or other.nan,
        ),
        choices,
    )


def _times(one: float, other: float) -> float:
    return 0.0 if one == 0 or other == 0 else one * other
