"""Matches as strings of bytes, which Arrow compares and finds again many at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kleene.runtime.bindings import Bound, Positions, offsets_of, owners, ranges

Code = tuple[Positions, Positions]
"""Runs of words, and where each begins, and the end."""

_WIDE = np.dtype(np.int64)
_END, _NULL, _BEGIN, _FIRST = 0, 1, 2, 3
"""Words of codes: an array ends before anything else; null is before all that is not."""


def single(words: Positions) -> Code:
    """Codes of one word each."""
    return words, np.arange(len(words) + 1)


def ordered(bound: Bound) -> Code:
    """Codes that compare as bindings do: null first, arrays lexicographically."""
    positions = bound.positions
    code = single(np.where(positions < 0, _NULL, positions + _FIRST))
    for level in reversed(bound.levels):
        words, ends = code
        inner = ends[level.offsets]
        offsets = offsets_of(np.where(level.missing, 1, 2 + np.diff(inner)))
        found = np.full(offsets[-1], -1, np.int64)
        found[offsets[:-1]] = np.where(level.missing, _NULL, _BEGIN)
        found[offsets[1:][~level.missing] - 1] = _END
        found[found < 0] = words
        code = found, offsets
    return code


def listed(bound: Sequence[Bound], events: int) -> Code:
    """The events of all variables of each match, sorted, as codes that end."""
    flat = [one.flat() if one.levels else Bound(one.positions) for one in bound]
    keyed = []
    for one in flat:
        if one.levels:
            keyed.append(owners(one.levels[0].offsets) * events + one.positions)
        else:
            bare = np.arange(len(one.positions)) * events + one.positions
            keyed.append(bare[one.positions >= 0])
    count = bound[0].count
    found = np.sort(np.concatenate(keyed))
    ends = np.searchsorted(found, np.arange(count + 1) * events)
    return found - np.repeat(np.arange(count) * events, np.diff(ends)), ends


def terminated(code: Code) -> Code:
    """Codes of events that compare lexicographically: one that another begins with is before it."""
    words, ends = code
    offsets = ends + np.arange(len(ends))
    found = np.zeros(offsets[-1], np.int64)
    found[ranges(offsets[:-1], np.diff(ends))] = words + _FIRST
    return found, offsets


def strings(codes: Sequence[Code], most: int) -> pa.Array:
    """Codes one behind the other, as bytes that compare as their words do.

    `most` is more than any word.
    """
    kind = np.dtype(">u4" if most < 2**32 else ">u8")
    offsets = np.sum([ends for _, ends in codes], axis=0)
    words = np.empty(offsets[-1], kind)
    at = offsets[:-1]
    for found, ends in codes:
        lengths = np.diff(ends)
        if len(found) == len(lengths):
            words[at] = found
        else:
            words[ranges(at, lengths)] = found
        at = at + lengths
    return as_strings(words, offsets)


def as_strings(words: npt.NDArray[Any], offsets: Positions) -> pa.Array:
    """Runs of words as strings of bytes."""
    ends = pa.py_buffer((offsets * words.itemsize).astype(np.int64))
    buffers = [None, ends, pa.py_buffer(words)]
    return pa.Array.from_buffers(pa.large_binary(), len(offsets) - 1, buffers)


def as_words(strings: pa.Array, wide: np.dtype[Any] = _WIDE) -> Code:
    """Strings of bytes as the runs of words that they were made of."""
    _, ends, data = strings.buffers()
    if not len(strings):
        return np.zeros(0, np.int64), np.zeros(1, np.int64)
    offsets = np.frombuffer(ends, np.int64)[strings.offset : strings.offset + len(strings) + 1]
    start, stop = int(offsets[0]), int(offsets[-1])
    words = np.frombuffer(data, wide, (stop - start) // wide.itemsize, start)
    return words.astype(np.int64), (offsets - start) // wide.itemsize
