"""Words of kernels, and what they bind: arrays, arrays of arrays, keys that compare like them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleene.logical.after_match import comparable
from kleene.logical.binding import Value, events_of
from kleene.program.layout import Slot
from kleene.runtime.bindings import Bound, Matches, joined, offsets_of
from kleene.runtime.keys import as_strings, as_words, listed, ordered, strings

EVENTS = 9
ONE = st.none() | st.integers(0, EVENTS - 1)
MANY = st.none() | st.lists(ONE, max_size=3).map(tuple)
ROWS = st.none() | st.lists(MANY, max_size=3).map(tuple)
PLANES = st.none() | st.lists(ROWS, max_size=2).map(tuple)
VALUES: tuple[st.SearchStrategy[Value], ...] = (ONE, MANY, ROWS, PLANES)
SLOTS = tuple(
    Slot(n, f"v{n}", tuple(range(n)), (), None, array=bool(n)) for n in range(len(VALUES))
)
MATCHES = st.lists(st.tuples(*VALUES), min_size=1, max_size=8)


def words_of(value: Value, dimensions: int) -> list[int]:
    """As kernels write a value: level by level."""
    found: list[int] = []
    items: list[Value] = [value]
    for _ in range(dimensions):
        arrays = [item if isinstance(item, tuple) else None for item in items]
        found += [-1 if array is None else len(array) for array in arrays]
        items = [item for array in arrays for item in array or ()]
    return found + [item if isinstance(item, int) else -1 for item in items]


def written(rows: list[tuple[Value, ...]]) -> Matches:
    words = [
        [
            word
            for slot, value in zip(SLOTS, row, strict=True)
            for word in words_of(value, slot.number)
        ]
        for row in rows
    ]
    flat = np.array([word for match in words for word in match], np.int64)
    return Matches(SLOTS, flat, offsets_of(np.array(list(map(len, words)))), np.array([0, EVENTS]))


def values_of(bound: Bound) -> list[object]:
    items: list[object] = [None if p < 0 else p for p in bound.positions.tolist()]
    for level in reversed(bound.levels):
        parts = [tuple(items[start:end]) for start, end in pairwise(level.offsets.tolist())]
        missing = level.missing.tolist()
        items = [None if null else part for part, null in zip(parts, missing, strict=True)]
    return items


def told(matches: Matches) -> list[tuple[object, ...]]:
    return list(zip(*(values_of(matches.bound[slot.name]) for slot in SLOTS), strict=True))


@given(MATCHES)
def test_words_are_read(rows: list[tuple[Value, ...]]) -> None:
    matches = written(rows)
    assert told(matches) == rows
    sizes = np.sum(matches.sizes, axis=0)
    assert sizes.tolist() == np.diff(matches.offsets).tolist()


@given(MATCHES, st.data())
def test_some_of_the_matches(rows: list[tuple[Value, ...]], data: st.DataObject) -> None:
    matches = written(rows)
    chosen = data.draw(st.lists(st.integers(0, len(rows) - 1)))
    assert told(matches.take(np.array(chosen, np.int64))) == [rows[n] for n in chosen]
    start = data.draw(st.integers(0, len(rows)))
    stop = data.draw(st.integers(start, len(rows)))
    assert told(matches.slice(start, stop)) == rows[start:stop]
    assert told(joined([matches, matches.slice(start, stop)])) == rows + rows[start:stop]


@given(MATCHES)
def test_first_and_flat(rows: list[tuple[Value, ...]]) -> None:
    matches = written(rows)
    for slot in SLOTS[1:]:
        values = [row[slot.number] for row in rows]
        firsts = [value[0] if isinstance(value, tuple) and value else None for value in values]
        assert values_of(matches.bound[slot.name].first()) == firsts
        flat = [tuple(events_of(value)) for value in values]
        assert values_of(matches.bound[slot.name].flat()) == flat


@given(MATCHES)
def test_extremes(rows: list[tuple[Value, ...]]) -> None:
    events = [sorted(event for value in row for event in events_of(value)) for row in rows]
    first, last = written(rows).extremes
    assert first.tolist() == [min(found, default=-1) for found in events]
    assert last.tolist() == [max(found, default=-1) for found in events]
    found, ends = listed(list(written(rows).bound.values()), EVENTS)
    assert [found[s:e].tolist() for s, e in pairwise(ends.tolist())] == events


@pytest.mark.parametrize("most", [EVENTS + 4, 2**40])
@given(rows=MATCHES)
def test_keys_compare_like_bindings(most: int, rows: list[tuple[Value, ...]]) -> None:
    bound = list(written(rows).bound.values())
    keys = strings([ordered(one) for one in bound], most).to_pylist()
    expected = [[comparable(value) for value in row] for row in rows]
    for one, other in pairwise(range(len(rows))):
        assert (keys[one] < keys[other]) == (expected[one] < expected[other])
        assert (keys[one] == keys[other]) == (expected[one] == expected[other])


def test_strings_and_words() -> None:
    words, offsets = np.array([5, -1, 7]), np.array([0, 2, 2, 3])
    found = as_strings(words, offsets)
    assert found.type == pa.large_binary()
    assert as_words(found)[0].tolist() == [5, -1, 7]
    assert as_words(found.slice(1))[0].tolist() == [7]
    assert as_words(found.slice(1))[1].tolist() == [0, 0, 1]
    assert as_words(pa.array([], pa.large_binary()))[0].tolist() == []
