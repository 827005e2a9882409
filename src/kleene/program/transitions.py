"""The transitions of a run: the rules of `logical.next_match`, applied to shapes.

An event fits a transition if its leaf takes such events, counts allow it, and conditions hold. It
makes a move of each that it fits, unless it also fits one that has precedence: an event that fills
what could be passed over does not pass it over.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
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
from kleene.logical.binding import nullable
from kleene.program.effects import Effect, Planner
from kleene.program.layout import Layout
from kleene.program.shapes import (
    FRESH,
    NOTHING,
    TAKEN,
    AtPart,
    Need,
    Needs,
    Parts,
    Shape,
    Within,
    completion,
)


@dataclass(frozen=True)
class Move:
    """A transition of a component, and the shape that it comes to.

    `origin` is the same however deep the component is in the pattern. `fills` as in `next_match`.
    """

    leaf: Event | Kleene
    to: Shape
    origin: object = field(default_factory=object)
    fills: bool = False
    needs: Needs = NOTHING
    behind: frozenset[object] = frozenset()
    """The origins of those that have precedence."""
    effects: frozenset[Effect] = frozenset()

    def after(
        self,
        effects: Iterable[Effect] = (),
        needs: Needs = NOTHING,
        behind: Iterable[Move] = (),
    ) -> Move:
        """The same with more that goes before it."""
        return replace(
            self,
            needs=self.needs | needs,
            behind=self.behind.union(move.origin for move in behind),
            effects=self.effects.union(effects),
        )


class Rules:
    """The transitions of each node; `depth` is the number of groups around it."""

    def __init__(self, layout: Layout) -> None:
        self.planner = Planner(layout)

    def moves(self, node: Node, at: Shape, depth: int = 0) -> list[Move]:
        """The transitions of a node, those that have precedence before the others."""
        match node:
            case Event():
                return [Move(node, TAKEN)] if at is FRESH else []
            case Kleene():
                return self._gather(node, at, depth)
            case Seq():
                return self._in_sequence(node, at, depth)
            case And():
                return self._in_conjunction(node, at, depth)
            case Or():
                return self._in_choice(node, at, depth)
            case Optional():
                return self._in_optional(node, at, depth)
            case Repeat():
                return self._in_group(node, at, depth)
            case Not():
                return []
            case Extended():
                raise AssertionError("runs are of the positive part")
            case _:
                assert_never(node)

    def _gather(self, node: Kleene, at: Shape, depth: int) -> list[Move]:
        if at is FRESH:
            effects = frozenset(self.planner.gathering(node, depth))
            return [] if node.high == 0 else [Move(node, TAKEN, effects=effects)]
        return [Move(node, TAKEN, needs=_room(node.variable, node.high))]

    def _in_sequence(self, node: Seq, at: Shape, depth: int) -> list[Move]:
        """Within the current part, or on to the next."""
        if not isinstance(at, AtPart):
            return self._enter_from(node, 0, depth)
        current = node.parts[at.number]
        inside = self.moves(current, at.part, depth)
        found = [replace(move, to=AtPart(at.number, move.to)) for move in inside]
        needs = completion(current, at.part)
        if needs is not None:
            left = list(self.planner.leaving(current, at.part, depth))
            filling = [move for move in inside if move.fills]
            found += [
                move.after(left, needs, filling)
                for move in self._enter_from(node, at.number + 1, depth)
            ]
        return found

    def _enter_from(self, node: Seq, start: int, depth: int) -> list[Move]:
        """The first part from there on that the event fits; empty ones are passed over."""
        found: list[Move] = []
        passed: list[Effect] = []
        for number in range(start, len(node.parts)):
            part = node.parts[number]
            found += [
                replace(move, to=AtPart(number, move.to), fills=True).after(passed, behind=found)
                for move in self.moves(part, FRESH, depth)
            ]
            if not nullable(part):
                break
            passed += self.planner.leaving(part, FRESH, depth, entering=True)
        return found

    def _in_conjunction(self, node: And, at: Shape, depth: int) -> list[Move]:
        """Each open place."""
        shapes = at.parts if isinstance(at, Parts) else (FRESH,) * len(node.parts)
        return [
            replace(
                move,
                to=Parts((*shapes[:number], move.to, *shapes[number + 1 :])),
                fills=move.fills or shapes[number] is FRESH,
            )
            for number, part in enumerate(node.parts)
            for move in self.moves(part, shapes[number], depth)
        ]

    def _in_choice(self, node: Or, at: Shape, depth: int) -> list[Move]:
        """Each branch, until one is taken."""
        if isinstance(at, AtPart):
            inside = self.moves(node.parts[at.number], at.part, depth)
            return [replace(move, to=AtPart(at.number, move.to)) for move in inside]
        return [
            replace(move, to=AtPart(branch, move.to)).after(
                self.planner.choosing(node, branch, depth)
            )
            for branch, part in enumerate(node.parts)
            for move in self.moves(part, FRESH, depth)
        ]

    def _in_optional(self, node: Optional, at: Shape, depth: int) -> list[Move]:
        part = at.part if isinstance(at, Within) else FRESH
        effects = list(self.planner.present(node.body, depth)) if part is FRESH else []
        inside = self.moves(node.body, part, depth)
        return [replace(move, to=Within(move.to)).after(effects) for move in inside]

    def _in_group(self, node: Repeat, at: Shape, depth: int) -> list[Move]:
        """Within the iteration under way, or into a new one."""
        inside: list[Move] = []
        needs: Needs | None = NOTHING
        last = at.part if isinstance(at, Within) else FRESH
        if last is not FRESH:
            inside = self.moves(node.body, last, depth + 1)
            needs = completion(node.body, last)
        found = [replace(move, to=Within(move.to)) for move in inside]
        if needs is None or node.high == 0:
            return found
        if last is not FRESH:
            needs |= _room(id(node), node.high)
        turn = list(self.planner.turning(node, last, depth))
        filling = [move for move in inside if move.fills]
        return found + [
            replace(move, to=Within(move.to), fills=False).after(turn, needs, filling)
            for move in self.moves(node.body, FRESH, depth + 1)
        ]


def _room(of: str | int, high: int | None) -> Needs:
    """Whether a quantifier allows one more."""
    return NOTHING if high is None else frozenset((Need(of, high, room=True),))
