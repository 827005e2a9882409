"""EXISTS: each binding of the variables that are shown, once in each partition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kleene.program.layout import Slot
from kleene.runtime.bindings import Matches, Positions, offsets_of, ranges
from kleene.runtime.keys import as_strings, as_words
from kleene.runtime.limits import Watch

ENOUGH = 1 << 16
"""Matches that are waited for before they are compared with those that are known."""

_RESERVE = 5
"""What is known is held once more to be looked up in, and once more while it grows."""


def distinct(found: Iterator[Matches], shown: Sequence[Slot], watch: Watch) -> Iterator[Matches]:
    """The matches without the variables that are hidden, each once.

    They are looked up once there are half as many as are known, so that a look costs no more than
    a constant for each. What is known of partitions that are done is forgotten.
    """
    wide = np.dtype(np.int32 if len(watch.arranged.rows) < _FAR else np.int64)
    known = pa.array([], pa.large_binary())
    waiting: list[pa.Array] = []
    part = watch.arranged.part
    for matches in found:
        waiting.append(pc.unique(_strings(matches, shown, wide)))
        if sum(map(len, waiting)) < max(len(known) // 2, ENOUGH):
            continue
        fresh = _fresh(waiting, known)
        waiting = []
        yield from _told(fresh, part, shown, wide)
        last = int(matches.partition[-1])
        known = _of_partition(pa.concat_arrays([known, fresh]), last, wide)
        watch.check_state(_RESERVE * known.nbytes, last, "the distinct matches")
    if waiting:
        yield from _told(_fresh(waiting, known), part, shown, wide)


_FAR = 2**31


def _fresh(waiting: list[pa.Array], known: pa.Array) -> pa.Array:
    """What is not known, once."""
    found = pc.unique(pa.concat_arrays(waiting))
    return found.filter(pc.is_null(pc.index_in(found, value_set=known)))


def _strings(matches: Matches, shown: Sequence[Slot], wide: np.dtype[Any]) -> pa.Array:
    """The words of the variables that are shown, behind the partition."""
    sizes = matches.sizes
    kept = [n for n, slot in enumerate(matches.slots) if slot in shown]
    lengths = np.sum([np.ones(len(matches), np.int64), *(sizes[n] for n in kept)], axis=0)
    offsets = offsets_of(lengths)
    words = np.empty(offsets[-1], wide)
    words[offsets[:-1]] = matches.partition
    into, at = offsets[:-1] + 1, matches.offsets[:-1].copy()
    for n, size in enumerate(sizes):
        if n in kept:
            words[ranges(into, size)] = matches.words[ranges(at, size)]
            into = into + size
        at += size
    return as_strings(words, offsets)


def _told(
    strings: pa.Array, part: Positions, shown: Sequence[Slot], wide: np.dtype[Any]
) -> Iterator[Matches]:
    """The matches that strings stand for."""
    if not len(strings):
        return
    words, offsets = as_words(strings, wide)
    starts, lengths = offsets[:-1] + 1, np.diff(offsets) - 1
    yield Matches(
        slots=tuple(shown),
        words=words[ranges(starts, lengths)],
        offsets=offsets_of(lengths),
        part=part,
        known=words[offsets[:-1]],
    )


def _of_partition(strings: pa.Array, partition: int, wide: np.dtype[Any]) -> pa.Array:
    """Those of one partition, the last; partitions are in order."""
    words, offsets = as_words(strings, wide)
    start = int(np.searchsorted(words[offsets[:-1]], partition))
    return pa.concat_arrays([strings.slice(start)]) if start else strings
