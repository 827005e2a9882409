"""Driving kernels: arrays in, words out, in batches of bounded size."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from kleene.language.decimals import digits
from kleene.language.expressions import Duration
from kleene.logical.algebra import LogicalQuery
from kleene.logical.moments import LARGEST
from kleene.program import loop
from kleene.program.compile import compiled, plain
from kleene.program.kernel import ASKING, Kernel
from kleene.program.machine import NEXT_PARTITION
from kleene.program.storage import named
from kleene.runtime.arrange import Arranged
from kleene.runtime.asker import Asker
from kleene.runtime.bindings import WORD, Matches, Positions
from kleene.runtime.limits import Watch

Function = Callable[..., tuple[int, int]]
_STACK = 1 << 12
_CHOICES = 4
"""The stack has room for so many, however many words a choice has."""
_OUT, _MOST_OUT = 1 << 12, 1 << 18
"""Words of the output of the first call, and of one of the last."""
LINKS = 1 << 10
"""Words that a buffer which grows has at first."""
_EVENTS = 8
"""Words that a match may have on average, where there are as many as a limit allows."""
SMALL = 20_000
"""Events up to which a kernel begins as plain Python, sooner done than compiled."""
PATIENCE = 1 << 17
"""Words that it writes as plain Python, at most about."""


class Run:
    """A kernel on its way over some partitions of arranged events.

    As plain Python it reads lists. Unless the call says which it is to be, it begins as that where
    there are few events, and machine code takes over where there is much to write.
    """

    def __init__(
        self, kernel: Kernel, watch: Watch, partitions: range, *, compiled: bool | None
    ) -> None:
        self._kernel, self._watch, self._first = kernel, watch, partitions.start
        part = watch.arranged.part[partitions.start : partitions.stop + 1]
        self._inputs = _inputs(kernel, watch.arranged, part)
        self._memory: dict[str, Any] = _memory(kernel, part)
        limits = watch.limits
        self._most = limits.counted if kernel.counts else limits.written
        self._memory["save"][loop.MOST] = self._most
        self._asker = Asker(kernel, watch.arranged, range(part[0], part[-1]))
        few = len(watch.arranged.rows) <= SMALL
        if kernel.wide:
            compiled = False
        if compiled or (compiled is None and not few):
            self._function, self._patience = self._compiled(), math.inf
            self._read = self._inputs
        else:
            self._function = plain(kernel.source)
            self._patience = PATIENCE if compiled is None else math.inf
            self._read, self._memory = as_lists(self._inputs), as_lists(self._memory)

    def matches(self) -> Iterator[Matches]:
        """What the kernel writes, call by call."""
        slots = tuple(self._kernel.shown)
        arrays = any(slot.dimensions for slot in slots)
        part = self._watch.arranged.part
        for fill in self._calls():
            out = self._memory["out"]
            words = np.array(out[:fill], np.int64)
            if arrays:
                told = self._memory["save"][loop.TOLD]
                ends = np.array(out[len(out) - told :], np.int64)[::-1]
                offsets = np.concatenate([np.zeros(1, np.int64), ends])
            else:
                offsets = np.arange(0, fill + 1, len(slots))
            yield Matches(slots, words, offsets, part)

    def counts(self) -> Iterator[tuple[Positions, Positions]]:
        """Partitions and the numbers of their matches, call by call."""
        for fill in self._calls():
            pairs = np.array(self._memory["out"][:fill], np.int64).reshape(-1, 2)
            yield self._first + pairs[:, 0], pairs[:, 1]

    @property
    def tally(self) -> tuple[int, int]:
        """Events that a kernel which tallies has bound: where they are written, and later."""
        save = self._memory["save"]
        return int(save[loop.RUNS]), int(save[loop.BUILT])

    def _calls(self) -> Iterator[int]:
        """Call the kernel until it is done; how many words it wrote each time."""
        written = here = 0
        self._check_memory()
        while True:
            before = self._partition()
            given = {**self._read, **self._memory, ASKING: self._asker.of(self._memory)}
            answer, fill = self._function(*(given[name] for name in self._kernel.parameters))
            self._asker.check()
            if fill:
                yield fill
            written += fill
            here = fill + (here if self._partition() == before else 0)
            if here > _EVENTS * self._most:
                raise self._watch.too_long(self._partition(), self._most, _EVENTS)
            match answer:
                case loop.DONE:
                    return
                case loop.LIMIT:
                    raise self._watch.too_many(self._partition(), self._most)
                case loop.DEEP:
                    self._double("stk")
                case loop.WIDE:
                    for name in self._kernel.growing:
                        self._double(name)
                case _:
                    if not fill or len(self._memory["out"]) < _MOST_OUT:
                        self._double("out")
            if written > self._patience:
                self._take_over()

    def _partition(self) -> int:
        return self._first + int(self._memory["save"][loop.PARTITION_AT]) - 1

    def _double(self, name: str) -> None:
        old = self._memory[name]
        self._memory[name] = [*old, *old] if isinstance(old, list) else np.tile(old, 2)
        self._check_memory()

    def _check_memory(self) -> None:
        kept = WORD * sum(map(len, self._memory.values()))
        self._watch.check_state(kept, max(self._partition(), 0), "the search for matches")

    def _take_over(self) -> None:
        """Go on in machine code: all that a kernel knows is in its memory."""
        self._function, self._patience, self._read = self._compiled(), math.inf, self._inputs
        for name, value in self._memory.items():
            self._memory[name] = np.array(value, np.int64)

    def _compiled(self) -> Function:
        return compiled(self._kernel.source, self._kernel.kinds)


def as_lists(named: dict[str, Any]) -> dict[str, Any]:
    """The arrays as lists of Python's own numbers, which plain Python reads faster."""
    return {n: v.tolist() if isinstance(v, np.ndarray) else v for n, v in named.items()}


def _memory(kernel: Kernel, part: Positions) -> dict[str, Positions]:
    """The arrays that a kernel writes: what it knows, its stack, its output, and its buffers.

    A buffer has room for all events of a partition, for a place behind them that is tried before
    it is counted, and for a null in each iteration: no more than there are events.
    """
    save = np.zeros(kernel.saved, np.int64)
    save[0] = NEXT_PARTITION
    found = {
        "save": save,
        "stk": np.zeros(max(_STACK, _CHOICES * kernel.frame), np.int64),
        "out": np.zeros(_OUT, np.int64),
    }
    room = int(np.diff(part).max(initial=0)) + 2
    for slot in kernel.layout.slots.values():
        names = [named(end, slot, level) for level in slot.rows for end in "se"]
        for name in (f"b{slot.number}", *names) if slot.dimensions else ():
            found[name] = np.zeros(room, np.int64)
    found |= {name: np.zeros(room, np.int64) for name in kernel.buffers}
    return found | {name: np.zeros(LINKS, np.int64) for name in kernel.growing}


def _inputs(kernel: Kernel, arranged: Arranged, part: Positions) -> dict[str, Any]:
    """What a kernel reads, by the names of its parameters."""
    loaded = arranged.loaded
    named: dict[str, Any] = {
        "part": part,
        "time": arranged.time,
        "window": window_of(kernel.query, arranged),
        "rank": arranged.rank,
        "place": arranged.place,
        "lit": loaded.literals,
        "tab": np.array(kernel.table, object if kernel.wide else np.int64),
    }
    for slot in kernel.layout.slots.values():
        named[f"p{slot.number}"] = arranged.candidates[slot.name]
    for index, (values, mask) in enumerate(zip(loaded.values, loaded.masks, strict=True)):
        named[f"c{index}"], named[f"m{index}"] = values, mask
    return named


def window_of(query: LogicalQuery, arranged: Arranged) -> int | float:
    """The window in the numbers of the time column."""
    extent = query.resolved.window
    if extent is None:
        return 0
    length = extent.microseconds if isinstance(extent, Duration) else extent
    if arranged.time.dtype.kind == "f":
        return float(length)
    type_ = query.resolved.shape.time_type
    places = digits(type_)[1] if pa.types.is_decimal(type_) else 0
    return min(math.ceil(length * int(10**places)), LARGEST)
