"""Driving kernels: arrays in, words out, in batches of bounded size."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from kleene.language.expressions import Duration
from kleene.logical.binding import Binding, Value
from kleene.program.kernel import Kernel
from kleene.program.loop import DEEP, DONE
from kleene.program.machine import NEXT_PARTITION
from kleene.runtime.arrange import Arranged

Function = Callable[..., tuple[int, int]]
Positions = npt.NDArray[np.int64]
OUT = 1 << 16
"""Words of the output of one call."""
_STACK = 1 << 12
_CHOICES = 4
"""The stack has room for so many, however many words a choice has."""


class Run:
    """A kernel on its way over arranged events; as plain Python it reads lists."""

    def __init__(
        self, kernel: Kernel, function: Function, arranged: Arranged, *, compiled: bool
    ) -> None:
        self._parameters, self._function = kernel.parameters, function
        self._arguments = {**_inputs(kernel, arranged), **_memory(kernel, arranged)}
        if not compiled:
            for name, value in self._arguments.items():
                if isinstance(value, np.ndarray):
                    self._arguments[name] = value.tolist()

    def batches(self) -> Iterator[Positions]:
        """What the kernel writes, call by call."""
        while True:
            arguments = [self._arguments[name] for name in self._parameters]
            answer, fill = self._function(*arguments)
            if fill:
                yield np.array(self._arguments["out"][:fill], np.int64)
            if answer == DONE:
                return
            if answer == DEEP:
                self._double("stk")
            elif not fill:  # one match is larger than the whole output
                self._double("out")

    def _double(self, name: str) -> None:
        old = self._arguments[name]
        self._arguments[name] = [*old, *old] if isinstance(old, list) else np.tile(old, 2)


def _memory(kernel: Kernel, arranged: Arranged) -> dict[str, Positions]:
    """The arrays that a kernel writes: what it knows, its stack, its output, and its buffers.

    A buffer has room for all events of a partition, for a place behind them that is tried before
    it is counted, and for a null in each iteration: no more than there are events.
    """
    save = np.zeros(kernel.saved, np.int64)
    save[0] = NEXT_PARTITION
    found = {
        "save": save,
        "stk": np.zeros(max(_STACK, _CHOICES * kernel.frame), np.int64),
        "out": np.zeros(OUT, np.int64),
    }
    room = int(np.diff(arranged.part).max(initial=0)) + 2
    for slot in kernel.layout.slots.values():
        for letter in ("", "b", "bse")[slot.dimensions]:
            found[f"{letter}{slot.number}"] = np.zeros(room, np.int64)
    return found


def _inputs(kernel: Kernel, arranged: Arranged) -> dict[str, Any]:
    """What a kernel reads, by the names of its parameters."""
    loaded = arranged.loaded
    named: dict[str, Any] = {
        "part": arranged.part,
        "time": arranged.time,
        "window": window_of(kernel, arranged),
        "rank": arranged.rank,
        "place": arranged.place,
        "lit": loaded.literals,
    }
    for slot in kernel.layout.slots.values():
        named[f"p{slot.number}"] = arranged.candidates[slot.name]
    for index, (values, mask) in enumerate(zip(loaded.values, loaded.masks, strict=True)):
        named[f"c{index}"], named[f"m{index}"] = values, mask
    return named


def window_of(kernel: Kernel, arranged: Arranged) -> int | float:
    """The window in the numbers of the time column: the least that is not below the one meant."""
    extent = kernel.query.resolved.window
    if extent is None:
        return 0
    exact = Decimal(extent.microseconds if isinstance(extent, Duration) else extent)
    if arranged.time.dtype.kind == "i":
        return math.ceil(exact)
    nearest = float(exact)
    return nearest if Decimal(nearest) >= exact else math.nextafter(nearest, math.inf)


def read_bindings(kernel: Kernel, written: Sequence[int]) -> Iterator[Binding]:
    """The bindings that a kernel wrote."""
    at = 0
    while at < len(written):
        binding: dict[str, Value] = {}
        for slot in kernel.shown:
            binding[slot.name], at = _read(written, at, slot.dimensions)
        yield binding


def _read(written: Sequence[int], at: int, dimensions: int) -> tuple[Value, int]:
    """A value and where the next begins: an event, or a count and that many values."""
    head = written[at]
    at += 1
    if head < 0:
        return None, at
    if dimensions == 0:
        return head, at
    items: list[Value] = []
    for _ in range(head):
        item, at = _read(written, at, dimensions - 1)
        items.append(item)
    return tuple(items), at
