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
from kleene.program.storage import extent


@dataclass
class RunCheck(Check):
    """A condition on a run. In `closed` the kernel has a bit for each array that can't change."""

    arrays: Sequence[tuple[str, int]] = field(default_factory=tuple)

    def _running(self, slot: Slot, level: int) -> str:
        return f"f{slot.loops[level]}, {self._length(slot, level)}"

    def _length(self, slot: Slot, level: int) -> str:
        """Iterations of groups are counted from their beginning, even if nothing is bound yet."""
        loop = slot.loops[level]
        around = slot.loops[:level]
        row = extent(slot, [self.chosen[outer] for outer in around])
        if not level:
            return row if self._is_own(slot, loop) else f"k{loop}"
        if self._is_own(slot, loop):
            kinds = (IndexKind.EACH,) * level
            settled = (
                f"{self.chosen[outer]} < {self._settled(slot, kinds, place)}"
                for place, outer in enumerate(around)
            )
            return f"({row} if {' and '.join(settled)} else 0)"
        under_way = " and ".join(f"{self.chosen[outer]} == k{outer} - 1" for outer in around)
        return f"(k{loop} if {under_way} else {row})"

    @staticmethod
    def _is_own(slot: Slot, loop: int) -> bool:
        """Whether a loop is that of a Kleene variable, not of a group."""
        return slot.array and loop == slot.loops[-1]

    def _present(self, slot: Slot, kinds: tuple[IndexKind, ...]) -> list[str]:
        return [*self._bound(slot, kinds), *super()._present(slot, kinds)]

    def _bound(self, slot: Slot, kinds: tuple[IndexKind, ...]) -> list[str]:
        """What must be so for a reference to be decided: bound, or closed if a whole is asked."""
        guards = []
        for level, kind in enumerate(kinds):
            loop = slot.loops[level]
            if kind is IndexKind.ALL:
                guards.append(self._closed(slot, kinds, level))
            elif kind in (IndexKind.EACH, IndexKind.UP_TO) and not self._is_own(slot, loop):
                index = self.chosen[loop]
                guards.append(f"{index} < {self._settled(slot, kinds, level)}")
            elif kind is IndexKind.FIRST and level < slot.dimensions - 1:
                guards.append(f"{self._settled(slot, kinds, level)} > 0")
            if kind in RANGES:
                if kind is IndexKind.UP_TO and level < slot.dimensions - 1:
                    within = (*kinds[:level], IndexKind.EACH, IndexKind.ALL)
                    guards.append(self._closed(slot, within, level + 1))
                break
        return guards

    def _settled(self, slot: Slot, kinds: tuple[IndexKind, ...], level: int) -> str:
        """How many elements there are, those that are null included."""
        return extent(slot, self._indices(slot, kinds[:level]))

    def _closed(self, slot: Slot, kinds: tuple[IndexKind, ...], level: int) -> str:
        """Only the last of the arrays within others may still grow."""
        found = [f"closed & {1 << self.arrays.index((slot.name, level))} != 0"]
        for loop, index in zip(slot.loops, self._indices(slot, kinds[:level]), strict=False):
            found.append(f"{index} < k{loop} - 1")
        return f"({' or '.join(reversed(found))})" if level else found[0]
