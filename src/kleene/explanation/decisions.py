"""Where each condition of a query is decided."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kleene.language.expressions import Attribute, Expression
from kleene.language.printer import print_expression
from kleene.language.traversal import walk
from kleene.logical.algebra import LogicalQuery, Node, Not
from kleene.logical.algebra import walk as walk_nodes
from kleene.program.columns import Columns, Unsupported
from kleene.program.filters import plan_filters
from kleene.program.layout import Layout, plan_layout
from kleene.program.points import Bind, Leave, schedule

FILTER = "filter"
BINDING = "on binding"
LEAVING = "on leaving"
COMPLETE = "when complete"
TESTED_IF = "tested if"


@dataclass(frozen=True, slots=True)
class Decision:
    """A condition and when it is decided."""

    when: str
    condition: str


@dataclass(frozen=True, slots=True)
class Within:
    """A negation by its number, or the positive part of the pattern (None)."""

    negation: int | None


Spot = Bind | Leave | Within
Decisions = dict[Spot, list[Decision]]


def place_decisions(query: LogicalQuery, *, early: bool) -> Decisions:
    """Every condition at its spot; `early` where it is decided as soon as all in it is bound.

    Conditions on one event come before all others: they choose the events that a variable sees.
    """
    found: Decisions = {}
    layout = _layout(query)
    decided = _filters(query, layout, found) if layout is not None and early else set()
    for negation, body, conditions in _owners(query):
        left = tuple(condition for condition in conditions if id(condition) not in decided)
        if layout is not None and early:
            _scheduled(negation, body, left, layout, found)
        else:
            for condition in left:
                _note(found, Within(negation), COMPLETE, condition)
    return found


def _layout(query: LogicalQuery) -> Layout | None:
    try:
        return plan_layout(query)
    except Unsupported:
        return None


def _filters(query: LogicalQuery, layout: Layout, found: Decisions) -> set[int]:
    """Note the conditions on one event, and tell which they are."""
    try:
        decided = plan_filters(query, layout, Columns(query.resolved.shape.schema)).decided
    except Unsupported:
        return set()
    for _, _, conditions in _owners(query):
        for condition in conditions:
            if id(condition) in decided:
                event = next(node for node in walk(condition) if isinstance(node, Attribute))
                _note(found, Bind(event.variable), FILTER, condition)
    return decided


def _scheduled(
    negation: int | None,
    body: Node,
    conditions: tuple[Expression, ...],
    layout: Layout,
    found: Decisions,
) -> None:
    timed, rest = schedule(body, conditions, layout, negation)
    for point, decided in timed.items():
        for condition in decided:
            _note(found, point, BINDING if isinstance(point, Bind) else LEAVING, condition)
    for condition in rest:
        when = COMPLETE if negation is None else TESTED_IF
        _note(found, Within(negation), when, condition)


def _owners(query: LogicalQuery) -> Iterator[tuple[int | None, Node, tuple[Expression, ...]]]:
    """The positive part and each negation, with the conditions that belong to it."""
    yield None, query.pattern, query.conditions
    for node in walk_nodes(query.pattern):
        if isinstance(node, Not):
            yield node.number, node.body, node.conditions


def _note(found: Decisions, spot: Spot, when: str, condition: Expression) -> None:
    found.setdefault(spot, []).append(Decision(when, print_expression(condition)))
