"""What a run remembers of the events that it has bound: as little as later decisions look at.

A register is a number, -1 where there is nothing. One that holds an event may hold instead the
first of all events that agree in the columns that are read of it: so runs become equal whose
events differ, but not in what matters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

_NAME = re.compile(r"\b(?:new_)?[a-z]+_\d+\b")
NEW = "new_"
"""What stands before the name of a register that a move has changed."""


@dataclass(frozen=True, slots=True)
class Update:
    """Statements that make the new value of a register, in `new_` and its name."""

    lines: tuple[str, ...]
    reads: frozenset[str]


@dataclass(frozen=True)
class Check:
    """Statements that set `ok` to False where a condition is not met."""

    lines: tuple[str, ...]
    reads: frozenset[str]
    """Registers, also new ones."""


@dataclass
class MoveCode:
    """What a move does: what it changes, and what must be so."""

    guard: str
    """What counts must be."""
    updates: dict[str, Update] = field(default_factory=dict)
    checks: list[Check] = field(default_factory=list)
    ends: list[Check] | None = None
    """What must be so, beside that, for the run to be a match; None where it is none."""

    def update(self, register: str, *lines: str) -> None:
        """Change a register."""
        self.updates[register] = Update(lines, names_in(lines) - {NEW + register})

    def now(self, register: str) -> str:
        """The name of a register behind the move."""
        return NEW + register if register in self.updates else register

    def needed(self, wanted: Iterable[str]) -> list[str]:
        """The registers that must be changed to know some new values, in the order of changes."""
        found: set[str] = set()
        left = [name.removeprefix(NEW) for name in wanted if name.startswith(NEW)]
        while left:
            register = left.pop()
            if register not in found:
                found.add(register)
                reads = self.updates[register].reads
                left += [name.removeprefix(NEW) for name in reads if name.startswith(NEW)]
        return [register for register in self.updates if register in found]

    def reads(self, live_behind: Iterable[str]) -> set[str]:
        """The registers that must be known before the move."""
        every = [*self.checks, *(self.ends or ())]
        named = {name for check in every for name in check.reads} | names_in((self.guard,))
        named |= {self.now(register) for register in live_behind}
        for register in self.needed(named):
            named |= self.updates[register].reads
        return {name for name in named if not name.startswith(NEW)}


def names_in(lines: Iterable[str]) -> frozenset[str]:
    """The registers, also new ones, that statements name."""
    return frozenset(name for line in lines for name in _NAME.findall(line))


def liveness(moves: Mapping[int, list[tuple[int, MoveCode]]]) -> dict[int, set[str]]:
    """For each state the registers that something may still look at.

    `moves` are those that leave a state, with their targets.
    """
    live: dict[int, set[str]] = {state: set() for state in moves}
    changed = True
    while changed:
        changed = False
        for state, leaving in moves.items():
            found = {name for target, code in leaving for name in code.reads(live[target])}
            if not found <= live[state]:
                live[state] |= found
                changed = True
    return live
