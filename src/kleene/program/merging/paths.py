"""Matches under skip-till-any as paths: the states of a run, and how an event moves it on.

States and moves are those of skip-till-next-match, without precedence. Tied events come one after
the other, so a move has a mask of leaves that must not have taken another event of the same rank:
those that come before it in a sequence, and all leaves of a group whose next iteration it begins.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from kleene.logical.algebra import (
    And,
    Event,
    Kleene,
    LogicalQuery,
    Node,
    Optional,
    Or,
    Repeat,
    Seq,
    parts_of,
    walk,
)
from kleene.logical.binding import nullable
from kleene.program.effects import TURNS, Effect
from kleene.program.layout import Layout, leaves
from kleene.program.merging.enumerates import Enumerates
from kleene.program.shapes import FRESH, Need, Needs, Shape, completion, standing
from kleene.program.transitions import Move, Rules

MOST_STATES, MOST_MOVES = 256, 1024
_MOST_LEAVES = 48


@dataclass(frozen=True)
class Step:
    """A move of a run: a leaf takes the event."""

    source: int
    target: int
    leaf: int
    apart: int
    """A bit for each leaf that must not have taken an event of the same rank."""
    needs: Needs
    effects: tuple[Effect, ...]


@dataclass(frozen=True)
class Paths:
    """The states of a pattern, numbered; the first is that of a run that has not begun."""

    pattern: Node
    layout: Layout
    shapes: tuple[Shape, ...]
    steps: tuple[tuple[Step, ...], ...]
    """By the state that they leave."""

    @cached_property
    def leaves(self) -> tuple[Event | Kleene, ...]:
        """What takes events."""
        return tuple(leaves(self.pattern))

    @cached_property
    def leading(self) -> int:
        """A bit for each leaf that may take the first event of a match."""
        return sum({1 << step.leaf for step in self.steps[0]})

    def needs_to_end(self, state: int) -> Needs | None:
        """What must be so for a run to be a match; None where it is none."""
        return completion(self.pattern, self.shapes[state]) if state else None

    def is_pending(self, state: int, variable: str) -> bool:
        """Whether a variable may still be bound for the first time."""
        return standing(self.pattern, self.shapes[state], variable).pending

    def is_settled(self, state: int, variable: str) -> bool:
        """Whether what a variable binds can't change any more."""
        found = standing(self.pattern, self.shapes[state], variable)
        return not found.pending and not found.growing

    @cached_property
    def counted(self) -> dict[str | int, int]:
        """Quantifiers of which a run counts the iterations, and how far it must count."""
        found: dict[str | int, int] = {}
        for need in self._needs():
            found[need.of] = max(found.get(need.of, 0), need.bound)
        return found

    def _needs(self) -> Iterator[Need]:
        for steps in self.steps:
            for step in steps:
                yield from step.needs
        for state in range(1, len(self.shapes)):
            yield from self.needs_to_end(state) or ()


def plan_paths(query: LogicalQuery, layout: Layout) -> Paths:
    """The paths of a query; Enumerates where they are not one for each match, or too many."""
    for node in walk(query.pattern):
        if isinstance(node, Or) and sum(map(nullable, node.parts)) > 1:
            raise Enumerates("several branches of an OR may bind nothing")
    rules = Rules(layout)
    found: dict[Shape, list[Move]] = {}
    numbers: dict[Shape, int] = {FRESH: 0}
    reached: list[Shape] = [FRESH]
    for shape in reached:
        found[shape] = rules.moves(query.pattern, shape)
        for move in found[shape]:
            if move.to not in numbers:
                numbers[move.to] = len(numbers)
                reached.append(move.to)
        if len(reached) > MOST_STATES:
            raise Enumerates(f"a run may be in more than {MOST_STATES} states")
    if sum(map(len, found.values())) > MOST_MOVES:
        raise Enumerates(f"runs have more than {MOST_MOVES} moves")
    every = list(leaves(query.pattern))
    if len(every) > _MOST_LEAVES:
        raise Enumerates(f"there are more than {_MOST_LEAVES} variables")
    apart = _Apart(query.pattern, layout)
    steps = tuple(
        tuple(
            Step(
                numbers[shape],
                numbers[move.to],
                every.index(move.leaf),
                apart.of(move),
                move.needs,
                tuple(sorted(move.effects)),
            )
            for move in found[shape]
        )
        for shape in reached
    )
    return Paths(query.pattern, layout, tuple(reached), steps)


class _Apart:
    """Which leaves must not have taken an event that is tied with the one that a leaf takes."""

    def __init__(self, pattern: Node, layout: Layout) -> None:
        self._bits = {leaf.variable: 1 << n for n, leaf in enumerate(leaves(pattern))}
        self._before = dict.fromkeys(self._bits, 0)
        self._in_group: dict[int, int] = {}
        self._visit(pattern, layout)

    def of(self, move: Move) -> int:
        found = self._before[move.leaf.variable]
        for effect in move.effects:
            if effect.kind in TURNS:
                found |= self._in_group[effect.number]
        return found

    def _visit(self, node: Node, layout: Layout) -> None:
        match node:
            case Kleene(sequence=True):
                self._before[node.variable] |= self._bits[node.variable]
            case Seq():
                earlier = 0
                for part in node.parts:
                    for leaf in leaves(part):
                        self._before[leaf.variable] |= earlier
                    earlier |= self._all(part)
            case Repeat():
                self._in_group[layout.group_loops[id(node)]] = self._all(node.body)
            case Event() | Kleene() | And() | Or() | Optional():
                pass
            case _:
                return
        for part in parts_of(node):
            self._visit(part, layout)

    def _all(self, node: Node) -> int:
        return sum(self._bits[leaf.variable] for leaf in leaves(node))
