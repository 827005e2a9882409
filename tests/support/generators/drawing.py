"""Drawing choices, so that failures shrink towards the first of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


class Drawer:
    """Draws one choice after the other, from hypothesis or from a seed.

    It asks for nothing but `randrange`: hypothesis takes what has parts of its own apart, copies
    some of them over others, and so spends most of its examples on near copies of one.
    """

    def __init__(self, source: Random) -> None:
        self._source = source

    def number(self, low: int, high: int) -> int:
        """A whole number between two bounds, both included."""
        return low if low >= high else low + self._source.randrange(high - low + 1)

    def one(self, options: Sequence[T]) -> T:
        """One of the options, each as likely; a failure tends to show the first."""
        return options[self.number(0, len(options) - 1)]

    def weighted(self, weights: Mapping[T, int]) -> T:
        """One of the options, each as likely as its weight says."""
        return self.one([option for option, weight in weights.items() for _ in range(weight)])

    def chance(self, percent: int) -> bool:
        """True in so many percent of the cases; a failure tends to show False."""
        return percent > 0 and self.number(0, 99) >= 100 - percent

    def order(self, options: Sequence[T]) -> list[T]:
        """The options in any order."""
        left = list(options)
        return [left.pop(self.number(0, len(left) - 1)) for _ in options]

    def some(self, options: Sequence[T], at_least: int, at_most: int) -> list[T]:
        """Some of the options, in their order."""
        size = self.number(at_least, min(at_most, len(options)))
        chosen = self.order(range(len(options)))[:size]
        return [options[place] for place in sorted(chosen)]


@st.composite
def drawn(draw: st.DrawFn, make: Callable[[Drawer], T]) -> T:
    """What is made by drawing."""
    return make(Drawer(draw(st.randoms(use_true_random=False))))
