"""Conditions on the configurations of runs: what is not known yet does not apply yet.

They are decided when an event is tried, wherever it goes, so each is written once. Its indices run
from `f` on, where what was decided before ends: `f3` of loop 3 is set by whoever tries an event.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from kleene.language.expressions import IndexKind
from kleene.language.indices import RANGES
from kleene.program.checks import Check
from kleene.program.layout import Slot


@dataclass
class RunCheck(Check):
    """A condition on a run. In `closed` the kernel has a bit for each array that can't change."""

    arrays: Sequence[tuple[str, int]] = field(default_factory=tuple)

    def _running(self, slot: Slot, level: int) -> str:
        return f"f{slot.loops[level]}, {self._length(slot, level)}"

    def _length(self, slot: Slot, level: int) -> str:
        """Iterations of groups are counted from their beginning, even if nothing is bound yet."""
        v, loop = slot.number, slot.loops[level]
        own = self._is_own(slot, loop)
        if not level:
            return f"n{v}" if own else f"k{loop}"
        outer = self.chosen[slot.loops[0]]
        row = f"e{v}[{outer}] - s{v}[{outer}]"
        if own:
            return f"({row} if {outer} < w{v} else 0)"
        return f"(k{loop} if {outer} == k{slot.loops[0]} - 1 else {row})"

    @staticmethod
    def _is_own(slot: Slot, loop: int) -> bool:
        """Whether a loop is that of a Kleene variable, not of a group."""
        return slot.array and loop == slot.loops[-1]

    def _present(self, slot: Slot, kinds: tuple[IndexKind, ...]) -> list[str]:
        return [*self._bound(slot, kinds), *super()._present(slot, kinds)]

    def _bound(self, slot: Slot, kinds: tuple[IndexKind, ...]) -> list[str]:
        """What must be so for a reference to be decided: bound, or closed if a whole is asked."""
        v = slot.number
        guards = []
        for level, kind in enumerate(kinds):
            loop = slot.loops[level]
            if kind is IndexKind.ALL:
                guards.append(self._closed(slot, kinds, level))
            elif kind in (IndexKind.EACH, IndexKind.UP_TO) and not self._is_own(slot, loop):
                index = self.chosen[loop]
                guards.append(f"{index} < {self._settled(slot, kinds, level)}")
            elif kind is IndexKind.FIRST and not level and slot.dimensions > 1:
                guards.append(f"w{v} > 0")
            if kind in RANGES:
                break
        if kinds[:1] == (IndexKind.UP_TO,) and slot.dimensions > 1:
            guards.append(self._closed(slot, (IndexKind.EACH, IndexKind.ALL), 1))
        return guards

    def _settled(self, slot: Slot, kinds: tuple[IndexKind, ...], level: int) -> str:
        """How many elements there are, those that are null included."""
        v = slot.number
        if not level:
            return f"n{v}" if slot.dimensions == 1 else f"w{v}"
        outer = self._outer(slot, kinds[0])
        return f"e{v}[{outer}] - s{v}[{outer}]"

    def _closed(self, slot: Slot, kinds: tuple[IndexKind, ...], level: int) -> str:
        """Only the last row may still grow."""
        found = f"closed & {1 << self.arrays.index((slot.name, level))} != 0"
        if not level:
            return found
        return f"({self._outer(slot, kinds[0])} < k{slot.loops[0]} - 1 or {found})"
