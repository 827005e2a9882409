"""Conditions as Python source text, with the three-valued logic of SQL and nothing allocated.

What `logical.values.evaluate` computes with objects, None among them, the text computes with
numbers: a condition is one text that says whether it is true and one whether it is false; a value
is one text of a number and one that says whether it is null. The text reads `c3[p]` (a column at
an event's position), `m3[p]` (whether it is null there), `lit[2]` (the rank of a constant), and
calls functions of `support`. Nothing that a user wrote is ever part of it, save numbers. What
numbers do not tell is asked of `evaluate` itself (`questions`), for the smallest condition around.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import assert_never

from kleene.language.decimals import digits
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
from kleene.language.kinds import Kind, kind_of
from kleene.language.types import Check, type_of
from kleene.program.aggregates import AggregateCode, aggregate_code
from kleene.program.calculations import arithmetic, converted, negated
from kleene.program.choices import case
from kleene.program.columns import Columns, event_of
from kleene.program.comparisons import compare
from kleene.program.constants import constant, constant_operand, is_constant
from kleene.program.decimals import decimal
from kleene.program.functions import call, cast
from kleene.program.kinds import ColumnKind, Unsupported, natural_kind
from kleene.program.questions import asked
from kleene.program.rescale import NARROW, as_float
from kleene.program.text import (
    FALSE,
    NEVER,
    TRUE,
    Operand,
    Truth,
    both,
    certain,
    choice,
    either,
    negation,
)

__all__ = ["AggregateCode", "Translator", "aggregate_code"]

_type_of = lru_cache(maxsize=4096)(type_of)


class Translator:
    """Translates the expressions of one place in a kernel.

    `position` is source text of the index of the event that an attribute belongs to; `aggregate`
    is an aggregate that is computed before; `part` is the number
    of a buffer, and source text of the bounds of its part that an attribute of an aggregate ranges
    over. Without it there are no aggregates.
    """

    def __init__(
        self,
        columns: Columns,
        position: Callable[[Attribute], str],
        aggregate: Callable[[Aggregate], Operand],
        part: Callable[[Attribute], tuple[int, str, str]] | None = None,
    ) -> None:
        self.columns = columns
        self._position = position
        self._aggregate = aggregate
        self._part = part

    def is_true(self, node: Expression) -> str:
        """Whether a condition is met."""
        return self.truth(node).true

    def is_false(self, node: Expression) -> str:
        """Whether a condition is false, and not merely null."""
        return self.truth(node).false

    def value(self, node: Expression) -> str:
        """A value as a number of its natural kind."""
        return self.operand(node).value

    def null(self, node: Expression) -> str:
        """Whether a value is null; that of a single event is asked without ranking the values."""
        event = event_of(node)
        if _is_whole(node) or (event is not None and not self.columns.nullable(node)):
            return FALSE
        if event is None:
            return self.operand(node).null
        test, _ = self._column(NullTest(node), event, ColumnKind.INT)
        return f"{test} != 0"

    def type(self, node: Expression) -> Type:
        """The type of an expression."""
        return _type_of(node)

    def truth(self, node: Expression) -> Truth:
        """Whether a condition is true, and whether it is false."""
        if is_constant(node):
            value = constant(node)
            return NEVER if value is None else certain(TRUE if value else FALSE)
        if isinstance(node, NullTest) and _is_whole(node.operand):
            return certain(TRUE if node.negated else FALSE)
        event = event_of(node)
        if event is not None:
            value, null = self._column(node, event, ColumnKind.INT)
            present = negation(null)
            return Truth(both(f"{value} != 0", present), both(f"{value} == 0", present))
        try:
            truth = self._check(node) if isinstance(node, Check) else self._boolean(node)
        except Unsupported as reason:
            return self._asked(node, str(reason))
        if truth.beyond == FALSE:
            return truth
        answer = self._asked(node, "decimals may be beyond 64 bits, and only then it is asked")
        return Truth(
            choice(truth.beyond, answer.true, truth.true),
            choice(truth.beyond, answer.false, truth.false),
        )

    def _boolean(self, node: Expression) -> Truth:
        """A value that is a boolean as a condition."""
        operand = self.wide(node)
        present = negation(operand.null)
        true, false = (both(f"{operand.value} {sign} 0", present) for sign in ("!=", "=="))
        return Truth(true, false, operand.beyond)

    def _asked(self, node: Expression, reason: str) -> Truth:
        return asked(self.columns, node, self._position, self._part, reason)

    def operand(self, node: Expression, kind: ColumnKind | None = None) -> Operand:
        """A value in the kind that is asked for, or else in its natural kind."""
        found = self.wide(node, kind)
        if found.beyond != FALSE:
            raise Unsupported("decimals may be beyond 64 bits")
        return found

    def wide(self, node: Expression, kind: ColumnKind | None = None) -> Operand:
        """The same, and it may be beyond 64 bits: whoever uses it hands that on."""
        natural = natural_kind(self.type(node))
        kind = natural if kind is None else kind
        if is_constant(node):
            return constant_operand(node, self.type(node), kind, self.columns)
        event = event_of(node)
        if kind is ColumnKind.SCALED:
            return self._scaled(node, event)
        if event is not None:
            return Operand(*self._column(node, event, kind), kind)
        if natural is ColumnKind.INT and kind is ColumnKind.FLOAT:
            return converted(self.wide(node))
        try:
            return self._related(node, natural, kind)
        except Unsupported:
            if kind is not ColumnKind.FLOAT or kind_of(self.type(node)) is not Kind.DECIMAL:
                raise
            return as_float(self.wide(node, ColumnKind.SCALED))

    def _scaled(self, node: Expression, event: Attribute | None) -> Operand:
        """A number that is no float, in units of its last place."""
        type_, kind = self.type(node), ColumnKind.SCALED
        if kind_of(type_) is not Kind.DECIMAL:
            whole = self.operand(node, ColumnKind.INT)
            return replace(whole, kind=kind, digits=digits(type_)[0])
        if event is None:
            return decimal(self, node)
        number, nullable = self.columns.column(node, kind, type_)
        most, scale = digits(type_)
        mask = f"m{number}[{self._position(event)}]"
        value = f"c{number}[{self._position(event)}]"
        if most <= NARROW:
            return Operand(value, f"{mask} != 0" if nullable else FALSE, kind, scale, most)
        null = f"{mask} == 1" if nullable else FALSE
        return Operand(value, null, kind, scale, beyond=f"{mask} == 2")

    def _related(self, node: Expression, natural: ColumnKind, kind: ColumnKind) -> Operand:
        """A value that depends on several events."""
        match node:
            case Case():
                return case(self, node, kind)
            case Call() if (found := call(self, node, kind)).kind is kind:
                return found
            case _ if kind is not natural:
                raise Unsupported(f"a {natural} that depends on several events becomes a {kind}")
            case Aggregate():
                return self.aggregated(node, kind)
            case Negative():
                return negated(self, node)
            case Arithmetic():
                return arithmetic(self, node)
            case Cast():
                return cast(self, node)
            case Subscript():
                raise Unsupported("an element of an array is chosen by another event")
            case Call() | Literal() | Attribute() | Reference() | MatchCount() | SameKey():
                raise AssertionError(node)
            case _:
                truth = self.truth(node)
                return Operand(choice(truth.true, "1", "0"), truth.null, kind)

    def aggregated(self, node: Aggregate, kind: ColumnKind) -> Operand:
        """An aggregate, which is of one kind."""
        found = self._aggregate(node)
        if found.kind is not kind:
            raise Unsupported(f"{node.name} of decimals of more than 18 digits is computed with")
        return found

    def _column(self, node: Expression, event: Attribute, kind: ColumnKind) -> tuple[str, str]:
        """What reads a single event: the value and the null of a column at its position."""
        number, nullable = self.columns.column(node, kind, self.type(node))
        place = self._position(event)
        return f"c{number}[{place}]", f"m{number}[{place}] != 0" if nullable else FALSE

    def _check(self, node: Check) -> Truth:
        match node:
            case Comparison():
                links = zip(node.operands, node.operators, node.operands[1:], strict=False)
                return _all([compare(self, left, sign, right) for left, sign, right in links])
            case Conjunction():
                return _all([self.truth(operand) for operand in node.operands])
            case Disjunction():
                return _any([self.truth(operand) for operand in node.operands])
            case Inversion():
                return self.truth(node.operand).inverted()
            case Membership():
                found = _any([compare(self, node.operand, "=", item) for item in node.items])
                return found.inverted() if node.negated else found
            case Range():
                ends = ((node.low, node.operand), (node.operand, node.high))
                within = _all([compare(self, left, "<=", right) for left, right in ends])
                return within.inverted() if node.negated else within
            case NullTest():
                null = certain(self.null(node.operand))
                return null.inverted() if node.negated else null
            case Like():
                raise Unsupported("LIKE compares strings of several events")
            case _:
                assert_never(node)


def _is_whole(node: Expression) -> bool:
    """Whether an expression is an event itself, which is never null: it is bound or not asked."""
    return isinstance(node, Attribute) and not node.path


def _all(truths: list[Truth]) -> Truth:
    beyond = either(*(t.beyond for t in truths))
    return Truth(both(*(t.true for t in truths)), either(*(t.false for t in truths)), beyond)


def _any(truths: list[Truth]) -> Truth:
    beyond = either(*(t.beyond for t in truths))
    return Truth(either(*(t.true for t in truths)), both(*(t.false for t in truths)), beyond)
