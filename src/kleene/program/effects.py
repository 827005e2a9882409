"""What a transition does to variables beside binding its event (semantics 4).

Entering and leaving parts begins iterations, opens rows, and settles what stays unbound. A kernel
has each effect once; a transition names those that apply, which happen in their order.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum, auto
from itertools import chain

from kleene.logical.algebra import And, Event, Kleene, Node, Not, Optional, Or, Repeat, Seq
from kleene.logical.binding import nothing, nullable
from kleene.program.layout import Layout, Slot, leaves
from kleene.program.shapes import FRESH, AtPart, Parts, Shape, Simple, Within
from kleene.program.source import Writer
from kleene.program.storage import clear, close_row, count, named, open_array, unbind


class Kind(IntEnum):
    """Effects, in the order in which they happen.

    NEXT_TURN and FIRST_TURN are iterations of a group; the others are about a variable. An array
    that is outside of all groups is empty or null from the beginning, until something changes it.
    """

    NEXT_TURN = auto()
    FIRST_TURN = auto()
    EMPTY_ARRAY = auto()
    NULL_ARRAY = auto()
    NULL_ROW = auto()
    EMPTY_ROW = auto()
    OPEN_ROW = auto()
    NULL_ELEMENT = auto()


TURNS = frozenset({Kind.NEXT_TURN, Kind.FIRST_TURN})


@dataclass(frozen=True, slots=True, order=True)
class Effect:
    """An effect; `entering` if it belongs to what is entered, not to what is left before.

    `depth` is the number of groups around it: what is further outside happens first.
    """

    entering: bool
    depth: int
    kind: Kind
    number: int
    """Of the variable or of the loop."""


Effects = tuple[Effect, ...]


class Planner:
    """The effects of entering and leaving nodes; `depth` is the number of groups around them."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def leaving(
        self, node: Node, shape: Shape, depth: int, *, entering: bool = False
    ) -> Iterable[Effect]:
        """What is still pending in a node that is left is unbound."""
        if shape is FRESH:
            return self._passing(node, depth, entering=entering)
        match node, shape:
            case Seq(), AtPart():
                shapes = (shape.part, *(FRESH for _ in node.parts[shape.number + 1 :]))
                parts = zip(node.parts[shape.number :], shapes, strict=True)
                inner = [self.leaving(p, s, depth, entering=entering) for p, s in parts]
            case And(), Parts():
                parts = zip(node.parts, shape.parts, strict=True)
                inner = [self.leaving(p, s, depth, entering=entering) for p, s in parts]
            case Or(), AtPart():
                part = node.parts[shape.number]
                inner = [self.leaving(part, shape.part, depth, entering=entering)]
            case Optional(), Within():
                inner = [self.leaving(node.body, shape.part, depth, entering=entering)]
            case Repeat(), Within():
                inner = [self.leaving(node.body, shape.part, depth + 1, entering=entering)]
            case _:
                assert shape is Simple.TAKEN
                inner = []
        return chain.from_iterable(inner)

    def _passing(self, node: Node, depth: int, *, entering: bool) -> Iterable[Effect]:
        if not depth:
            return
        for name, value in nothing(node).items():
            slot = self._layout.slot(name)
            if value is None:
                yield self._null(slot, depth, entering=entering)
            else:
                yield Effect(entering, depth, Kind.EMPTY_ROW, slot.number)

    @staticmethod
    def _null(slot: Slot, depth: int, *, entering: bool) -> Effect:
        row = slot.dimensions > depth
        kind = Kind.NULL_ROW if row else Kind.NULL_ELEMENT
        return Effect(entering, depth, kind, slot.number)

    def choosing(self, node: Or, branch: int, depth: int) -> Iterable[Effect]:
        """The variables of the other branches are unbound."""
        for number, part in enumerate(node.parts):
            if number == branch:
                yield from self.present(part, depth)
            else:
                for slot in self._slots(part):
                    if depth:
                        yield self._null(slot, depth, entering=True)
                    elif slot.dimensions:
                        yield _entering(0, Kind.NULL_ARRAY, slot.number)

    def present(self, node: Node, depth: int) -> Iterable[Effect]:
        """What a node binds is no longer null because the whole is absent."""
        if not depth:
            for number, empty in self.arrays(node).items():
                if empty:
                    yield _entering(0, Kind.EMPTY_ARRAY, number)

    def turning(self, node: Repeat, last: Shape, depth: int) -> Iterable[Effect]:
        """An iteration begins; the one before it, if any, ends."""
        loop = self._layout.group_loops[id(node)]
        if last is not FRESH:
            yield from self.leaving(node.body, last, depth + 1)
            yield _entering(depth, Kind.NEXT_TURN, loop)
            return
        yield _entering(depth, Kind.FIRST_TURN, loop)
        for slot in self._slots(node.body):
            if depth and slot.dimensions > depth:
                yield _entering(depth, Kind.OPEN_ROW, slot.number)

    def gathering(self, node: Kleene, depth: int) -> Iterable[Effect]:
        """The first element comes."""
        if depth:
            yield _entering(depth, Kind.OPEN_ROW, self._layout.slot(node.variable).number)

    def _slots(self, node: Node) -> list[Slot]:
        return [self._layout.slot(leaf.variable) for leaf in leaves(node)]

    def arrays(self, node: Node) -> dict[int, bool]:
        """The arrays of a fresh node outside of groups: whether they are empty, or else null."""
        match node:
            case Event() | Not():
                return {}
            case Kleene() | Repeat():
                return {slot.number: True for slot in self._slots(node)}
            case Seq() | And():
                return {n: e for part in node.parts for n, e in self.arrays(part).items()}
            case Or():
                absent = {n: False for part in node.parts for n in self.arrays(part)}
                first = next(filter(nullable, node.parts), None)
                return absent if first is None else absent | self.arrays(first)
            case Optional():
                return dict.fromkeys(self.arrays(node.body), False)
            case _:
                raise AssertionError("runs are of the positive part")


def write_effect(writer: Writer, effect: Effect, layout: Layout, inner: Iterable[int]) -> None:
    """The statements of an effect; `inner` are the loops of groups within the one of a turn."""
    number = effect.number
    if effect.kind in TURNS:
        writer.put(f"k{number} {'+=' if effect.kind is Kind.NEXT_TURN else '='} 1")
        writer.put(*(f"k{loop} = 0" for loop in inner))
        return
    slot = next(slot for slot in layout.slots.values() if slot.number == number)
    match effect.kind:
        case Kind.EMPTY_ARRAY | Kind.NULL_ARRAY:
            empty = effect.kind is Kind.EMPTY_ARRAY
            write_array(writer, slot, empty=empty)
        case Kind.NULL_ROW:
            unbind(writer, slot, effect.depth)
            _grow(writer, slot, effect.depth, null=True)
        case Kind.EMPTY_ROW | Kind.OPEN_ROW:
            open_array(writer, slot, effect.depth)
            _grow(writer, slot, effect.depth)
        case _:
            assert effect.kind is Kind.NULL_ELEMENT
            unbind(writer, slot, slot.dimensions)
            grow_rows(writer, slot)


def _entering(depth: int, kind: Kind, number: int) -> Effect:
    return Effect(True, depth, kind, number)  # noqa: FBT003 - its name


def write_array(writer: Writer, slot: Slot, *, empty: bool) -> None:
    """An array is empty, or null."""
    if empty:
        clear(writer, slot)
    else:
        unbind(writer, slot, 0)


def grow_rows(writer: Writer, slot: Slot) -> None:
    """The last rows end where what they are made of does, at any time."""
    _grow(writer, slot, slot.dimensions)


def _grow(writer: Writer, slot: Slot, depth: int, *, null: bool = False) -> None:
    """The same, after a change at a depth; `t` remembers it for who goes back.

    A row that was just opened has its end already.
    """
    opened = slot.dimensions - depth
    for level in slot.rows[max(opened - 1, 0) :]:
        if level != opened:
            close_row(writer, slot, level)
        less = " - 1" if null and level == opened else ""
        writer.put(f"{named('t', slot, level)} = {count(slot, level - 1)}{less}")
