"""Numbers for keys: equal keys have equal ones, in every batch of a process."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kleene.language.kinds import Kind, kind_of
from kleene.logical.ordering import sort_key
from kleene.program.kinds import is_unsigned
from kleene.runtime.numbers import floats, ints
from kleene.runtime.partials import plain
from kleene.runtime.rows import Rows

Hashes = npt.NDArray[np.uint64]

_COUNTED = frozenset({Kind.INTEGER, Kind.BOOLEAN, Kind.DATE, Kind.TIMESTAMP, Kind.DURATION})


def hashes(events: pa.Table, keys: Sequence[tuple[str, ...]]) -> Hashes:
    """A number for the keys of each event."""
    rows = Rows(events, {})
    found = np.zeros(events.num_rows, np.uint64)
    for key in keys:
        found = mixed(found ^ _of(rows.attribute(key)))
    return found


def mixed(numbers: Hashes) -> Hashes:
    """Numbers whose every bit depends on every bit of those given (the end of SplitMix64).

    >>> mixed(np.array([0, 1], np.uint64)) % 100
    array([35, 65], dtype=uint64)
    """
    with np.errstate(over="ignore"):
        found = numbers + np.uint64(0x9E3779B97F4A7C15)
        found = (found ^ (found >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        found = (found ^ (found >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return found ^ (found >> np.uint64(31))


def _of(values: pa.Array) -> Hashes:
    kind = kind_of(values.type)
    if kind in _COUNTED and not is_unsigned(values.type):
        return ints(values).view(np.uint64)
    if kind is Kind.FLOAT:
        return floats(plain(values)).view(np.uint64)
    if pa.types.is_nested(values.type):
        return _of_each(values)[:-1]
    distinct = values.dictionary_encode()
    known = _of_each(distinct.dictionary)
    places = distinct.indices.fill_null(len(known) - 1).to_numpy(zero_copy_only=False)
    found: Hashes = known[places]
    return found


def _of_each(values: pa.Array) -> Hashes:
    """Those of the values as Python has them, and a number for null behind them."""
    found = [hash(sort_key(value)) for value in values.to_pylist()]
    return np.array([*found, 0], np.int64).view(np.uint64)
