"""Negations that a run decides by one event: the next forbidden event behind those that it has.

Between two parts of a sequence there is none iff the first one behind the last event so far is not
before the event that goes on. Before the first part and behind the last one the window decides.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from kleene.logical.algebra import Event, LogicalQuery, Node, Not, Seq, walk
from kleene.logical.binding import nullable
from kleene.program.merging.enumerates import Enumerates
from kleene.program.shapes import AtPart, Shape


@dataclass(frozen=True, slots=True)
class Gap:
    """A negation of single events: its place in the sequence, and whether parts are on each side.

    `last_of_3` is for each event the forbidden one before it, `next_of_3` that behind it, or -1.
    """

    number: int
    variable: str
    place: int
    before: bool
    after: bool

    def is_crossed(self, source: Shape, target: Shape) -> bool:
        """Whether a move goes from the parts before to those behind."""
        return _part(source) < self.place < _part(target)


def _part(shape: Shape) -> int:
    return shape.number if isinstance(shape, AtPart) else -1


def plan_gaps(query: LogicalQuery, decided: Container[int]) -> tuple[Gap, ...]:
    """The negations of a query; Enumerates where one needs more than an event to be decided."""
    negations = [node for node in walk(query.pattern) if isinstance(node, Not)]
    parts = query.pattern.parts if isinstance(query.pattern, Seq) else ()
    found = []
    for node in negations:
        place = next((n for n, part in enumerate(parts) if part is node), None)
        if place is None:
            raise Enumerates("a negation stands within another part of the pattern")
        if not isinstance(node.body, Event):
            raise Enumerates("a negation forbids more than single events")
        if any(id(condition) not in decided for condition in node.conditions):
            raise Enumerates(f"which {node.body.variable} is forbidden depends on the match")
        before, after = (_sides(side) for side in (parts[:place], parts[place + 1 :]))
        if before is None or after is None:
            raise Enumerates(
                f"nothing need be bound on one side of the negation {node.body.variable}"
            )
        found.append(Gap(node.number, node.body.variable, place, before, after))
    return tuple(found)


def _sides(parts: tuple[Node, ...]) -> bool | None:
    """Whether there is an event on a side of a negation; None if that depends on the match."""
    positive = [part for part in parts if not isinstance(part, Not)]
    if not positive:
        return False
    return None if all(map(nullable, positive)) else True
