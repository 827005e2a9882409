"""Where each condition belongs, and whether it can be decided there (semantics 2 and 3)."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from kleene.errors import (
    ExclusiveVariablesError,
    ScopeError,
    UnknownFunctionError,
)
from kleene.language.coercion import coerce
from kleene.language.expressions import (
    Aggregate,
    Attribute,
    Call,
    Comparison,
    Disjunction,
    Expression,
    IndexKind,
    NullTest,
)
from kleene.language.functions import FUNCTIONS
from kleene.language.indices import ELEMENTS
from kleene.language.presence import bound_by, witnesses
from kleene.language.resolved import Conjunct, Variable
from kleene.language.scopes import Scope, resolve_expression
from kleene.language.traversal import flattened, walk
from kleene.language.types import check_condition
from kleene.language.variables import InlineCondition

_RELATING = frozenset({IndexKind.PREVIOUS, IndexKind.FIRST, IndexKind.BEFORE, IndexKind.UP_TO})
"""Indices that relate elements of a variable to each other (semantics 2, Kleene variables)."""


def where_conjuncts(condition: Expression, scope: Scope) -> list[Conjunct]:
    """The conjuncts of one condition of WHERE, each with the negation that it belongs to."""
    found = []
    for link in _links(condition):
        resolved = resolve_condition(link, scope)
        owner = _innermost(resolved, scope)
        found.append(Conjunct(resolved, owner[-1] if owner else None, link.span))
    return found


def inline_conjuncts(written: InlineCondition, scope: Scope) -> list[Conjunct]:
    """The conjuncts of a condition written at a pattern: they belong where they are written."""
    here = written.place.negations
    scope = replace(scope, place=written.place, own=written.own)
    found: list[Conjunct] = []
    for link in (link for c in flattened(written.condition) for link in _links(c)):
        resolved = resolve_condition(link, scope)
        for variable, attribute in _named(resolved, scope):
            if here[: len(variable.negations)] != variable.negations:
                raise ScopeError(
                    f"{variable.name} is negated, so this condition may not name it",
                    attribute.span,
                    "write it in WHERE, or inside the negation, "
                    f"as in ({variable.type or 'ANY'} {variable.name} : …)",
                )
        owner = here[-1] if here else None
        found.extend(Conjunct(c, owner, link.span) for c in _where_written(resolved, scope))
    return found


def _where_written(condition: Expression, scope: Scope) -> list[Expression]:
    """The condition, made to apply only where the part that it is written at is there.

    Of itself it does if it names a variable of the part. Else one that tells is named beside it:
    a bound event is never without a time.
    """
    part = scope.place.part
    if part is None:
        return [condition]
    inside = set(bound_by(part))
    if any(variable.key in inside for variable, _ in _named(condition, scope)):
        return [condition]
    time = scope.shape.time[0]
    found: list[Expression] = []
    for name in witnesses(part):
        each = (IndexKind.EACH,) * len(scope.variables[name.casefold()].loops)
        event = Attribute(name, each, (time,), scope.shape.time_type, condition.span)
        found.append(Disjunction((condition, NullTest(event)), condition.span))
        _check_exclusive(found[-1], scope)
    return found


def resolve_condition(condition: Expression, scope: Scope) -> Expression:
    """A condition with names and types resolved and checked."""
    resolved = coerce(resolve_expression(condition, scope), scope.aggregates)
    check_condition(resolved, scope.aggregates)
    check_functions(resolved)
    _check_exclusive(resolved, scope)
    return resolved


def check_functions(node: Expression) -> None:
    """Functions that only Spark knows are computed on single events, before any matching."""
    for call in walk(node):
        if not isinstance(call, Call) or call.name in FUNCTIONS:
            continue
        below = list(walk(call))
        events = {(a.variable, a.indices) for a in below if isinstance(a, Attribute)}
        ranged = any(ELEMENTS.isdisjoint(indices) and indices for _, indices in events)
        if len(events) > 1 or ranged or any(isinstance(a, Aggregate) for a in below):
            raise UnknownFunctionError(
                f"{call.name} is a function of Spark, and those take one event at a time",
                call.span,
                f"use it on each event apart, as in {call.name}(a.x)",
                "functions of Kleene itself go everywhere: abs, lower, substring, date_trunc, …",
            )


def with_sequences(variables: list[Variable], conjuncts: list[Conjunct]) -> tuple[Variable, ...]:
    """The variables, those marked as sequences whose elements a condition relates."""
    related = {
        attribute.variable
        for conjunct in conjuncts
        for attribute in walk(conjunct.condition)
        if isinstance(attribute, Attribute) and attribute.indices
        if attribute.indices[-1] in _RELATING
    }
    return tuple(replace(v, sequence=v.kleene and v.name in related) for v in variables)


def _links(condition: Expression) -> list[Expression]:
    """`a = b = c` is two conjuncts, decided apart."""
    if not isinstance(condition, Comparison):
        return [condition]
    operands, operators = condition.operands, condition.operators
    pairs = zip(operands, operators, operands[1:], strict=False)
    return [Comparison((left, right), (op,), condition.span) for left, op, right in pairs]


def _named(condition: Expression, scope: Scope) -> list[tuple[Variable, Attribute]]:
    return [
        (scope.variables[node.variable.casefold()], node)
        for node in walk(condition)
        if isinstance(node, Attribute) and node.variable
    ]


def _innermost(condition: Expression, scope: Scope) -> tuple[int, ...]:
    """The negations around the condition: those of its most deeply negated variable."""
    deepest: tuple[int, ...] = ()
    deepest_name = ""
    for variable, attribute in _named(condition, scope):
        path = variable.negations
        shorter = min(len(path), len(deepest))
        if path[:shorter] != deepest[:shorter]:
            raise ScopeError(
                f"{variable.name} and {deepest_name} are negated apart: nothing binds both",
                attribute.span,
                "a condition may name variables of one negation and of what encloses it",
            )
        if len(path) > len(deepest):
            deepest, deepest_name = path, variable.name
    return deepest


def _check_exclusive(condition: Expression, scope: Scope) -> None:
    """Refuse variables of different branches of one OR, unless iterations of a group part them."""
    distinct = {
        (variable.key, attribute.indices): (variable, attribute)
        for variable, attribute in reversed(_named(condition, scope))
        if variable.branches
    }
    for (first, a), (second, b) in combinations(reversed(distinct.values()), 2):
        for step, other in zip(first.branches, second.branches, strict=False):
            if step.choice != other.choice:
                break
            if step.branch == other.branch:
                continue
            around = a.indices[: step.loops]
            if around == b.indices[: step.loops] and ELEMENTS.issuperset(around):
                raise ExclusiveVariablesError(
                    f"{first.name} and {second.name} are in different branches of OR: "
                    "no match binds both",
                    b.span,
                    "write a condition for each of them; it applies where its variable is bound",
                )
