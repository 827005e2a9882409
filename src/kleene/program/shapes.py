"""How far a run is in a pattern, without the events that it has bound (semantics 4).

A shape says of each node of the pattern what a configuration of `logical.configuration` says, apart
from events and counts. So there are finitely many, and they are the control states of a kernel.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto
from typing import TypeAlias

from kleene.logical.algebra import (
    And,
    Event,
    Kleene,
    Node,
    Optional,
    Or,
    Repeat,
    Seq,
    variables_of,
)
from kleene.logical.binding import nullable


class Simple(Enum):
    """A node that has taken nothing; an event or a Kleene variable that has."""

    FRESH = auto()
    TAKEN = auto()


@dataclass(frozen=True, slots=True)
class AtPart:
    """A sequence, and the part that it is at; or a choice, and the branch that was taken.

    What a sequence has left behind does not matter any more, and what is to come is fresh.
    """

    number: int
    part: Shape


@dataclass(frozen=True, slots=True)
class Parts:
    """A conjunction: a shape for each part."""

    parts: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class Within:
    """An optional part that is there, or the iteration of a group that is under way."""

    part: Shape


Shape: TypeAlias = Simple | AtPart | Parts | Within
FRESH, TAKEN = Simple.FRESH, Simple.TAKEN


@dataclass(frozen=True, slots=True)
class Need:
    """What only counts tell: enough for a quantifier to be left, or room for one more.

    Of a Kleene variable, by its name, or of a group, by the identity of its node.
    """

    of: str | int
    bound: int
    room: bool


Needs: TypeAlias = frozenset[Need]
NOTHING: Needs = frozenset()


def completion(node: Node, shape: Shape) -> Needs | None:
    """What must be so for a node to be complete; None where it is not whatever the counts."""
    match node, shape:
        case _, Simple.FRESH:
            return NOTHING if nullable(node) else None
        case Kleene(), _:
            return _enough(node.variable, node.low)
        case Seq(), AtPart():
            if not all(map(nullable, node.parts[shape.number + 1 :])):
                return None
            return completion(node.parts[shape.number], shape.part)
        case And(), Parts():
            return _all(completion(p, s) for p, s in zip(node.parts, shape.parts, strict=True))
        case Or(), AtPart():
            return completion(node.parts[shape.number], shape.part)
        case Optional(), Within():
            return completion(node.body, shape.part)
        case Repeat(), Within():
            return _all((completion(node.body, shape.part), _enough(id(node), node.low)))
        case _:
            assert isinstance(node, Event)
            return NOTHING


def _enough(of: str | int, low: int) -> Needs:
    """Whoever has begun has one."""
    return frozenset((Need(of, low, room=False),)) if low > 1 else NOTHING


def _all(parts: Iterable[Needs | None]) -> Needs | None:
    found = NOTHING
    for needs in parts:
        if needs is None:
            return None
        found |= needs
    return found


@dataclass(frozen=True, slots=True)
class Standing:
    """How many of the arrays of a variable may still grow, from the outermost on.

    Within those it is either settled or `pending`: it may still be bound.
    """

    growing: int
    pending: bool

    def closed(self, level: int) -> bool:
        """Whether the array at a level can't change any more."""
        return not self.pending and level >= self.growing


def standing(node: Node, shape: Shape, variable: str) -> Standing:
    """How a variable of a node stands."""
    match node, shape:
        case _, Simple.FRESH:
            return Standing(0, pending=True)
        case _, Simple.TAKEN:
            return Standing(int(isinstance(node, Kleene)), pending=False)
        case Seq(), AtPart():
            number = _part_of(node, variable)
            if number == shape.number:
                return standing(node.parts[number], shape.part, variable)
            return Standing(0, pending=number > shape.number)
        case Or(), AtPart():
            number = _part_of(node, variable)
            if number == shape.number:
                return standing(node.parts[number], shape.part, variable)
            return Standing(0, pending=False)
        case And(), Parts():
            number = _part_of(node, variable)
            return standing(node.parts[number], shape.parts[number], variable)
        case Optional(), Within():
            return standing(node.body, shape.part, variable)
        case Repeat(), Within():
            inside = standing(node.body, shape.part, variable)
            return Standing(inside.growing + 1, inside.pending)
        case _:
            raise AssertionError((node, shape))


def _part_of(node: Seq | Or | And, variable: str) -> int:
    return next(n for n, part in enumerate(node.parts) if variable in variables_of(part))
