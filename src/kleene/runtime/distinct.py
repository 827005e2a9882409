"""EXISTS: each binding of the variables that are shown, once in each partition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kleene.program.layout import Slot
from kleene.runtime.bindings import Matches, offsets_of, ranges
from kleene.runtime.keys import as_strings, as_words
from kleene.runtime.limits import Watch

ENOUGH = 1 << 16
"""Matches that are waited for before they are compared with those that are known."""


def distinct(found: Iterator[Matches], shown: Sequence[Slot], watch: Watch) -> Iterator[Matches]:
    """The matches without the variables that are hidden, each once.

    They are compared when there are as many as are known already, so that comparing costs no more
    than a constant for each. What is known of partitions that are done is forgotten.
    """
    known = pa.array([], pa.large_binary())
    waiting: list[pa.Array] = []
    for matches in found:
        waiting.append(pc.unique(_strings(matches, shown)))
        if sum(map(len, waiting)) < max(len(known), ENOUGH):
            continue
        whole = pc.unique(pa.concat_arrays([known, *waiting]))
        waiting = []
        yield from _told(whole.slice(len(known)), matches, shown)
        last = int(matches.partition[-1])
        known = _of_partition(whole, last)
        watch.check_state(_RESERVE * known.nbytes, last, "the distinct matches")
    if waiting:
        whole = pc.unique(pa.concat_arrays([known, *waiting]))
        yield from _told(whole.slice(len(known)), matches, shown)


_RESERVE = 3
"""What is known is held beside what is waiting, while both are put together."""


def _strings(matches: Matches, shown: Sequence[Slot]) -> pa.Array:
    """The words of the variables that are shown, behind the partition."""
    sizes = matches.sizes
    kept = [n for n, slot in enumerate(matches.slots) if slot in shown]
    lengths = np.sum([np.ones(len(matches), np.int64), *(sizes[n] for n in kept)], axis=0)
    offsets = offsets_of(lengths)
    words = np.empty(offsets[-1], np.int64)
    words[offsets[:-1]] = matches.partition
    into, at = offsets[:-1] + 1, matches.offsets[:-1].copy()
    for n, size in enumerate(sizes):
        if n in kept:
            words[ranges(into, size)] = matches.words[ranges(at, size)]
            into = into + size
        at += size
    return as_strings(words, offsets)


def _told(strings: pa.Array, like: Matches, shown: Sequence[Slot]) -> Iterator[Matches]:
    """The matches that strings stand for."""
    if not len(strings):
        return
    words, offsets = as_words(strings)
    starts, lengths = offsets[:-1] + 1, np.diff(offsets) - 1
    yield Matches(
        slots=tuple(shown),
        words=words[ranges(starts, lengths)],
        offsets=offsets_of(lengths),
        part=like.part,
        known=words[offsets[:-1]],
    )


def _of_partition(strings: pa.Array, partition: int) -> pa.Array:
    """Those of one partition, the last; partitions are in order."""
    words, offsets = as_words(strings)
    start = int(np.searchsorted(words[offsets[:-1]], partition))
    return pa.concat_arrays([strings.slice(start)])
