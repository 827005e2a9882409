"""Driving kernels of merged runs: numbers of matches that were never found one by one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from kleene.program import loop
from kleene.program.compile import compiled, plain
from kleene.program.merging import source
from kleene.program.merging.log import MOVE
from kleene.program.merging.plan import MergedKernel
from kleene.program.merging.reach import Reach
from kleene.program.tables import LIMB, WORD, WORDS
from kleene.runtime.arrange import Arranged
from kleene.runtime.bindings import WORD as BYTES
from kleene.runtime.bindings import Bound, Level, Positions, offsets_of, ranges
from kleene.runtime.limits import Watch
from kleene.runtime.run import SMALL, Function, as_lists, window_of

_ROOM = 64
"""Configurations that there is room for at first."""
_OUT, _MOST_OUT = 1 << 12, 1 << 18
"""Words of the output of the first call, and of one of the last."""
_ENDLESS = 2**62
PATIENCE = 1 << 18
"""Steps that a kernel takes as plain Python, sooner done than compiled, at most about."""


@dataclass(frozen=True)
class Rows:
    """What is told of matches: the partition, events that are keys, payload, events of arrays."""

    partitions: Positions
    keys: Positions
    payloads: Positions
    arrays: tuple[Bound, ...]


@dataclass(frozen=True)
class Laid:
    """A kernel, and all that it reads beside the partitions."""

    kernel: MergedKernel
    inputs: dict[str, Any]


class MergedRun:
    """A kernel of merged runs on its way over some partitions of arranged events."""

    def __init__(
        self, laid: Laid, watch: Watch, partitions: range, *, compile_kernel: bool | None
    ) -> None:
        kernel = laid.kernel
        self._laid, self._kernel, self._watch, self._first = laid, kernel, watch, partitions.start
        self._part = watch.arranged.part[partitions.start : partitions.stop + 1]
        self._inputs = laid.inputs | {"part": self._part}
        self._memory: dict[str, Any] = self._rooms(_ROOM)
        self._memory["told"] = np.zeros(2 * kernel.payload.width, np.int64)
        self._memory["out"] = np.zeros(_OUT, np.int64)
        self._memory["save"] = np.zeros(source.SAVED, np.int64)
        self._memory["save"][[source.POS, source.TURN]] = -1
        self._compiled = compile_kernel or (
            compile_kernel is None and len(watch.arranged.rows) > SMALL
        )
        self._patience: float = PATIENCE if compile_kernel is None else math.inf
        if self._compiled:
            self._function: Function = self._machine_code()
        else:
            self._function = plain(kernel.kernel.source)
            self._inputs, self._memory = as_lists(self._inputs), as_lists(self._memory)

    def rows(self) -> Iterator[Rows]:
        """What the kernel writes, call by call."""
        self._check_memory()
        while True:
            steps = self._patience if not self._compiled else math.inf
            self._memory["save"][source.STEPS] = before = min(steps, _ENDLESS)
            given = {**self._inputs, **self._memory}
            answer, fill = self._function(*(given[name] for name in self._kernel.kernel.parameters))
            self._patience -= before - self._memory["save"][source.STEPS]
            if fill:
                yield self._read(fill)
            match answer:
                case loop.DONE:
                    return
                case loop.DEEP:
                    self._grow()
                case source.SLOW:
                    self._take_over()
                case _:
                    assert answer == loop.FULL, "kernels of merged runs answer no more than these"
                    if not fill or len(self._memory["out"]) < _MOST_OUT:
                        self._renew("out", 2 * len(self._memory["out"]))

    def _read(self, fill: int) -> Rows:
        out = self._memory["out"]
        words = np.array(out[:fill], np.int64)
        width = 1 + len(self._kernel.telling.keys) + self._kernel.payload.width
        if self._kernel.telling.arrays is None:
            starts = np.arange(0, fill, width)
        else:
            told = self._memory["save"][source.ROWS]
            ends = np.array(out[len(out) - told :], np.int64)[::-1]
            starts = np.concatenate([np.zeros(1, np.int64), ends[:-1]])
        heads = words[ranges(starts, np.full(len(starts), width))].reshape(-1, width)
        heads[:, 0] += self._first
        arrays = []
        at = starts + width
        for _ in self._kernel.telling.arrays or ():
            lengths = words[at]
            level = Level(offsets_of(lengths), np.zeros(len(at), np.bool_))
            arrays.append(Bound(words[ranges(at + 1, lengths)], (level,)))
            at = at + 1 + lengths
        keys = 1 + len(self._kernel.telling.keys)
        return Rows(heads[:, 0], heads[:, 1:keys], heads[:, keys:], tuple(arrays))

    def _rooms(self, room: int) -> dict[str, Any]:
        """The arrays that hold configurations, groups and moves."""
        words, keys = self._kernel.payload.width, 1 + len(self._kernel.telling.keys)
        room = max(room, 2 * max(map(len, self._kernel.paths.steps)) + 2)
        sizes = {
            "keys": room * self._kernel.width,
            "have": room * words,
            "home": 1 << (2 * room).bit_length(),
            "hits": room * (1 + words),
            "gkeys": room * keys,
            "ghave": room * words,
            "ghome": 1 << (2 * room).bit_length(),
            "glast": room,
            "log": 4 * room * MOVE,
            "name": room,
            "marks": room,
        }
        return {
            n: np.zeros(s, np.int64)
            for n, s in sizes.items()
            if n in self._kernel.kernel.parameters
        }

    def _grow(self) -> None:
        """A pass begins anew where there is too little room; what it tells on the way stays."""
        found = self._rooms(4 * len(self._memory["keys"]) // self._kernel.width)
        self._memory.update(found if self._compiled else as_lists(found))
        self._check_memory()

    def _renew(self, name: str, size: int) -> None:
        self._memory[name] = np.zeros(size, np.int64) if self._compiled else [0] * size
        self._check_memory()

    def _check_memory(self) -> None:
        kept = BYTES * sum(map(len, self._memory.values()))
        partition = self._first + int(self._memory["save"][source.AT])
        self._watch.check_state(kept, partition, "the configurations of runs")

    def _take_over(self) -> None:
        """Go on in machine code: what a kernel knows between passes is in its memory."""
        self._compiled, self._patience = True, math.inf
        self._function = self._machine_code()
        self._inputs = self._laid.inputs | {"part": self._part}
        for name, value in self._memory.items():
            self._memory[name] = np.array(value, np.int64)

    def _machine_code(self) -> Function:
        return compiled(self._kernel.kernel.source, self._kernel.kernel.kinds)


def numbers(limbs: Positions) -> list[int]:
    """Numbers of matches as Python's own."""
    return [low | middle << LIMB | high << 2 * LIMB for low, middle, high in limbs.tolist()]


def sums(limbs: Positions) -> list[int]:
    """Sums likewise."""
    bits = WORD * WORDS
    found = (sum(limb << WORD * n for n, limb in enumerate(row)) for row in limbs.tolist())
    return [total - (1 << bits) if total >> (bits - 1) else total for total in found]


def lay(kernel: MergedKernel, arranged: Arranged) -> Laid:
    """What a kernel reads, by the names of its parameters."""
    loaded = arranged.loaded
    named: dict[str, Any] = {
        "time": arranged.time,
        "window": window_of(kernel.query, arranged),
        "rank": arranged.rank,
        "kind": _kinds(kernel, arranged),
        "lit": loaded.literals,
    }
    for index, (values, mask) in enumerate(zip(loaded.values, loaded.masks, strict=True)):
        named[f"c{index}"], named[f"m{index}"] = values, mask
    for register, columns in kernel.remembered.items():
        read = [named[column] for column in columns]
        named[f"of_{register}"] = _representatives(read, len(arranged.rows))
    if kernel.reach is not None:
        named["reach"] = _reached(kernel.reach, arranged)
    for gap in kernel.gaps:
        before, behind = _beside(arranged.candidates[gap.variable], arranged)
        named[f"last_of_{gap.number}"], named[f"next_of_{gap.number}"] = before, behind
    wanted = kernel.kernel.parameters
    return Laid(kernel, {name: named[name] for name in wanted if name in named})


def _beside(chosen: Positions, arranged: Arranged) -> tuple[Positions, Positions]:
    """For each event the last of some before it and the next behind it in its partition, or -1."""
    events = np.arange(len(arranged.rows))
    partition = np.searchsorted(arranged.part, events, side="right") - 1
    ranks = arranged.rank[chosen]
    places = (
        np.searchsorted(ranks, arranged.rank, side="left") - 1,
        np.searchsorted(ranks, arranged.rank, side="right"),
    )
    found = []
    for place in places:
        there = (place >= 0) & (place < len(chosen))
        event = np.full(len(events), -1, np.int64)
        event[there] = chosen[place[there]]
        apart = partition[event] != partition
        event[apart] = -1
        found.append(event)
    return found[0], found[1]


def _reached(reach: Reach, arranged: Arranged) -> Positions:
    """For each first event the last of the last events that are equal to it; -1 for none."""
    ends = (arranged.candidates[reach.first], arranged.candidates[reach.last])
    codes = [np.zeros(len(events), np.int64) for events in ends]
    present = [np.ones(len(events), np.bool_) for events in ends]
    for sides in reach.equal:
        values = []
        for place, (side, events) in enumerate(zip(sides, ends, strict=True)):
            values.append(arranged.loaded.values[side.number][events])
            if side.nullable:
                present[place] &= arranged.loaded.masks[side.number][events] == 0
        _, equal = np.unique(np.concatenate(values), return_inverse=True)
        joint = np.concatenate(codes) * (int(equal.max(initial=0)) + 1) + equal
        _, joint = np.unique(joint, return_inverse=True)
        codes = [joint[: len(ends[0])], joint[len(ends[0]) :]]
    count = len(arranged.rows) + 1
    firsts, lasts = (events[there] for events, there in zip(ends, present, strict=True))
    wanted, known = (each[there] for each, there in zip(codes, present, strict=True))
    known = np.sort(known * count + lasts)
    at = np.searchsorted(known, wanted * count + count - 1, side="right") - 1
    some = at >= 0
    found = np.full(len(arranged.rows), -1, np.int64)
    key = known[at[some]]
    same = key // count == wanted[some]
    found[firsts[some][same]] = key[same] % count
    return found


def _kinds(kernel: MergedKernel, arranged: Arranged) -> Positions:
    """For each event a bit for each leaf that may take it."""
    found = np.zeros(len(arranged.rows), np.int64)
    for bit, leaf in enumerate(kernel.paths.leaves):
        found[arranged.candidates[leaf.variable]] |= 1 << bit
    return found


def _representatives(columns: list[Any], count: int) -> Positions:
    """For each event the first of those that agree with it in some columns."""
    found = np.zeros(count, np.int64)
    for column in columns:
        _, codes = np.unique(column, return_inverse=True)
        _, firsts, found = np.unique(
            found * (int(codes.max(initial=0)) + 1) + codes, return_index=True, return_inverse=True
        )
        found = firsts[found]
    return found.astype(np.int64)
