"""The pattern as an automaton of positions: which event of it can come after which.

Negations are left out. Parts of an `AND` come one after the other in any order, not interleaved,
and of many parts in the order of the text; bounds of repetitions are kept up to a few iterations.
It is for estimates, not for matching.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import permutations
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

_UNROLLED = 6
"""Iterations up to which the bounds of a repetition are kept."""
_PERMUTED = 3
"""Parts of an AND up to which every order is tried."""


@dataclass(frozen=True, slots=True)
class Positions:
    """Variables in their places: where a match begins and ends, and what precedes each place."""

    variables: tuple[str, ...]
    first: frozenset[int]
    last: frozenset[int]
    before: tuple[frozenset[int], ...]


def positions(pattern: Node) -> Positions:
    """The positions of a pattern."""
    maker = _Maker()
    found = maker.part(pattern)
    return Positions(
        tuple(maker.variables), found.first, found.last, tuple(map(frozenset, maker.before))
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """Where a part begins and ends, and whether it may bind nothing."""

    first: frozenset[int] = frozenset()
    last: frozenset[int] = frozenset()
    empty: bool = True


@dataclass(slots=True)
class _Maker:
    """Numbers the positions as parts are put together (Glushkov's construction)."""

    variables: list[str] = field(default_factory=list)
    before: list[set[int]] = field(default_factory=list)

    def part(self, node: Node) -> _Part:
        match node:
            case Event():
                return self.place(node.variable)
            case Kleene():
                return self.repeated(Event(node.variable, node.type), node.low, node.high)
            case Seq():
                return self.sequence(map(self.part, node.parts))
            case And():
                return self.shuffled(node.parts)
            case Or():
                return _either(map(self.part, node.parts))
            case Optional():
                return _either((self.part(node.body), _Part()))
            case Extended():
                return self.part(node.body)
            case Repeat():
                return self.repeated(node.body, node.low, node.high)
            case Not():
                return _Part()
            case _:
                assert_never(node)

    def place(self, variable: str) -> _Part:
        self.variables.append(variable)
        self.before.append(set())
        here = frozenset({len(self.variables) - 1})
        return _Part(here, here, empty=False)

    def sequence(self, parts: Iterable[_Part]) -> _Part:
        return reduce(self.joined, parts, _Part())

    def joined(self, left: _Part, right: _Part) -> _Part:
        for place in right.first:
            self.before[place] |= left.last
        return _Part(
            left.first | (right.first if left.empty else frozenset()),
            right.last | (left.last if right.empty else frozenset()),
            left.empty and right.empty,
        )

    def shuffled(self, parts: Sequence[Node]) -> _Part:
        positive = [part for part in parts if not isinstance(part, Not)]
        orders = permutations(positive) if len(positive) <= _PERMUTED else [positive]
        return _either(self.sequence(map(self.part, order)) for order in orders)

    def repeated(self, body: Node, low: int, high: int | None) -> _Part:
        """Copies as many as there must be, and one more that may come again."""
        if high is not None and high <= _UNROLLED:
            parts = [self.part(body) for _ in range(high)]
            rest = _Part()
            for part in reversed(parts[low:]):
                rest = _either((self.joined(part, rest), _Part()))
            return self.joined(self.sequence(parts[:low]), rest)
        parts = [self.part(body) for _ in range(min(max(low, 1), _UNROLLED))]
        again = parts[-1]
        self.joined(again, again)
        found = self.sequence(parts)
        return _either((found, _Part())) if low == 0 else found


def _either(parts: Iterable[_Part]) -> _Part:
    found = list(parts)
    return _Part(
        frozenset().union(*(part.first for part in found)),
        frozenset().union(*(part.last for part in found)),
        any(part.empty for part in found),
    )
