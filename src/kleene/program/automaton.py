"""The automaton of a pattern as a table of numbers, which is what a kernel walks over.

Every control state has a head of HEAD words, and rows of ROW words: one for each transition, those
that have precedence first, and one for the end of the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from kleene.errors import TooManyStatesError
from kleene.language.expressions import Attribute, Expression, IndexKind
from kleene.language.indices import RANGES
from kleene.language.traversal import walk
from kleene.logical.algebra import Event, Kleene, LogicalQuery, Node
from kleene.program.effects import TURNS, Effect
from kleene.program.layout import Layout, leaves
from kleene.program.shapes import FRESH, Need, Needs, Shape, completion, standing
from kleene.program.transitions import Move, Rules

HEAD, ROW = 3, 9
OPEN, FIRST, LAST = range(HEAD)
"""Words of a head: the leaves that are open, where the rows begin, and the row of the end."""
LEAF, TARGET, NEEDS, BEHIND, BIT, ONCE, EFFECTS, CONDITIONS, CLOSED = range(ROW)
"""Words of a row.

- LEAF: the number of the leaf, or -1 at the end; TARGET: the state that the transition comes to.
- NEEDS: a bit for each need; BIT is the row's own, BEHIND has those of the rows with precedence.
- ONCE: BIT if all tied events that fit are taken together; EFFECTS: a bit for each effect.
- CONDITIONS: a bit for each condition to decide; CLOSED: for each array that can't change then.
"""
MOST_STATES = 1 << 13
_MOST_BITS = 62
"""So many the words of machine code have for what is numbered; those of Python have more."""


@dataclass(frozen=True)
class Automaton:
    """The states of a pattern, and what the bits of their words mean."""

    pattern: Node
    layout: Layout
    states: dict[Shape, list[Move]]
    """What a run has done, and what it can do next."""
    ends: dict[Shape, frozenset[Effect]]
    """What happens where a run may end."""
    conditions: tuple[Expression, ...]
    empty: dict[int, bool]
    """Whether an array outside of groups is empty at first, or else null."""

    @cached_property
    def leaves(self) -> tuple[Event | Kleene, ...]:
        """What takes events."""
        return tuple(leaves(self.pattern))

    @cached_property
    def gathered(self) -> dict[int, int | None]:
        """The variables that take tied events together, with their upper bounds."""
        return {
            self.layout.slot(leaf.variable).number: leaf.high
            for leaf in self.leaves
            if isinstance(leaf, Kleene) and not leaf.sequence
        }

    @cached_property
    def needs(self) -> tuple[Need, ...]:
        """What only counts tell."""
        found = {need for moves in self.states.values() for move in moves for need in move.needs}
        found.update(need for shape in self.ends for need in self._end_needs(shape))
        return tuple(sorted(found, key=lambda need: (str(need.of), need.bound, need.room)))

    @cached_property
    def effects(self) -> tuple[Effect, ...]:
        """What transitions do, in the order in which it happens."""
        found = {each for moves in self.states.values() for move in moves for each in move.effects}
        return tuple(sorted(found.union(*self.ends.values())))

    @cached_property
    def arrays(self) -> tuple[tuple[str, int], ...]:
        """Variable and level of the arrays that conditions want as a whole."""
        found = (
            (attribute.variable, level)
            for condition in self.conditions
            for attribute in _attributes(condition)
            for level, kind in enumerate(attribute.indices)
            if kind is IndexKind.ALL
        )
        return tuple(dict.fromkeys(found))

    @cached_property
    def wide(self) -> str:
        """What there is too much of for words of 64 bits, so that only plain Python walks runs."""
        sizes = {
            "variables": len(self.leaves),
            "bounds of repetitions": len(self.needs),
            "optional parts and turns": len(self.effects),
            "conditions": max(len(self.conditions), len(self.arrays)),
            "transitions of a state": max(map(len, self.states.values())),
        }
        return next((f"{n} {what}" for what, n in sizes.items() if n >= _MOST_BITS), "")

    @cached_property
    def never(self) -> int:
        """The bit that nothing else has: of a need that is never met."""
        if not self.wide:
            return 1 << _MOST_BITS
        numbered = (self.leaves, self.needs, self.effects, self.conditions, self.arrays)
        return 1 << max(map(len, (*numbered, *self.states.values())))

    @cached_property
    def table(self) -> tuple[int, ...]:
        """All states; the first is that of a run which has not begun."""
        numbers = {shape: number for number, shape in enumerate(self.states)}
        heads: list[int] = []
        rows: list[int] = []
        for shape, moves in self.states.items():
            first = HEAD * len(numbers) + len(rows)
            for row in self._rows(shape, moves, numbers):
                rows += row
            rows += self._end(shape)
            around = sum({1 << self._leaf(move) for move in moves})
            heads += [around, first, HEAD * len(numbers) + len(rows) - ROW]
        return (*heads, *rows)

    def _rows(
        self, shape: Shape, moves: list[Move], numbers: dict[Shape, int]
    ) -> Iterator[list[int]]:
        bits = {move.origin: 1 << number for number, move in enumerate(moves)}
        before = self._closed(shape)
        for move in moves:
            bit, closed = bits[move.origin], self._closed(move.to)
            touched = self._touched(move.effects, closed & ~before)
            yield [
                self._leaf(move),
                numbers[move.to],
                _bits(self.needs, move.needs),
                sum(bits[origin] for origin in move.behind),
                bit,
                bit if isinstance(move.leaf, Kleene) and not move.leaf.sequence else 0,
                _bits(self.effects, move.effects),
                self._decided(move.leaf.variable, touched),
                closed,
            ]

    def _end(self, shape: Shape) -> list[int]:
        """The end of a run: what is asked about ranges, whole arrays too, is decided then."""
        effects = self.ends.get(shape)
        needs = self.never if effects is None else _bits(self.needs, self._end_needs(shape))
        ranged = sum(
            1 << number
            for number, condition in enumerate(self.conditions)
            if any(map(_is_ranged, _attributes(condition)))
        )
        return [-1, 0, needs, 0, 0, 0, _bits(self.effects, effects or ()), ranged, self.never - 1]

    def _end_needs(self, shape: Shape) -> Needs:
        needs = completion(self.pattern, shape)
        assert needs is not None
        return needs

    def _leaf(self, move: Move) -> int:
        return self.leaves.index(move.leaf)

    def _closed(self, shape: Shape) -> int:
        stand = {name: standing(self.pattern, shape, name) for name, _ in self.arrays}
        return sum(
            1 << bit for bit, (name, level) in enumerate(self.arrays) if stand[name].closed(level)
        )

    def _touched(self, effects: Iterable[Effect], closed: int) -> set[str]:
        """The variables of which ranges may be complete, or there are more iterations."""
        found = {name for bit, (name, _) in enumerate(self.arrays) if closed >> bit & 1}
        for effect in effects:
            turn = effect.kind in TURNS
            for slot in self.layout.slots.values():
                if effect.number in slot.loops if turn else effect.number == slot.number:
                    found.add(slot.name)
        return found

    def _decided(self, leaf: str, touched: set[str]) -> int:
        """The conditions that may be decided when a leaf takes an event.

        Deciding one too often does no harm: what held goes on to hold.
        """
        return sum(
            1 << number
            for number, condition in enumerate(self.conditions)
            if any(
                attribute.variable == leaf or attribute.variable in touched
                for attribute in _attributes(condition)
            )
        )


def plan_automaton(
    query: LogicalQuery, layout: Layout, conditions: Sequence[Expression]
) -> Automaton:
    """The automaton of a query."""
    rules = Rules(layout)
    states: dict[Shape, list[Move]] = {}
    reached: list[Shape] = [FRESH]
    while reached:
        shape = reached.pop()
        if shape not in states:
            states[shape] = rules.moves(query.pattern, shape)
            reached += [move.to for move in states[shape]]
        if len(states) > MOST_STATES:
            raise TooManyStatesError(
                f"a run of this pattern can be in more than {MOST_STATES:,} states",
                query.resolved.source.pattern.span,
                "parts of an AND can come in any order: write those in SEQ whose order is known",
                "STRATEGY skip_till_any_match has no such states",
            ).within(query.resolved.source.text)
    ends = {
        shape: frozenset(rules.planner.leaving(query.pattern, shape, 0))
        for shape in states
        if completion(query.pattern, shape) is not None
    }
    empty = rules.planner.arrays(query.pattern)
    return Automaton(query.pattern, layout, states, ends, tuple(conditions), empty)


def _bits(alphabet: Sequence[object], found: Iterable[object]) -> int:
    return sum(1 << alphabet.index(each) for each in found)


def _attributes(condition: Expression) -> list[Attribute]:
    return [node for node in walk(condition) if isinstance(node, Attribute)]


def _is_ranged(attribute: Attribute) -> bool:
    return not RANGES.isdisjoint(attribute.indices)
