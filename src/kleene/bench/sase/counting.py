"""How many matches there are, counted apart from all that is measured.

A function for each class of predicates: of the values of x between a start and its end, in order,
those of both, and a number beyond which nobody wants to know.
"""

from __future__ import annotations

from collections.abc import Callable

import numba
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kleene.bench.sase.point import BOTH, FALSE, NEITHER, TRUE, Point, PredicateClass


@numba.njit
def _rising(x: np.ndarray, _first: float, _last: float, _most: float) -> float:
    """Choices of elements of which each is above all before it, that is above the last of them."""
    ending = np.zeros(len(x))
    for here in range(len(x)):
        ending[here] = 1.0
        for before in range(here):
            if x[before] < x[here]:
                ending[here] += ending[before]
    return float(ending.sum())


@numba.njit
def _with_one_above(x: np.ndarray, _first: float, last: float, _most: float) -> float:
    """Choices with an element above the end: all but those without one."""
    return float(2.0 ** len(x) - 2.0 ** (x <= last).sum())


@numba.njit
def _all_above(x: np.ndarray, first: float, _last: float, _most: float) -> float:
    """Choices among the elements above the start."""
    return float(2.0 ** (x > first).sum() - 1.0)


@numba.njit
def _above_average(x: np.ndarray, _first: float, _last: float, most: float) -> float:
    """Choices of elements of which each is above the average of those before it, one by one."""
    found = 0.0
    chosen = np.zeros(len(x) + 1, np.int64)  # the places of the choice, and the next one to try
    sums = np.zeros(len(x) + 1)
    depth = 0
    while found < most:
        place = chosen[depth]
        if place == len(x):
            if depth == 0:
                break
            depth -= 1
            chosen[depth] += 1
        elif depth == 0 or x[place] * depth > sums[depth]:
            found += 1.0
            sums[depth + 1] = sums[depth] + x[place]
            depth += 1
            chosen[depth] = place + 1
        else:
            chosen[depth] += 1
    return found


_COUNTS: dict[PredicateClass, Callable[[np.ndarray, float, float, float], float]] = {
    TRUE: _rising,
    FALSE: _with_one_above,
    BOTH: _all_above,
    NEITHER: _above_average,
}


class Jobs:
    """The events of the microbenchmarks, ready to be counted."""

    def __init__(self, events: pa.Table) -> None:
        starts, ends = (_of_type(events, letter).sort_by("job") for letter in "AC")
        self._b = _of_type(events, "B")
        self._v = self._b.column("v").to_numpy()
        self._starts, self._first = (starts.column(name).to_numpy() for name in ("time", "x"))
        self._ends, self._last = (ends.column(name).to_numpy() for name in ("time", "x"))

    def count(self, point: Point, threshold: int, most: float) -> float:
        """The matches of a point; so many or more are far too many."""
        kept = self._v < threshold
        time, x = (self._b.column(name).to_numpy()[kept] for name in ("time", "x"))
        from_, to = np.searchsorted(time, self._starts), np.searchsorted(time, self._ends)
        count = _COUNTS[point.predicates]
        total = 0.0
        for job in np.flatnonzero(self._ends - self._starts < point.window):
            inner = x[from_[job] : to[job]]
            total += count(inner, float(self._first[job]), float(self._last[job]), most)
            if total >= most:
                break
        return total

    def beginnings(self, point: Point, threshold: int, most: float) -> float:
        """What may be bound before the end comes: the runs of an automaton that clones them."""
        kept = self._v < threshold
        time, x = (self._b.column(name).to_numpy()[kept] for name in ("time", "x"))
        from_ = np.searchsorted(time, self._starts)
        to = np.searchsorted(time, self._starts + point.window)
        count = _COUNTS[point.predicates]
        total = float(len(self._starts))
        for job in range(len(self._starts)):
            inner = x[from_[job] : to[job]]
            # Whatever is asked of the end is above this: then only the empty choice is none.
            total += count(inner, float(self._first[job]), -1.0, most)
            if total >= most:
                break
        return total


def _of_type(events: pa.Table, letter: str) -> pa.Table:
    return events.filter(pc.equal(events.column("type"), letter))
