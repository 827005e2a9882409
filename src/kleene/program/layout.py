"""Where a kernel keeps what it binds.

Every variable has a number. A variable without loops is a register `r3`. One with loops has a
buffer `b3` of events and a count `n3`; with two loops also `s3` and `e3`, the bounds in the buffer
of each outer iteration (a row), and a count `w3` of those. With three loops those rows have rows
around them, `s3_2` and `e3_2`, the bounds of each in `s3`, a count `w3_2`, and so on. An unbound
event is -1, an unbound array has count -1, an unbound row ends one before its start.

Within a negation in a group only one iteration is extended at a time, so the loops around the
negation are no dimensions of its variables: that iteration is the register `q` of the negation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import assert_never

from kleene.logical.algebra import (
    And,
    Event,
    Extended,
    Kleene,
    LogicalQuery,
    Node,
    Not,
    Optional,
    Or,
    Repeat,
    Seq,
)


@dataclass(frozen=True, slots=True)
class Slot:
    """The storage of a variable: its number, its own loops, and the loops its negation is in."""

    number: int
    name: str
    loops: tuple[int, ...]
    around: tuple[int, ...]
    negation: int | None
    array: bool

    @property
    def dimensions(self) -> int:
        """Array dimensions of the storage."""
        return len(self.loops)

    @property
    def rows(self) -> range:
        """The levels of rows around the events, from the innermost on."""
        return range(1, self.dimensions)


@dataclass(frozen=True, slots=True)
class Layout:
    """The slots of a query, by variable, and the loop of each group."""

    slots: dict[str, Slot]
    group_loops: dict[int, int]

    def in_order_of(self, variables: Iterable[str]) -> Layout:
        """The same, listed in another order; numbers stay those of the order of binding."""
        return replace(self, slots={name: self.slots[name] for name in variables})

    def slot(self, variable: str) -> Slot:
        """The storage of a variable."""
        return self.slots[variable]

    @property
    def shown(self) -> list[Slot]:
        """The variables of a match: all that are not negated."""
        return [slot for slot in self.slots.values() if slot.negation is None]


def plan_layout(query: LogicalQuery) -> Layout:
    """Give every variable of a query its storage."""
    slots: dict[str, Slot] = {}
    groups: dict[int, int] = {}
    for leaf, negation, depth in _leaves(query.pattern, None, 0):
        loops = query.variables[leaf.variable].loops
        around = loops[:depth] if negation is not None else ()
        own = loops[len(around) :]
        number = len(slots)
        slots[leaf.variable] = Slot(
            number, leaf.variable, own, around, negation, isinstance(leaf, Kleene)
        )
    for repeat, loop in _repeats(query.pattern, query, 0):
        groups[id(repeat)] = loop
    return Layout(slots, groups)


def leaves(node: Node) -> Iterator[Event | Kleene]:
    """The events below a node that it binds itself, not through a negation."""
    match node:
        case Event() | Kleene():
            yield node
        case Not():
            return
        case Seq() | And() | Or():
            for part in node.parts:
                yield from leaves(part)
        case Optional() | Repeat() | Extended():
            yield from leaves(node.body)
        case _:
            assert_never(node)


def _leaves(
    node: Node, negation: int | None, depth: int, loops: int = 0
) -> Iterator[tuple[Event | Kleene, int | None, int]]:
    """Every event, the negation that it is directly in, and the loops around that negation."""
    match node:
        case Event() | Kleene():
            yield node, negation, depth
        case Not():
            yield from _leaves(node.body, node.number, loops, loops)
        case Seq() | And() | Or():
            for part in node.parts:
                yield from _leaves(part, negation, depth, loops)
        case Optional() | Extended():
            yield from _leaves(node.body, negation, depth, loops)
        case Repeat():
            yield from _leaves(node.body, negation, depth, loops + 1)
        case _:
            assert_never(node)


def _repeats(node: Node, query: LogicalQuery, depth: int) -> Iterator[tuple[Repeat, int]]:
    """Every group and its loop: the one that its variables have at the group's depth."""
    match node:
        case Event() | Kleene():
            return
        case Seq() | And() | Or():
            for part in node.parts:
                yield from _repeats(part, query, depth)
        case Optional() | Extended() | Not():
            yield from _repeats(node.body, query, depth)
        case Repeat():
            variable = next(leaves(node.body)).variable
            yield node, query.variables[variable].loops[depth]
            yield from _repeats(node.body, query, depth + 1)
        case _:
            assert_never(node)
