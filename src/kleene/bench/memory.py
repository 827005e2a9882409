"""The memory that a process and all its descendants take, watched from outside."""

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
    seen = [_bytes_of_tree(process)]
    done = threading.Event()

    def watch() -> None:
        while not done.wait(_PAUSE):
            seen[0] = max(seen[0], _bytes_of_tree(process))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        result = work()
    finally:
        done.set()
        watcher.join()
    return result, seen[0]


def _bytes_of_tree(process: int) -> int:
    try:
        root = psutil.Process(process)
        tree = [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return 0
    return sum(map(_bytes_of, tree))


def _bytes_of(process: psutil.Process) -> int:
    try:
        known = process.memory_full_info()
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return 0
    return int(getattr(known, "pss", known.uss))
