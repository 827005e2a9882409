"""Consistency classes of conditions on repetitions (paper 1, 5.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf

from kleene.language.expressions import (
    Aggregate,
    Arithmetic,
    Attribute,
    Comparison,
    Conjunction,
    Disjunction,
    Expression,
    IndexKind,
    Inversion,
    Membership,
    Negative,
    NullTest,
    Range,
)
from kleene.language.traversal import children, walk
from kleene.language.types import type_of
from kleene.logical.algebra import LogicalQuery
from kleene.optimizer.changes import (
    ANYHOW,
    FIXED,
    FREE,
    LOSES,
    STILL,
    Change,
    Moves,
    all_of,
    any_of,
    compared,
    none_of,
    null_test,
    stays_met,
    stays_unmet,
    truth_of,
    with_truth,
)
from kleene.optimizer.facts import Facts, overflows, sum_overflows
from kleene.optimizer.known import Known
from kleene.optimizer.ranges import elsewhere, is_current, may_be_empty, ranged
from kleene.optimizer.reasons import ALONE, FIRST, NONE, of_another, of_fewer

_NOT_FOR_THE_FIRST = frozenset({IndexKind.PREVIOUS, IndexKind.BEFORE})


@dataclass(frozen=True, slots=True)
class Consistency:
    """What the verdict on all selected elements tells of that on any subset of them.

    A subset keeps the elements that `[i]` stands at, and is empty only where the pattern allows
    it. The elements are of the variable's type and meet the conditions on one event. A verdict is
    that of semantics 2: null is not met, and a condition that does not apply is.
    """

    true: bool
    """Met by all selected elements, it is met by every subset (SAFE)."""
    false: bool
    """Not met by all selected elements, it is met by no subset (discard)."""
    reason: str
    """Why, in one sentence."""

    def __str__(self) -> str:
        match self.true, self.false:
            case True, True:
                return "true- and false-value consistent"
            case True, False:
                return "true-value consistent"
            case False, True:
                return "false-value consistent"
            case _:
                return "inconsistent"


def classify(condition: Expression, query: LogicalQuery) -> Consistency:
    """The class of a conjunct of a query."""
    verdict = _Verdict(query, Known(query))
    attributes = [node for node in walk(condition) if isinstance(node, Attribute)]
    moves = verdict.truth(condition)
    reasons = list(dict.fromkeys(verdict.reasons(condition)))
    unmet = stays_unmet(moves)
    if unmet and any(not _NOT_FOR_THE_FIRST.isdisjoint(node.indices) for node in attributes):
        # Alone, the current element is the first, of which the condition does not speak.
        unmet = stays_unmet(with_truth(moves))
        reasons += [FIRST]
    if not reasons:
        repeated = any(query.variables[node.variable].loops for node in attributes)
        reasons = [ALONE if repeated else NONE]
    return Consistency(stays_met(moves), unmet, "; ".join(reasons))


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What may become of truths and values where fewer elements are selected."""

    query: LogicalQuery
    known: Known

    def truth(self, node: Expression) -> Moves:
        """What may become of a condition."""
        match node:
            case Conjunction():
                return all_of(map(self.truth, node.operands))
            case Disjunction():
                return any_of(map(self.truth, node.operands))
            case Inversion():
                return none_of(self.truth(node.operand))
            case Comparison():
                values = [self.value(operand) for operand in node.operands]
                links = zip(node.operators, values, values[1:], strict=False)
                return all_of(compared(*link) for link in links)
            case Range():
                value, low, high = map(self.value, (node.operand, node.low, node.high))
                inside = all_of((compared("<=", low, value), compared("<=", value, high)))
                return none_of(inside) if node.negated else inside
            case Membership():
                value = self.value(node.operand)
                found = any_of(compared("=", value, self.value(item)) for item in node.items)
                return none_of(found) if node.negated else found
            case NullTest():
                found = null_test(self.value(node.operand))
                return none_of(found) if node.negated else found
            case Attribute() | Aggregate():
                return truth_of(self.value(node))
            case _:
                return STILL if self.is_fixed(node) else FREE

    def value(self, node: Expression) -> Change:
        """What may become of a value."""
        match node:
            case Attribute():
                return ANYHOW if elsewhere(node) else FIXED
            case Aggregate():
                return self.aggregate(node)
            case Negative():
                return self.negative(node)
            case Arithmetic():
                return self.arithmetic(node)
            case _:
                return FIXED if self.is_fixed(node) else ANYHOW

    def is_fixed(self, node: Expression) -> bool:
        """Whether nothing that a node is made of may change."""
        return not any(self.value(child).varies for child in children(node))

    def aggregate(self, node: Aggregate) -> Change:
        """What may become of an aggregate over fewer elements."""
        attribute = ranged(node)
        if elsewhere(attribute) or not self.is_element_wise(node, attribute):
            return ANYHOW
        if node.name == "last" and is_current(attribute, self.query):
            return FIXED
        facts = self.known.of(node.argument)
        vanishes = facts.null or may_be_empty(attribute, self.query)
        match node.name:
            case "count":
                return Change(falls=True)
            case "max":
                return Change(falls=True, vanishes=vanishes)
            case "min":
                return Change(rises=True, vanishes=vanishes)
            case "sum":
                overflows = sum_overflows(facts, type_of(node.argument))
                return Change(
                    falls=facts.high > 0 or facts.nan,
                    rises=facts.low < 0,
                    vanishes=vanishes or (overflows and facts.low < 0 < facts.high),
                    appears=overflows,
                )
            case _:
                return ANYHOW

    def is_element_wise(self, node: Aggregate, attribute: Attribute) -> bool:
        """Whether each element has its value whatever others are selected."""
        picked = (attribute.variable, attribute.indices)
        return not any(
            isinstance(inner, Aggregate)
            or (
                isinstance(inner, Attribute)
                and (inner.variable, inner.indices) != picked
                and self.value(inner).varies
            )
            for inner in walk(node.argument)
        )

    def negative(self, node: Negative) -> Change:
        """NaN, the greatest value, is its own negative; so is what has none in 64 bits."""
        change, facts = self.value(node.operand), self.known.of(node.operand)
        if not change.varies:
            return FIXED
        if facts.nan:
            return ANYHOW
        lost = LOSES if overflows(facts.low, facts.high, type_of(node)) else FIXED
        return change.turned() | lost

    def arithmetic(self, node: Arithmetic) -> Change:
        """Sums and differences follow their operands, and products with a constant the sign of it.

        Rounding keeps the order. What may be NaN, and what may overflow, does not.
        """
        left, right = self.value(node.left), self.value(node.right)
        if not (left.varies or right.varies):
            return FIXED
        known, by = self.known.of(node.left), self.known.of(node.right)
        match node.operator:
            case "+" if not _clash(known, by):
                moved = left | right
            case "-" if not _clash(known, _negative(by)) and not (right.varies and by.nan):
                moved = left | right.turned()
            case "*" | "/" if not right.varies:
                moved = _scaled(left, known, by)
            case "*" if not left.varies:
                moved = _scaled(right, by, known)
            case _:
                return ANYHOW
        return moved | (LOSES if self.known.calculation_overflows(node) else FIXED)

    def reasons(self, condition: Expression) -> Iterator[str]:
        """What is said of each part of a condition that may change."""
        for node in walk(condition):
            if isinstance(node, Aggregate) and self.value(node).varies:
                yield of_fewer(node, self.value(node))
            elif isinstance(node, Attribute) and elsewhere(node):
                yield of_another(node)


def _negative(facts: Facts) -> Facts:
    return replace(facts, low=-facts.high, high=-facts.low)


def _clash(one: Facts, other: Facts) -> bool:
    """Whether infinities of both signs may meet in a sum, which makes it NaN."""
    return one.high == -other.low == inf or -one.low == other.high == inf


def _scaled(change: Change, facts: Facts, by: Facts) -> Change:
    """What may become of a value times or over another that stays as it is."""
    if by.nan or not by.finite:
        return ANYHOW
    if by.low > 0:
        return change
    return change.turned() if by.high < 0 and not facts.nan else ANYHOW
