"""The types of resolved expressions, by the rules of Spark SQL.

Stricter than Spark: a string is never read as a number, nor a number as a boolean, in silence; CAST
says so. The one literal that is read as what stands beside it is a date or timestamp in quotes
(`coercion`). A timestamp without a zone is in UTC wherever it meets one that has a zone.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import assert_never

import pyarrow as pa

from kleene.errors import Span, TypeMismatchError
from kleene.language.advice import conversion_hint, quoted
from kleene.language.casting import cast_target, cast_type
from kleene.language.combine import DURATION, arithmetic, check_comparable, common
from kleene.language.decimals import MOST_DIGITS, decimal_literal
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
    Type,
)
from kleene.language.function_rules import element, widened
from kleene.language.functions import AGGREGATES, FUNCTIONS
from kleene.language.kinds import Typed, describe, plain
from kleene.language.like import like_pattern
from kleene.language.printer import print_name
from kleene.language.signatures import BOOLEAN, COLLECTION, SIZED, STRING, Function, Parameter

Check = Comparison | Conjunction | Disjunction | Inversion | Membership | Range | Like | NullTest
"""What is true, false or null."""

_FEW = 8
_BY_ORDER = frozenset({"<", "<=", ">", ">="})


def type_of(expression: Expression, aggregates: Mapping[str, Function] = AGGREGATES) -> Type:
    """The type of a resolved expression, or a TypeMismatchError at what does not fit.

    None is a type that is not known: of a function that only Spark has, or of an aggregate that is
    not in `aggregates`. It goes with every other.
    """
    return _Typing(aggregates).of(expression)


def check_condition(
    expression: Expression, aggregates: Mapping[str, Function] = AGGREGATES
) -> None:
    """Refuse what is no condition: its type must be boolean."""
    _Typing(aggregates).condition(expression)


def literal_type(node: Literal) -> pa.DataType:
    """The type of a constant; whole numbers beyond 64 bits are decimals."""
    match node.value:
        case None:
            return pa.null()
        case bool():
            return pa.bool_()
        case int(number) if -(2**63) <= number < 2**63:
            return pa.int64()
        case int() | Decimal():
            return _decimal(Decimal(node.value), node.span)
        case float():
            return pa.float64()
        case str():
            return pa.string()
        case bytes():
            return pa.binary()
        case Duration():
            return DURATION
        case dt.datetime():
            return pa.infer_type([node.value])
        case dt.date():
            return pa.date32()
        case _:
            assert_never(node.value)


def _decimal(value: Decimal, span: Span) -> pa.DataType:
    found = decimal_literal(value)
    if found is None:
        hint = "write it with an exponent to make it a double: 1e40"
        raise TypeMismatchError(f"a number has at most {MOST_DIGITS} digits", span, hint)
    return found


@dataclass(frozen=True, slots=True)
class _Typing:
    """The rules, one a node; `aggregates` are those of the query's user as well."""

    aggregates: Mapping[str, Function]

    def of(self, node: Expression) -> Type:
        match node:
            case Literal():
                return literal_type(node)
            case Attribute():
                return node.type
            case Aggregate():
                return self.aggregate(node)
            case Call() | Cast() | Subscript() | Case():
                return self.value(node)
            case Negative() | Arithmetic():
                return self.calculation(node)
            case Reference() | MatchCount() | SameKey():
                raise ValueError(f"not resolved: {node}")
            case _:
                self.check(node)
                return pa.bool_()

    def typed(self, node: Expression) -> Typed:
        """An operand with its type; a whole event is no operand."""
        if isinstance(node, Attribute) and not node.path:
            reason = f"{node.variable} is a whole event, which has no value of its own"
            names = [print_name(column.name) for column in plain(node.type)]
            columns = ", ".join(f"{quoted(node)}.{name}" for name in names[:_FEW])
            hint = f"name one of its attributes: {columns}{', …' if len(names) > _FEW else ''}"
            raise TypeMismatchError(reason, node.span, hint)
        return Typed(node, self.of(node))

    def condition(self, node: Expression) -> None:
        self.operand(node, BOOLEAN, "a condition is a boolean")

    def operand(self, node: Expression, parameter: Parameter, law: str) -> Typed:
        """An operand that must be of some kind."""
        found = self.typed(node)
        if not parameter.accepts(found):
            hint = conversion_hint(found, parameter.kinds)
            raise TypeMismatchError(f"{law}, not {describe(found.type)}", node.span, hint)
        return found

    def value(self, node: Call | Cast | Subscript | Case) -> Type:
        match node:
            case Call():
                return self.call(node)
            case Cast():
                operand = self.typed(node.operand)
                return cast_type(operand.type, cast_target(node.target, node.span), node.span)
            case Subscript():
                law = "only arrays and maps have elements"
                collection = self.operand(node.operand, COLLECTION, law)
                return element((collection, self.typed(node.index)), node.span)
            case Case():
                return self.case(node)
            case _:
                assert_never(node)

    def call(self, node: Call) -> Type:
        function = FUNCTIONS.get(node.name)
        arguments = tuple(map(self.typed, node.arguments))
        return None if function is None else function.type_of(arguments, node.span)

    def aggregate(self, node: Aggregate) -> Type:
        """An aggregate over one element's type; `count` counts whole events too."""
        function = self.aggregates.get(node.name)
        if node.name == "count":
            argument = Typed(node.argument, self.of(node.argument))
        else:
            argument = self.typed(node.argument)
        return None if function is None else function.type_of((argument,), node.span)

    def case(self, node: Case) -> Type:
        subject = None if node.subject is None else self.typed(node.subject)
        for when, _ in node.branches:
            if subject is None:
                self.condition(when)
            else:
                check_comparable(subject, self.typed(when), by_order=False, span=when.span)
        results = [self.typed(then) for _, then in node.branches]
        if node.otherwise is not None:
            results.append(self.typed(node.otherwise))
        return common(results)

    def calculation(self, node: Negative | Arithmetic) -> Type:
        match node:
            case Negative():
                law = "only numbers and durations have a negative"
                operand = self.operand(node.operand, SIZED, law)
                return widened((operand,), node.span)
            case Arithmetic():
                left, right = self.typed(node.left), self.typed(node.right)
                return arithmetic(node.operator, left, right, node.span)
            case _:
                assert_never(node)

    def check(self, node: Check) -> None:
        """The operands of what is true, false or null."""
        match node:
            case Comparison():
                self.comparison(node)
            case Conjunction() | Disjunction():
                for operand in node.operands:
                    self.condition(operand)
            case Inversion():
                self.condition(node.operand)
            case Membership():
                tested = self.typed(node.operand)
                for item in node.items:
                    check_comparable(tested, self.typed(item), by_order=False, span=item.span)
            case Range():
                tested = self.typed(node.operand)
                for bound in (node.low, node.high):
                    check_comparable(tested, self.typed(bound), by_order=True, span=bound.span)
            case Like():
                self.like(node)
            case NullTest():
                self.of(node.operand)
            case _:
                assert_never(node)

    def comparison(self, node: Comparison) -> None:
        operands = [self.typed(operand) for operand in node.operands]
        for left, operator, right in zip(operands, node.operators, operands[1:], strict=False):
            check_comparable(left, right, by_order=operator in _BY_ORDER)

    def like(self, node: Like) -> None:
        for side in (node.operand, node.pattern):
            self.operand(side, STRING, "LIKE compares strings")
        match node.pattern:
            case Literal(value=str(text)) if like_pattern(text, node.escape) is None:
                reason = f"{node.escape} escapes nothing here"
                hint = f"it may stand before % and _, and twice for itself: {node.escape * 2}"
                raise TypeMismatchError(reason, node.pattern.span, hint)
