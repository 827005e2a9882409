"""When each condition can be decided: as soon as the last thing that it asks about is known.

A machine visits the events of a pattern in an `Order`. Conditions are decided when an event is
bound or when a repetition is left, whichever of their references comes last.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeGuard, assert_never

from kleene.language.expressions import Attribute, Expression, IndexKind
from kleene.language.traversal import walk
from kleene.logical.algebra import (
    And,
    Event,
    Extended,
    Kleene,
    Node,
    Not,
    Optional,
    Or,
    Repeat,
    Seq,
    variables_of,
)
from kleene.program.layout import Layout
from kleene.program.order import AS_WRITTEN, Order


@dataclass(frozen=True, slots=True)
class Bind:
    """An event is bound to a variable."""

    variable: str


@dataclass(frozen=True, slots=True)
class Leave:
    """A loop is left."""

    loop: int


Point = Bind | Leave
Schedule = tuple[dict[Point, list[Expression]], list[Expression]]
"""The conditions to decide at each point, and those that ask about nothing of the body."""


def points(node: Node, layout: Layout, order: Order) -> Iterator[Point]:
    """The points of a pattern in the order in which a machine passes them."""
    passed = sorted(_points(node, layout), key=lambda found: order.turn(found[0]))
    return (point for _, point in passed)


def _points(node: Node, layout: Layout) -> Iterator[tuple[str, Point]]:
    """Each point as it is written, with a variable that has the same turn."""
    match node:
        case Event():
            yield node.variable, Bind(node.variable)
        case Kleene():
            yield node.variable, Bind(node.variable)
            yield node.variable, Leave(layout.slot(node.variable).loops[-1])
        case Seq() | And() | Or():
            for part in node.parts:
                yield from _points(part, layout)
        case Optional() | Extended():
            yield from _points(node.body, layout)
        case Repeat():
            yield from _points(node.body, layout)
            yield next(variables_of(node)), Leave(layout.group_loops[id(node)])
        case Not():
            return
        case _:
            assert_never(node)


def schedule(
    body: Node,
    conditions: tuple[Expression, ...],
    layout: Layout,
    negation: int | None,
    order: Order = AS_WRITTEN,
) -> Schedule:
    """When each of some conditions is decided."""
    passed = {point: number for number, point in enumerate(points(body, layout, order))}
    timed: dict[Point, list[Expression]] = {}
    rest: list[Expression] = []
    for condition in conditions:
        own = [
            attribute
            for attribute in walk(condition)
            if isinstance(attribute, Attribute)
            and layout.slot(attribute.variable).negation == negation
        ]
        if own:
            latest = max(
                (_known_at(attribute, layout) for attribute in own), key=passed.__getitem__
            )
            timed.setdefault(_surely_passed(latest, own, layout), []).append(condition)
        else:
            rest.append(condition)
    return timed, rest


def _surely_passed(point: Point, attributes: list[Attribute], layout: Layout) -> Point:
    """A point that is passed whenever the condition applies.

    An iteration in which a variable stays unbound does not pass the points of that variable. A
    condition that asks about the current iteration does not apply then; one that asks about
    another (`b[i-1]`) does, and waits for the end of the group.
    """
    for attribute in attributes:
        slot = layout.slot(attribute.variable)
        groups = slot.loops[:-1] if slot.array else slot.loops
        if _known_at(attribute, layout) != point or not groups:
            continue
        around = groups[: groups.index(point.loop)] if _leaves(point, groups) else groups
        kinds = attribute.indices[len(slot.around) :]
        if any(kind is not IndexKind.EACH for kind, _ in zip(kinds, around, strict=False)):
            return Leave(groups[0])
    return point


def _leaves(point: Point, groups: tuple[int, ...]) -> TypeGuard[Leave]:
    return isinstance(point, Leave) and point.loop in groups


def _known_at(attribute: Attribute, layout: Layout) -> Point:
    """Elements are known when they are bound, a whole array when its loop is left."""
    slot = layout.slot(attribute.variable)
    kinds = attribute.indices[len(slot.around) :]
    for kind, loop in zip(kinds, slot.loops, strict=True):
        if kind is IndexKind.ALL:
            return Leave(loop)
    return Bind(attribute.variable)
