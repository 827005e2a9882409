"""Negation as the game of paper 3 (semantics 3).

A binding of the positive part is a match iff no extension of it satisfies the pattern with a `!`
taken off; what is negated inside the extension keeps its meaning, one level at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

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
)
from kleene.logical.binding import Binding, all_events
from kleene.logical.decide import Ground, holds
from kleene.logical.derive import Material, derive
from kleene.logical.history import HistoryEvent, Time


@dataclass(frozen=True, slots=True)
class World:
    """What a binding is judged in: the events of its partition, and the window."""

    candidates: Sequence[HistoryEvent]
    ground: Ground
    window: Time | None

    @property
    def material(self) -> Material:
        """The candidates as material for derivations."""
        return Material(self.candidates, {e.position: e.rank for e in self.candidates})

    def fits_window(self, binding: Binding) -> bool:
        """`latest - earliest < w` over the events of the binding."""
        if self.window is None:
            return True
        times = [self.ground.events[event].time for event in all_events(binding)]
        return max(times) - min(times) < self.window  # type: ignore[operator]


def survives(binding: Binding, pattern: Node, world: World) -> bool:
    """Whether no negation of the pattern has an extension of the binding."""
    return not any(rejections(binding, pattern, world))


def rejections(binding: Binding, pattern: Node, world: World) -> Iterator[Binding]:
    """The extensions of a binding that reject it, each found through one negation."""
    for negation in negations(pattern):
        extended = unmasked(pattern, negation)
        material = replace(world.material, fixed=binding, extending=negation.number)
        for part in derive(extended, material):
            if (
                part.extensions == 1
                and all(part.binding[name] == value for name, value in binding.items())
                and world.fits_window(part.binding)
                and all(holds(c, part.binding, world.ground) for c in negation.conditions)
                and survives(part.binding, extended, world)
            ):
                yield part.binding


def negations(node: Node) -> Iterator[Not]:
    """The negations of a pattern that no other negation encloses."""
    match node:
        case Not():
            yield node
        case Event() | Kleene():
            return
        case Seq() | And() | Or():
            for part in node.parts:
                yield from negations(part)
        case Optional() | Repeat() | Extended():
            yield from negations(node.body)
        case _:
            assert_never(node)


def unmasked(node: Node, negation: Not) -> Node:
    """The pattern with the `!` of one negation taken off and its siblings deleted."""
    match node:
        case Not() if node.number == negation.number:
            return Extended(node.number, node.body)
        case Not():
            return Seq(())
        case Event() | Kleene():
            return node
        case Seq() | And() | Or():
            return replace(node, parts=tuple(unmasked(part, negation) for part in node.parts))
        case Optional() | Repeat() | Extended():
            return replace(node, body=unmasked(node.body, negation))
        case _:
            assert_never(node)
