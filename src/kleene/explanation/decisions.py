"""Where each condition of a query is decided."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from kleene.language.expressions import Attribute, Expression
from kleene.language.printer import print_expression
from kleene.language.syntax import Strategy
from kleene.language.traversal import walk
from kleene.logical.algebra import LogicalQuery, Node, Not
from kleene.logical.algebra import walk as walk_nodes
from kleene.optimizer.consistency import classify
from kleene.program.columns import Columns
from kleene.program.filters import plan_filters
from kleene.program.layout import Layout, plan_layout
from kleene.program.order import Order
from kleene.program.points import Bind, Leave, Schedule, schedule

FILTER = "filter"
BINDING = "on binding"
LEAVING = "on leaving"
COMPLETE = "when complete"
TESTED_IF = "tested if"


@dataclass(frozen=True, slots=True)
class Decision:
    """A condition and when it is decided; of one on a repetition also its consistency class."""

    when: str
    condition: str
    consistency: str = ""


@dataclass(frozen=True, slots=True)
class Within:
    """A negation by its number, or the positive part of the pattern (None)."""

    negation: int | None


Spot = Bind | Leave | Within
Decisions = dict[Spot, list[Decision]]
_Note = Callable[[Spot, str, Expression], None]
"""Puts a condition that is decided at a moment to its spot."""


def place_decisions(query: LogicalQuery, order: Order, *, early: bool) -> Decisions:
    """Every condition at its spot; `early` where it is decided as soon as all in it is bound.

    Conditions on one event come before all others: they choose the events that a variable sees.
    """
    found: Decisions = {}
    note = partial(_note, found, query)
    layout = plan_layout(query)
    decided = _filters(query, layout, note) if early else set()
    for negation, body, conditions in _owners(query):
        left = tuple(condition for condition in conditions if id(condition) not in decided)
        if early:
            _scheduled(schedule(body, left, layout, negation, order), negation, note)
        else:
            for condition in left:
                note(Within(negation), COMPLETE, condition)
    return found


def _filters(query: LogicalQuery, layout: Layout, note: _Note) -> set[int]:
    """Note the conditions on one event, and tell which they are."""
    decided = plan_filters(query, layout, Columns(query.resolved.shape.schema)).decided
    for _, _, conditions in _owners(query):
        for condition in conditions:
            if id(condition) in decided:
                event = next(node for node in walk(condition) if isinstance(node, Attribute))
                note(Bind(event.variable), FILTER, condition)
    return decided


def _scheduled(scheduled: Schedule, negation: int | None, note: _Note) -> None:
    timed, rest = scheduled
    for point, decided in timed.items():
        for condition in decided:
            when = BINDING if isinstance(point, Bind) else LEAVING
            note(point, when, condition)
    for condition in rest:
        when = COMPLETE if negation is None else TESTED_IF
        note(Within(negation), when, condition)


def _owners(query: LogicalQuery) -> Iterator[tuple[int | None, Node, tuple[Expression, ...]]]:
    """The positive part and each negation, with the conditions that belong to it."""
    yield None, query.pattern, query.conditions
    for node in walk_nodes(query.pattern):
        if isinstance(node, Not):
            yield node.number, node.body, node.conditions


def _note(
    found: Decisions, query: LogicalQuery, spot: Spot, when: str, condition: Expression
) -> None:
    decision = Decision(when, print_expression(condition), _consistency(condition, query))
    found.setdefault(spot, []).append(decision)


def _consistency(condition: Expression, query: LogicalQuery) -> str:
    """The class of a condition on a repetition; only skip-till-any-match takes subsets."""
    nodes = (node for node in walk(condition) if isinstance(node, Attribute))
    if query.resolved.strategy is not Strategy.ANY or not any(node.indices for node in nodes):
        return ""
    found = classify(condition, query)
    return f"{found}: {found.reason}"
