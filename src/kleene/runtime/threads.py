"""Several threads of one process. Arrow, NumPy and kernels let others run while they work."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from queue import Full, Queue
from threading import Event, Thread, main_thread
from typing import Generic, TypeVar

_AHEAD = 4
"""What one iterator may have ready while those before it are still read."""
_PATIENCE = 0.05
"""Seconds after which a thread looks whether anybody still wants what it makes."""

Item = TypeVar("Item")
Piece = TypeVar("Piece")


def available() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def mapped(work: Callable[[Piece], Item], pieces: Sequence[Piece], threads: int) -> list[Item]:
    """What becomes of each piece."""
    if threads <= 1 or len(pieces) <= 1:
        return list(map(work, pieces))
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, pieces))


def chained(sources: Sequence[Iterator[Item]], threads: int) -> Iterator[Item]:
    """All items of all iterators in order, of which several are advanced at once.

    Whoever stops reading stops the threads. They are plain threads, not those of a pool: a pool is
    waited for when the interpreter ends, before they could know that it does.
    """
    if threads <= 1 or len(sources) <= 1:
        for source in sources:
            yield from source
        return
    stop = Event()
    lines = [_Line[Item](source, stop) for source in sources]
    waiting = iter(lines)
    workers = [Thread(target=_fill, args=(waiting,)) for _ in range(threads)]
    for worker in workers:
        worker.start()
    try:
        for line in lines:
            yield from line.items()
    finally:
        stop.set()
        for worker in workers:
            worker.join()


def apart(source: Iterator[Item]) -> Iterator[Item]:
    """All items, made by a thread that nobody waits for: so who reads them may be interrupted.

    Python hears of Ctrl-C between two of its own steps, and a kernel may take hours for one.
    """
    stop = Event()
    line = _Line[Item](source, stop)
    Thread(target=line.fill, daemon=True).start()
    try:
        yield from line.items()
    finally:
        stop.set()


def _fill(waiting: Iterator[_Line[Item]]) -> None:
    """Fill lines that no other thread has taken, the first of them first."""
    for line in waiting:
        line.fill()


class _Line(Generic[Item]):
    """Items on their way from the thread that makes them to the one that reads them."""

    def __init__(self, source: Iterator[Item], stop: Event) -> None:
        self._source, self._stop = source, stop
        self._queue: Queue[tuple[Item] | BaseException | None] = Queue(_AHEAD)

    def fill(self) -> None:
        """Make the items, and wait where enough are ready."""
        try:
            for item in self._source:
                if not self._put((item,)):
                    return
        except BaseException as error:  # noqa: BLE001 - it is raised where the items are read
            self._put(error)
        else:
            self._put(None)

    def _put(self, item: tuple[Item] | BaseException | None) -> bool:
        while not self._stop.is_set() and main_thread().is_alive():
            with suppress(Full):
                self._queue.put(item, timeout=_PATIENCE)
                return True
        return False

    def items(self) -> Iterator[Item]:
        """The items, or the error that making them ended in."""
        while (item := self._queue.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item[0]
