"""AFTER MATCH: the matches of a partition in their order, and which of them are kept.

`logical.after_match` is the law.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kleene.language.syntax import AfterMatch, SkipMode
from kleene.runtime.arrange import Arranged
from kleene.runtime.bindings import WORD, Matches, Positions, extremes, joined, ranges
from kleene.runtime.keys import listed, ordered, single, strings, terminated
from kleene.runtime.limits import Watch

ENOUGH = 1 << 18
"""Words that are waited for before matches are put in order."""

BLOCK = 1 << 16
"""Matches that are walked over at a time."""

_RESERVE = 4
"""What is held is held twice while it is put together, and then put in order."""


def kept(found: Iterator[Matches], clause: AfterMatch, watch: Watch) -> Iterator[Matches]:
    """The matches that those kept before allow, partition by partition."""
    walk = Walk(clause, watch.arranged)
    held: list[Matches] = []
    size, enough = 0, ENOUGH
    for matches in found:
        held.append(matches)
        size += matches.nbytes
        if size < WORD * enough and watch.fits(_RESERVE * size):
            continue
        whole = joined(held)
        held = []
        last = int(whole.partition[-1])
        start = int(np.searchsorted(whole.partition, last))
        if start:
            done = whole.slice(0, start)
            yield done.take(walk.through(done))
        rest = whole.slice(start, len(whole))
        if walk.one_a_start:
            rest = rest.take(walk.least(rest))
        size = rest.nbytes
        watch.check_state(_RESERVE * size, last, "AFTER MATCH compares all matches: those")
        held, enough = [rest], max(ENOUGH, 2 * size // WORD)
    if held:
        whole = joined(held)
        yield whole.take(walk.through(whole))


@dataclass(frozen=True)
class Walk:
    """Walks over the matches of whole partitions."""

    clause: AfterMatch
    arranged: Arranged

    @property
    def one_a_start(self) -> bool:
        """Whether no match is kept beside another with the same first event.

        Then the least of them decides: the bound that a first event must be behind only grows.
        """
        return self.clause.mode in (SkipMode.NEXT_EVENT, SkipMode.PAST_LAST)

    def through(self, matches: Matches) -> Positions:
        """Those that are kept."""
        order = self.least(matches) if self.one_a_start else self.order(matches)
        match self.clause.mode:
            case SkipMode.NEXT_EVENT:
                return order
            case SkipMode.CONSUME:
                return order[self._apart(matches, order)]
            case _:
                return order[self._skipping(matches, order)]

    def least(self, matches: Matches) -> Positions:
        """In order, the first of all matches with one first event."""
        order = self.order(matches)
        _, places = np.unique(matches.extremes[0][order], return_index=True)
        return order[np.sort(places)]

    def order(self, matches: Matches) -> Positions:
        """By partition, last event, first event, all events, and variable by variable.

        The last event tells the partition. What is left to compare is compared block by block.
        """
        first, last = matches.extremes
        order = np.lexsort((first, last))
        starts = np.flatnonzero(_changes(first[order], last[order]))
        lengths = np.diff(np.append(starts, len(order)))
        groups = np.flatnonzero(lengths > 1)
        while len(groups):
            count = int(np.searchsorted(np.cumsum(lengths[groups]), BLOCK, side="right")) or 1
            some, groups = groups[:count], groups[count:]
            tied = ranges(starts[some], lengths[some])
            among = order[tied]
            order[tied] = among[pc.array_sort_indices(self._keys(matches.take(among))).to_numpy()]
        return order

    def _keys(self, matches: Matches) -> pa.Array:
        first, last = matches.extremes
        bound = list(matches.bound.values())
        events = len(self.arranged.rows)
        by_events = terminated(listed(bound, events))
        codes = [single(last), single(first), by_events, *map(ordered, bound)]
        return strings(codes, events + len(codes))

    def _skipping(self, matches: Matches, order: Positions) -> Positions:
        """Those whose first event is behind the one that the last kept match skips to."""
        rank = self.arranged.rank
        first, targets = matches.extremes[0], self._targets(matches)
        least = np.where(targets < 0, -1, rank[targets] + self.one_a_start)
        starts: set[int] = set()
        found: list[int] = []
        current = bound = -1
        for begin in range(0, len(order), BLOCK):
            block = order[begin : begin + BLOCK]
            columns = (matches.partition[block], first[block], rank[first[block]], least[block])
            rows = zip(*(column.tolist() for column in columns), strict=True)
            for place, (partition, event, own, behind) in enumerate(rows, begin):
                if partition != current:
                    current, bound = partition, -1
                if event not in starts if bound < 0 else own >= bound:
                    found.append(place)
                    starts.add(event)
                    bound = behind
        return np.array(found, np.int64)

    def _targets(self, matches: Matches) -> Positions:
        """The event that each match skips to; -1 where its variable is unbound."""
        if self.clause.variable is None:
            return matches.extremes[1]
        key = self.clause.variable.key
        bound = next(one for name, one in matches.bound.items() if name.casefold() == key)
        least, greatest = extremes([bound], len(matches))
        return least if self.clause.mode is SkipMode.TO_FIRST else greatest

    def _apart(self, matches: Matches, order: Positions) -> Positions:
        """Those that share no event with one that is kept."""
        taken = np.zeros(len(self.arranged.rows), np.bool_)
        found: list[int] = []
        for begin in range(0, len(order), _FEW):
            block = matches.take(order[begin : begin + _FEW])
            places, events = _apart_in(block, taken)
            found += [begin + place for place in places]
            taken[events] = True
        return np.array(found, np.int64)


_FEW = 1 << 13
"""Matches that are taken apart together."""


def _apart_in(matches: Matches, taken: npt.NDArray[np.bool_]) -> tuple[list[int], list[int]]:
    """The matches of a block that are kept, and their events; one look rules most of them out."""
    events, ends = listed(list(matches.bound.values()), len(taken))
    used = np.concatenate([[0], np.cumsum(taken[events])])[ends]
    free = np.flatnonzero(np.diff(used) == 0)
    numbers, starts, stops = events.tolist(), ends[free].tolist(), ends[free + 1].tolist()
    found: list[int] = []
    own: set[int] = set()
    for place, start, stop in zip(free.tolist(), starts, stops, strict=True):
        if own.isdisjoint(numbers[start:stop]):
            found.append(place)
            own.update(numbers[start:stop])
    return found, list(own)


def _changes(*columns: Positions) -> npt.NDArray[np.bool_]:
    """Where a row differs from the one before it; the first always does."""
    found = np.ones(len(columns[0]), np.bool_)
    found[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return found
