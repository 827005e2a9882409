"""Machines: states that bind events one after the other and go back when they are stuck.

A state either goes on to another state or to BACKTRACK, which takes the newest choice from the
stack, restores the registers that it was made with, and lets its state try the next alternative.
What lies in buffers is not restored: a count that is restored says how much of a buffer counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kleene.language.expressions import Expression
from kleene.logical.algebra import LogicalQuery, Node, Not
from kleene.optimizer.methods import Method
from kleene.program.checks import Check
from kleene.program.columns import Columns
from kleene.program.layout import Layout, Slot
from kleene.program.order import Order
from kleene.program.places import NegationPlace
from kleene.program.points import Point, schedule
from kleene.program.questions import asks
from kleene.program.source import Writer
from kleene.program.storage import counts

BACKTRACK, NEXT_PARTITION, EMIT = 0, 1, 2
GO_BACK = (f"st = {BACKTRACK}", "continue")
SNAPSHOT = "@snapshot"
_DATA = 3
"""Words of a choice before the registers: its state, its next alternative, the end of these."""


@dataclass(frozen=True, slots=True)
class Side:
    """What is being searched for, the positive part or one negation, and where in it we are."""

    place: NegationPlace | None
    timed: Mapping[Point, Sequence[Expression]]
    """The conditions to decide at each point."""
    rest: Sequence[Expression]
    """Those that ask about nothing of this side, decided when it is bound."""
    loops: tuple[int, ...] = ()
    """The groups of this side that we are in."""
    until: str | None = None
    """The register with the rank that events stay before; None where only what follows knows."""

    @property
    def number(self) -> int | None:
        """The number of the negation."""
        return None if self.place is None else self.place.node.number

    @property
    def current(self) -> dict[int, str]:
        """The source text of the current iteration of every loop that we are in."""
        around = () if self.place is None else self.place.loops
        turns = {loop: f"q{loop}" for loop in around}
        return turns | {loop: f"k{loop} - 1" for loop in self.loops}

    def inside(self, loop: int) -> Side:
        """The same within a group."""
        return replace(self, loops=(*self.loops, loop))

    def entered(self, slot: Slot) -> int:
        """How many of the loops of a variable we are in."""
        return sum(loop in self.loops for loop in slot.loops)


@dataclass(frozen=True, slots=True)
class Plan:
    """How a machine goes about it: by a method, in an order; whether it counts what it binds."""

    method: Method
    order: Order
    tallies: bool


class Machine:
    """The states of a kernel under construction, and its variables.

    `registers` are put aside with every choice. What is `plain` is not: whoever goes back writes it
    again before anything reads it. `mending` are statements that make buffers agree with registers.
    `buffers` have room for all events of a partition, `growing` ones for as much as they are given.
    """

    def __init__(
        self,
        query: LogicalQuery,
        layout: Layout,
        columns: Columns,
        decided: set[int],
        plan: Plan,
    ) -> None:
        self.query = query
        self.layout = layout
        self.columns = columns
        self.method = plan.method
        self.order = plan.order
        self.tallies = plan.tallies
        self.states: dict[int, Writer] = {}
        self.plain = ["nxt"]
        self.registers = ["after", "pmin", "pmax", "cnt"]
        self.mending: list[str] = []
        self.buffers: list[str] = []
        self.growing: list[str] = []
        self._decided = decided
        for slot in layout.slots.values():
            self._declare(slot)

    def _declare(self, slot: Slot) -> None:
        if slot.dimensions == 0:
            self.plain.append(f"r{slot.number}")
            return
        self.registers += counts(slot)

    @property
    def next_state(self) -> int:
        """The number of the state that is made next; what belongs to a node is named by it."""
        return EMIT + 1 + len(self.states)

    def state(self) -> tuple[int, Writer]:
        """A new state."""
        number, writer = self.next_state, Writer()
        self.states[number] = writer
        return number, writer

    def register(self, name: str) -> str:
        """A register by its name."""
        if name not in self.registers:
            self.registers.append(name)
        return name

    def keep(self, *names: str) -> None:
        """Plain variables."""
        self.plain += [name for name in names if name not in self.plain]

    def buffer(self, *names: str) -> None:
        """Buffers with room for all events of a partition."""
        self.buffers += [name for name in names if name not in self.buffers]

    def grow(self, name: str) -> None:
        """A buffer that is given more room when a call asks for it."""
        self.growing += [] if name in self.growing else [name]

    def side(
        self, place: NegationPlace | None, body: Node, conditions: Sequence[Expression]
    ) -> Side:
        """A side with those of its conditions that filters have not decided."""
        number = None if place is None else place.node.number
        left = tuple(c for c in conditions if id(c) not in self._decided)
        until = None if number is None else f"bef{number}"
        timed, rest = schedule(body, left, self.layout, number, self.order)
        return Side(place, timed, rest, until=until)

    def require(self, conditions: Sequence[Expression], side: Side, writer: Writer) -> None:
        """Go back unless conditions hold."""
        if not conditions:
            return
        writer.put("ok = True")
        self.check(conditions, side.current, writer)
        with writer.block("if not ok:"):
            writer.put(*GO_BACK)

    def check(
        self,
        conditions: Sequence[Expression],
        current: Mapping[int, str],
        writer: Writer,
        binding: Slot | None = None,
    ) -> None:
        """Decide conditions as long as `ok` is true; what is asked, which takes longest, last."""
        checks = []
        for condition in conditions:
            check = Writer()
            Check(self.layout, self.columns, dict(current), binding).write(condition, check)
            checks.append(check.lines)
        for lines in sorted(checks, key=asks):
            with writer.block("if ok:"):
                writer.put(*lines)

    @property
    def frame(self) -> int:
        """Words of a choice on the stack."""
        return _DATA + len(self.registers)

    def snapshot(self) -> list[str]:
        """What SNAPSHOT stands for, once all registers are known."""
        return [f"stk[top + {_DATA + n}] = {name}" for n, name in enumerate(self.registers)]

    def restoring(self) -> list[str]:
        """The registers as the choice at the top of the stack was made with."""
        restored = [f"{name} = stk[top + {_DATA + n}]" for n, name in enumerate(self.registers)]
        return restored + self.mending


def push(writer: Writer, state: int, alternative: str = "0", end: str = "0") -> None:
    """Make a choice: whoever goes back to it goes on in that state."""
    writer.put(f"stk[top] = {state}", f"stk[top + 1] = {alternative}", f"stk[top + 2] = {end}")
    writer.put(SNAPSHOT, "top += FRAME")


def enclosing_negations(place: NegationPlace) -> list[Not]:
    """The negations around one, from the outermost on."""
    return [node for node in place.parents if isinstance(node, Not)]
