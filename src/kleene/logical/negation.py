"""Negation as the game of paper 3 (semantics 3).

A binding of the positive part is a match iff no extension of it satisfies the pattern with a `!`
taken off; what is negated inside the extension keeps its meaning, one level at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from kleene.language.expressions import Attribute, Expression
from kleene.language.traversal import walk as walk_expression
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
    walk,
)
from kleene.logical.binding import Binding, Value, all_events, events_of
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
        for extension in extensions(binding, pattern, negation, world):
            if survives(extension, extended, world):
                yield extension


def extensions(binding: Binding, pattern: Node, negation: Not, world: World) -> Iterator[Binding]:
    """What a negation may add to a binding; whether what is negated in it objects, is left open."""
    material = replace(world.material, fixed=binding, extending=negation.number)
    for part in derive(unmasked(pattern, negation), material):
        if (
            part.extensions == 1
            and all(part.binding[name] == value for name, value in binding.items())
            and world.fits_window(part.binding)
            and _meets_conditions(part.binding, negation, pattern, world.ground)
        ):
            yield part.binding


def _meets_conditions(binding: Binding, negation: Not, pattern: Node, ground: Ground) -> bool:
    """Whether an extension meets the conditions of its negation.

    Those that name none of its variables speak of the iteration in which it is tested. Where one of
    its variables is named, that is unbound in all others, and the condition does not apply there.
    """
    own = set(variables_of(negation.body))
    tested = _tested(own, _groups_around(pattern, negation), binding, ground)
    return all(
        holds(condition, binding, ground, {} if own & _named(condition) else tested)
        for condition in negation.conditions
    )


def _named(condition: Expression) -> set[str]:
    return {node.variable for node in walk_expression(condition) if isinstance(node, Attribute)}


def _groups_around(pattern: Node, negation: Not) -> int:
    """How many groups are around a negation."""
    return sum(
        isinstance(node, Repeat) and any(below is negation for below in walk(node.body))
        for node in walk(pattern)
    )


def _tested(own: set[str], depth: int, binding: Binding, ground: Ground) -> dict[int, int]:
    """The iterations of the loops around a negation in which its variables are bound."""
    for name in own:
        value = binding[name]
        path: list[int] = []
        while len(path) < depth and (turn := _turn_with_events(value)) is not None:
            path.append(turn)
            value = value[turn] if isinstance(value, tuple) else None
        if len(path) == depth:
            return dict(zip(ground.loops[name], path, strict=False))
    raise AssertionError("an extension binds at least one event")


def _turn_with_events(value: Value) -> int | None:
    items = value if isinstance(value, tuple) else ()
    return next((turn for turn, item in enumerate(items) if list(events_of(item))), None)


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
