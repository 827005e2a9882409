"""What a process and all its descendants take of memory and processor, seen from outside."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

import psutil

T = TypeVar("T")
_PAUSE = 0.02


def peak_while(process: int, work: Callable[[], T]) -> tuple[T, int]:
    """What the work returns, and the most bytes that a process tree had meanwhile.

    Pages that processes share, as Spark's forked workers do, count once where the system knows.
    """
    seen = [sum(map(_bytes_of, _family(process)))]
    done = threading.Event()

    def watch() -> None:
        while not done.wait(_PAUSE):
            seen[0] = max(seen[0], sum(map(_bytes_of, _family(process))))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        result = work()
    finally:
        done.set()
        watcher.join()
    return result, seen[0]


def cpu_seconds(process: int) -> float:
    """The processor time that a process tree has used; those of it that ended count too."""
    return sum(map(_cpu_of, _family(process)))


def _family(process: int) -> list[psutil.Process]:
    try:
        root = psutil.Process(process)
        return [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def _cpu_of(process: psutil.Process) -> float:
    try:
        known = process.cpu_times()
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return 0.0
    return sum(known[:4])  # of its own and of children that ended: user and system


def _bytes_of(process: psutil.Process) -> int:
    try:
        known = process.memory_full_info()
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return 0
    return int(getattr(known, "pss", known.uss))
