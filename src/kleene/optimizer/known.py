"""What is known of the values of expressions in a query, before any event is seen.

From types and nullability of columns, from the parts that columns play, from constants, and from
the conditions that each event of a variable meets by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from kleene.language.expressions import (
    Aggregate,
    Arithmetic,
    Attribute,
    Call,
    Expression,
    Literal,
    Negative,
)
from kleene.language.schema import EventShape
from kleene.language.types import type_of
from kleene.logical.algebra import LogicalQuery
from kleene.optimizer.facts import MOST_ELEMENTS, Facts, fitted, overflows, typed
from kleene.optimizer.narrow import constant, narrowed

_CHOOSING = frozenset({"coalesce", "ifnull", "nvl"})


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
        for condition in self.query.own_conditions[node.variable]:
            found = narrowed(found, condition, node.path)
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


def _literal(node: Literal) -> Facts:
    found = constant(node)
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
