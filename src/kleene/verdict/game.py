"""The game of paper 3 about one binding, move by move (semantics 3).

Against the binding a negation brings an extension; for it, what is negated inside brings an
extension of that; and so on. A move stands unless a standing move answers it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kleene.explanation.forms import spelled
from kleene.logical.algebra import Node, Not, Repeat, Seq, parts_of, variables_of
from kleene.logical.binding import Binding, events_of
from kleene.logical.negation import World, extensions, negations, unmasked
from kleene.verdict.witness import Bound, Witnesses, labelled, listing

MOST_FALLEN = 3
"""Moves that fell, as many as are kept to be shown; the others are counted."""


@dataclass(frozen=True)
class Move:
    """An extension, by the events that it adds, and what was said to it inside."""

    events: tuple[Bound, ...]
    answers: tuple[Line, ...] = ()

    @property
    def stands(self) -> bool:
        """Whether nothing answers it."""
        return all(line.standing is None for line in self.answers)

    def __str__(self) -> str:
        return listing(self.events)


@dataclass(frozen=True)
class Line:
    """A negation with its moves: one that stands, or those that fell, of which some are kept."""

    negated: str
    """The pattern that is negated, with the negations in it masked."""
    place: str
    level: int
    standing: Move | None
    fallen: tuple[Move, ...] = ()
    number_fallen: int = 0

    def sentence(self) -> str:
        """Why the standing move rejects the binding."""
        assert self.standing is not None, "a move that stands rejects"
        return f"{_lies(self.standing, self.place)}{_unanswered(self.standing)}"


def _lies(move: Move, place: str) -> str:
    return f"{move} {'lies' if len(move.events) == 1 else 'lie'} {place}"


def _unanswered(move: Move) -> str:
    """What is said of the negations inside a move that stands: nothing helped."""
    it = "it" if len(move.events) == 1 else "them"
    told = ""
    for line in move.answers:
        if not line.fallen:
            told += f", and no {line.negated} lies {line.place} that would excuse {it}"
        else:
            reply = next(answer for answer in line.fallen[0].answers if answer.standing is not None)
            told += f"; {line.fallen[0]} would excuse {it}, but {reply.sentence()}"
    return told


@dataclass(frozen=True)
class Game:
    """Plays for the events of a scene, whose rows have names."""

    witnesses: Witnesses
    numbers: tuple[int, ...]
    windowed: bool

    def line(self, binding: Binding, pattern: Node, negation: Not, world: World) -> Line:
        """What one negation of a pattern has against a binding, or for it at even levels."""
        return self._line(binding, pattern, negation, world, 1)

    def _line(
        self, binding: Binding, pattern: Node, negation: Not, world: World, level: int
    ) -> Line:
        extended = unmasked(pattern, negation)
        standing, fallen, number = None, [], 0
        for extension in extensions(binding, pattern, negation, world):
            events = tuple(self._added(extension, negation))
            move = Move(events, self._answers(extension, extended, world, level + 1))
            if move.stands:
                standing = move
                break
            number += 1
            fallen += [move] if number <= MOST_FALLEN else []
        told, place = spelled(negation.body), self._place(pattern, negation, binding)
        return Line(told, place, level, standing, tuple(fallen), number)

    def _answers(
        self, binding: Binding, pattern: Node, world: World, level: int
    ) -> tuple[Line, ...]:
        """What each negation says; where one has a move that stands, that alone."""
        found = []
        for negation in negations(pattern):
            line = self._line(binding, pattern, negation, world, level)
            if line.standing is not None:
                return (line,)
            found.append(line)
        return tuple(found)

    def _place(self, pattern: Node, negation: Not, binding: Binding) -> str:
        place = _Finder(negation, binding).place(pattern, None, None, "")
        assert place is not None, "the pattern has the negation"
        open_ended = not place.startswith("between")
        return f"{place} in the window" if self.windowed and open_ended else place

    def _added(self, extension: Binding, negation: Not) -> Iterator[Bound]:
        for name in variables_of(negation.body):
            for label, event in labelled(name, extension[name]):
                yield self.witnesses.bound(label, self.numbers[event])


@dataclass(frozen=True)
class _Finder:
    """Finds the place of a negation, told by the bound variables that it lies between."""

    negation: Not
    binding: Binding

    def place(self, node: Node, before: str | None, behind: str | None, inside: str) -> str | None:
        """None where the negation is not below the node; `inside` tells of groups around it."""
        match node:
            case Not() if node.number == self.negation.number:
                return f"{_between(before, behind)}{inside}"
            case Seq():
                return self._in_sequence(node.parts, before, behind, inside)
            case Repeat():
                return self.place(node.body, None, None, " in an iteration")
            case Not():
                return None
            case _:
                found = (self.place(part, before, behind, inside) for part in parts_of(node))
                return next(filter(None, found), None)

    def _in_sequence(
        self, parts: Sequence[Node], before: str | None, behind: str | None, inside: str
    ) -> str | None:
        for number, part in enumerate(parts):
            left = next(reversed([*self._bound(parts[:number])]), before)
            right = next(self._bound(parts[number + 1 :]), behind)
            if found := self.place(part, left, right, inside):
                return found
        return None

    def _bound(self, parts: Sequence[Node]) -> Iterator[str]:
        for name in (name for part in parts for name in variables_of(part)):
            if next(events_of(self.binding[name]), None) is not None:
                yield name


def _between(before: str | None, behind: str | None) -> str:
    match before, behind:
        case None, None:
            return "beside them"
        case None, _:
            return f"before {behind}"
        case _, None:
            return f"after {before}"
        case _:
            return f"between {before} and {behind}"
