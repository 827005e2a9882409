"""What kernels call to find positions: plain Python that Numba compiles as it stands."""

from __future__ import annotations

from collections.abc import Sequence

FAR = 2**62
"""A rank behind all others."""


def advance(positions: Sequence[int], start: int, limit: int) -> int:
    """The first index from `start` on whose position is not before `limit`."""
    index = start
    while index < len(positions) and positions[index] < limit:
        index += 1
    return index


def first_after(
    positions: Sequence[int], low: int, high: int, rank: Sequence[int], after: int
) -> int:
    """The first index of `[low, high)` whose event comes after a rank."""
    while low < high:
        middle = (low + high) // 2
        if rank[positions[middle]] > after:
            high = middle
        else:
            low = middle + 1
    return low


def next_after(
    positions: Sequence[int], low: int, high: int, rank: Sequence[int], after: int
) -> int:
    """The same, quick where it is not far from `low`."""
    stride = 1
    while low + stride <= high and rank[positions[low + stride - 1]] <= after:
        low += stride
        stride *= 2
    return first_after(positions, low, min(high, low + stride - 1), rank, after)


def first_from(  # noqa: PLR0913, PLR0917 - kernels have no objects to pass
    positions: Sequence[int], hint: int, low: int, high: int, rank: Sequence[int], after: int
) -> int:
    """The same, quick where it is not far behind an index that was found before."""
    if low < hint <= high and rank[positions[hint - 1]] <= after:
        return next_after(positions, hint, high, rank, after)
    return first_after(positions, low, high, rank, after)


def first_within(  # noqa: PLR0913, PLR0917 - kernels have no objects to pass
    positions: Sequence[int], low: int, high: int, time: Sequence[int], latest: int, window: int
) -> int:
    """The first index of `[low, high)` less than a window before the latest time."""
    while low < high:
        middle = (low + high) // 2
        if latest - time[positions[middle]] < window:
            high = middle
        else:
            low = middle + 1
    return low


def taken(events: Sequence[int], count: int, event: int) -> bool:
    """Whether an event is among the first so many."""
    for index in range(count):  # noqa: SIM110 - Numba has no any() of a generator
        if events[index] == event:
            return True
    return False


def begin_of(starts: Sequence[int], count: int, end: int, row: int) -> int:
    """Where a row begins; the one behind the last begins at the end."""
    return starts[row] if row < count else end


def last_rank(events: Sequence[int], low: int, high: int, rank: Sequence[int]) -> int:
    """The rank of the last event of a part of a buffer; -1 if it has none."""
    for index in range(high - 1, low - 1, -1):
        if events[index] >= 0:
            return rank[events[index]]
    return -1


def first_rank(events: Sequence[int], low: int, high: int, rank: Sequence[int]) -> int:
    """The rank of the first event of a part of a buffer; FAR if it has none."""
    for index in range(low, high):
        if events[index] >= 0:
            return rank[events[index]]
    return FAR
