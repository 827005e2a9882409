"""Drawing choices, so that failures shrink towards the first of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


class Drawer:
    """Draws from hypothesis, one choice after the other."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def one(self, options: Sequence[T]) -> T:
        """One of the options, each as likely; a failure tends to show the first."""
        return options[0] if len(options) == 1 else self._draw(st.sampled_from(options))

    def weighted(self, weights: Mapping[T, int]) -> T:
        """One of the options, each as likely as its weight says."""
        return self.one([option for option, weight in weights.items() for _ in range(weight)])

    def number(self, low: int, high: int) -> int:
        """A whole number between two bounds, both included."""
        return low if low >= high else self._draw(st.integers(low, high))

    def chance(self, percent: int) -> bool:
        """True in so many percent of the cases; a failure tends to show False."""
        return percent > 0 and self._draw(st.integers(0, 99)) >= 100 - percent

    def some(self, options: Sequence[T], at_least: int, at_most: int) -> list[T]:
        """Some of the options, in their order."""
        size = self.number(at_least, min(at_most, len(options)))
        chosen = self.order(range(len(options)))[:size]
        return [options[place] for place in sorted(chosen)]

    def order(self, options: Sequence[T]) -> list[T]:
        """The options in any order."""
        return list(options) if len(options) < 2 else self._draw(st.permutations(options))
