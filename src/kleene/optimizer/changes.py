"""How values and truths change where a match takes fewer elements of its repetitions.

Two matches are compared that differ only in the elements of Kleene variables and the iterations of
groups: the smaller takes some of those that the larger takes, among them every one that the
condition's own indices stand at. A `Change` says what may become of a value, a `Moves` what may
become of a truth. Both err on the side of more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product
from typing import Final, TypeAlias

from kleene.logical.values import conjunction, disjunction, inversion

Truth: TypeAlias = bool | None
Moves: TypeAlias = frozenset[tuple[Truth, Truth]]
"""The truth in the larger match and in the smaller one, in every way that may occur."""

_TRUTHS: tuple[Truth, ...] = (True, False, None)
STILL: Final[Moves] = frozenset((truth, truth) for truth in _TRUTHS)
FREE: Final[Moves] = frozenset(product(_TRUTHS, _TRUTHS))


@dataclass(frozen=True, slots=True)
class Change:
    """What may become of a value, besides that it stays the same."""

    falls: bool = False
    rises: bool = False
    vanishes: bool = False
    """It becomes null."""
    appears: bool = False
    """It was null."""

    @property
    def varies(self) -> bool:
        """Whether it may change at all."""
        return self != FIXED

    def turned(self) -> Change:
        """What then may become of the value's negative."""
        return Change(self.rises, self.falls, self.vanishes, self.appears)

    def __or__(self, other: Change) -> Change:
        return Change(
            self.falls or other.falls,
            self.rises or other.rises,
            self.vanishes or other.vanishes,
            self.appears or other.appears,
        )


FIXED: Final = Change()
ANYHOW: Final = Change(falls=True, rises=True, vanishes=True, appears=True)
LOSES: Final = Change(vanishes=True, appears=True)


def compared(operator: str, left: Change, right: Change) -> Moves:
    """What may become of a comparison of two values."""
    if operator == "<=>":
        return _moves(*[left.varies or right.varies] * 2)
    vanishes, appears = left.vanishes or right.vanishes, left.appears or right.appears
    match operator:
        case "<" | "<=":
            better, worse = left.falls or right.rises, left.rises or right.falls
        case ">" | ">=":
            better, worse = left.rises or right.falls, left.falls or right.rises
        case _:
            better = worse = left.falls or left.rises or right.falls or right.rises
    return _moves(better, worse, vanishes=vanishes, appears=appears)


def truth_of(value: Change) -> Moves:
    """What may become of a value that is a truth itself: true is greater than false."""
    return _moves(value.rises, value.falls, vanishes=value.vanishes, appears=value.appears)


def null_test(value: Change) -> Moves:
    """What may become of `value IS NULL`."""
    return _moves(value.vanishes, value.appears)


def _moves(
    better: bool,  # noqa: FBT001 - a pair of answers
    worse: bool,  # noqa: FBT001 - a pair of answers
    *,
    vanishes: bool = False,
    appears: bool = False,
) -> Moves:
    found = set(STILL)
    found |= {(False, True)} if better else set()
    found |= {(True, False)} if worse else set()
    found |= {(True, None), (False, None)} if vanishes else set()
    found |= {(None, True), (None, False)} if appears else set()
    return frozenset(found)


def all_of(parts: Iterable[Moves]) -> Moves:
    """What may become of a conjunction."""
    return _combined(conjunction, parts)


def any_of(parts: Iterable[Moves]) -> Moves:
    """What may become of a disjunction."""
    return _combined(disjunction, parts)


def none_of(part: Moves) -> Moves:
    """What may become of an inversion."""
    return frozenset((inversion(large), inversion(small)) for large, small in part)


def _combined(combine: Callable[[Iterable[object]], Truth], parts: Iterable[Moves]) -> Moves:
    """Part by part: no more than nine moves are kept, however many parts there are."""
    first, *others = parts
    found = first
    for part in others:
        found = frozenset(
            (combine((large, also_large)), combine((small, also_small)))
            for (large, small), (also_large, also_small) in product(found, part)
        )
    return found


def with_truth(moves: Moves) -> Moves:
    """The moves where the condition may no longer apply, which meets it (semantics 2)."""
    return moves | {(large, True) for large, _ in moves}


def stays_met(moves: Moves) -> bool:
    """Whether what is true stays true (paper 1, 5.2: true-value consistent)."""
    return all(small is True for large, small in moves if large is True)


def stays_unmet(moves: Moves) -> bool:
    """Whether what is false or null does not become true (false-value consistent)."""
    return all(small is not True for large, small in moves if large is not True)
