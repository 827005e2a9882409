"""What matches bind, many matches at once: the words that kernels write, and arrays made of them.

A match is a run of words, variable by variable. An event is its position, null is -1. An array is
its length, or -1 for null, then its elements; an array of arrays its length, the lengths of all
its rows, then the elements of all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from kleene.program.layout import Slot

Positions = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
WORD = 8
"""Bytes of a word."""


@dataclass(frozen=True)
class Level:
    """Arrays of one dimension: where each ends among their items, and which are null."""

    offsets: Positions
    missing: Flags

    @property
    def lengths(self) -> Positions:
        """How many items each array has."""
        return np.diff(self.offsets)


@dataclass(frozen=True)
class Bound:
    """What matches bind to one variable: positions of events, in arrays of so many levels.

    The outermost level comes first: it has an array for each match.
    """

    positions: Positions
    levels: tuple[Level, ...] = ()

    def first(self) -> Bound:
        """The first item of each array; null where there is none."""
        (outer, *inner) = self.levels
        filled = outer.lengths > 0
        if not inner:
            return Bound(_picked(self.positions, outer.offsets[:-1], filled))
        rows = outer.offsets[:-1]
        lengths = _picked(inner[0].lengths, rows, filled, 0)
        missing = np.where(filled, _picked(inner[0].missing, rows, filled, 1) != 0, True)  # noqa: FBT003
        starts = _picked(inner[0].offsets[:-1], rows, filled, 0)
        level = Level(offsets_of(lengths), missing)
        if len(inner) == 1:
            return Bound(self.positions[ranges(starts, lengths)], (level,))
        below = Bound(self.positions, tuple(inner[1:])).take(ranges(starts, lengths))
        return Bound(below.positions, (level, *below.levels))

    def take(self, chosen: Positions) -> Bound:
        """What some of the matches bind."""
        if not self.levels:
            return Bound(self.positions[chosen])
        (outer, *inner) = self.levels
        lengths = outer.lengths[chosen]
        items = ranges(outer.offsets[:-1][chosen], lengths)
        below = Bound(self.positions, tuple(inner)).take(items)
        level = Level(offsets_of(lengths), outer.missing[chosen])
        return Bound(below.positions, (level, *below.levels))

    def flat(self) -> Bound:
        """The same events, all that are not null, in one array a match."""
        ends = np.arange(len(self.positions) + 1)
        for level in reversed(self.levels):
            ends = ends[level.offsets]
        bound = self.positions >= 0
        if bound.all():
            positions = self.positions
        else:
            positions = self.positions[bound]
            ends = np.concatenate([[0], np.cumsum(bound)])[ends]
        return Bound(positions, (Level(ends, np.zeros(len(ends) - 1, np.bool_)),))

    @property
    def count(self) -> int:
        """The number of matches."""
        return len(self.levels[0].missing) if self.levels else len(self.positions)


@dataclass(frozen=True)
class Matches:
    """Matches as words; `offsets` are where each begins, and the end."""

    slots: tuple[Slot, ...]
    words: Positions
    offsets: Positions
    part: Positions
    """Where each partition of the events begins, and the end."""
    known: Positions | None = None
    """The partitions, where matches no longer bind all events that they did."""

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return int(self.words.nbytes + self.offsets.nbytes)

    @cached_property
    def bound(self) -> dict[str, Bound]:
        """What each variable is bound to."""
        if not any(slot.dimensions for slot in self.slots):
            table = self.words[self.offsets[0] : self.offsets[-1]].reshape(-1, len(self.slots))
            columns = (np.ascontiguousarray(table[:, n]) for n in range(len(self.slots)))
            return {s.name: Bound(c) for s, c in zip(self.slots, columns, strict=True)}
        found = {}
        at = self.offsets[:-1]
        for slot in self.slots:
            found[slot.name], at = _unpacked(self.words, at, slot.dimensions)
        return found

    @property
    def sizes(self) -> list[Positions]:
        """How many words each variable of each match takes."""
        found = []
        for slot in self.slots:
            size = np.ones(len(self), np.int64)
            items = np.arange(len(self) + 1)
            for level in self.bound[slot.name].levels:
                items = level.offsets[items]
                size += np.diff(items)
            found.append(size)
        return found

    @cached_property
    def extremes(self) -> tuple[Positions, Positions]:
        """The least and the greatest position of each match; -1 where it binds nothing."""
        return extremes(list(self.bound.values()), len(self))

    @cached_property
    def partition(self) -> Positions:
        """The partition of each match."""
        if self.known is not None:
            return self.known
        found: Positions = np.searchsorted(self.part, self.extremes[0], side="right") - 1
        return found

    def take(self, chosen: Positions) -> Matches:
        """Some of the matches."""
        starts = self.offsets[:-1][chosen]
        lengths = np.diff(self.offsets)[chosen]
        words = self.words[ranges(starts, lengths)]
        known = None if self.known is None else self.known[chosen]
        return replace(self, words=words, offsets=offsets_of(lengths), known=known)

    def slice(self, start: int, stop: int) -> Matches:
        """The matches from one up to another."""
        offsets = self.offsets[start : stop + 1]
        words = self.words[offsets[0] : offsets[-1]]
        known = None if self.known is None else self.known[start:stop]
        return replace(self, words=words, offsets=offsets - offsets[0], known=known)


def joined(parts: Sequence[Matches]) -> Matches:
    """The matches of several batches, at least one, none of which knows partitions."""
    if len(parts) == 1:
        return parts[0]
    lengths = np.concatenate([np.diff(part.offsets) for part in parts])
    words = np.concatenate([part.words for part in parts])
    return replace(parts[0], words=words, offsets=offsets_of(lengths))


def ranges(starts: Positions, lengths: Positions) -> Positions:
    """The numbers from each start on, so many: `[5, 6, 1]` for starts 5 and 1, lengths 2 and 1.

    >>> ranges(np.array([5, 1]), np.array([2, 1])).tolist()
    [5, 6, 1]
    """
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    shift = np.repeat(starts - (ends - lengths), lengths)
    return shift + np.arange(total)


def offsets_of(lengths: Positions) -> Positions:
    """Where arrays of such lengths begin, and the end."""
    found = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=found[1:])
    return found


def owners(offsets: Positions) -> Positions:
    """For each item the number of its array."""
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def extremes(bound: Iterable[Bound], count: int) -> tuple[Positions, Positions]:
    """The least and the greatest position of each match, over variables; -1 for nothing."""
    far = np.iinfo(np.int64).max
    first, last = np.full(count, far), np.full(count, -1)
    for one in bound:
        low, high = one.positions, one.positions
        if one.levels:
            flat = one.flat()
            offsets = flat.levels[0].offsets
            low = reduced(np.minimum, flat.positions, offsets, far)
            high = reduced(np.maximum, flat.positions, offsets, -1)
        elif len(low) and low.min() < 0:
            low = np.where(low < 0, far, low)
        first, last = np.minimum(first, low), np.maximum(last, high)
    return np.where(last < 0, -1, first), last


def reduced(how: np.ufunc, values: Positions, offsets: Positions, nothing: int) -> Positions:
    """A ufunc along each array; `nothing` for empty ones."""
    filled = np.diff(offsets) > 0
    found = np.full(len(filled), nothing, np.int64)
    if filled.any():
        found[filled] = how.reduceat(values, offsets[:-1][filled])
    return found


def _picked(
    values: npt.NDArray[np.int64] | Flags, places: Positions, where: Flags, nothing: int = -1
) -> Positions:
    """Values at places, where there is one to pick."""
    found = np.full(len(places), nothing, np.int64)
    found[where] = values[places[where]]
    return found


def _unpacked(words: Positions, starts: Positions, dimensions: int) -> tuple[Bound, Positions]:
    """A variable that begins at such words, and where the next one begins."""
    levels: list[Level] = []
    items = np.ones(len(starts), np.int64)
    for _ in range(dimensions):
        counts = words[ranges(starts, items)] if levels else words[starts]
        lengths = np.maximum(counts, 0)
        starts = starts + items
        ends = offsets_of(lengths)
        items = np.diff(ends[offsets_of(items)])
        levels.append(Level(ends, counts < 0))
    positions = words[ranges(starts, items)] if levels else words[starts]
    return Bound(positions, tuple(levels)), starts + items
