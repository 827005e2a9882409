"""Events of the types that a query names, found in the bytes of a column of text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kleene.program.helper import Helper
from kleene.program.laying import HEADS, of_types
from kleene.runtime.rows import decoded

Int64 = npt.NDArray[np.int64]
_KINDS = ("RB", "RB", "i", "i", "RI", "RI", "RI", "RB", "I", "I")
_OF_TYPES = {
    pa.string(): (np.int32, Helper(of_types, ("RS", *_KINDS))),
    pa.large_string(): (np.int64, Helper(of_types, ("RI", *_KINDS))),
}
_NO_BYTES = np.zeros(0, np.uint8)


def rows_of(column: pa.ChunkedArray, names: Sequence[str]) -> tuple[Int64, Int64]:
    """The rows whose text is one of some names, and the number of each one's name.

    The bytes are looked at once, where they lie: 9 ms for 2 million rows of which a seventh has a
    name. Arrow's index of values, the flags it becomes and filtering by them took 40.

    >>> rows_of(pa.chunked_array([["A", "B"], [None, "", "BA", "B"]]), ["B", ""])
    (array([1, 3, 5]), array([0, 1, 0]))
    """
    chains = _chains([name.encode() for name in names])
    found = []
    start = 0
    for piece in column.chunks:
        found.append(_rows_of(decoded(piece), start, chains))
        start += len(piece)
    rows, kinds = zip(*found, strict=True) if found else ((), ())
    none = np.zeros(0, np.int64)
    return np.concatenate([none, *rows]), np.concatenate([none, *kinds])


def _rows_of(text: pa.Array, start: int, chains: tuple[Int64, ...]) -> tuple[Int64, Int64]:
    text = text if text.type in _OF_TYPES else text.cast(pa.string())
    dtype, helper = _OF_TYPES[text.type]
    count = len(text)
    rows, kinds = np.empty(count, np.int64), np.empty(count, np.int64)
    if not count:
        return rows, kinds
    valid, offsets, data = text.buffers()
    ends = np.frombuffer(offsets, dtype)[text.offset : text.offset + count + 1]
    characters = _bytes(data)[ends[0] : ends[-1]]
    given = (ends, characters, _bytes(valid if text.null_count else None), text.offset, start)
    _, fill = helper(count, *given, *chains, rows, kinds)
    return rows[:fill], kinds[:fill]


def _bytes(buffer: pa.Buffer | None) -> npt.NDArray[np.uint8]:
    return _NO_BYTES if buffer is None else np.frombuffer(buffer, np.uint8)


def _chains(names: Sequence[bytes]) -> tuple[Int64, ...]:
    """The names as the helper looks for them."""
    heads, following = np.zeros(HEADS, np.int64), np.zeros(len(names), np.int64)
    for number, name in enumerate(names):
        chain = len(name) + (3 * name[0] + 5 * name[-1] if name else 0)
        following[number] = heads[chain % HEADS]
        heads[chain % HEADS] = number + 1
    ends = np.cumsum([0, *map(len, names)], dtype=np.int64)
    return heads, following, ends, np.frombuffer(b"".join(names), np.uint8)
