"""Sorting by what little is needed gives the order that sorting by everything gives."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from kleene.program.helper import FEW
from kleene.runtime.order import Column, Int64, partition_codes, sorted_rows

ROWS = st.lists(st.tuples(*[st.integers(0, most) for most in (3, 4, 2, 1, 9)]), max_size=40)


def column(values: Int64) -> Column:
    return lambda rows: pa.array(values[rows])


@given(ROWS, st.booleans(), st.booleans())
def test_events_are_in_their_order(
    rows: list[tuple[int, ...]],
    in_order: bool,  # noqa: FBT001 - drawn
    floating: bool,  # noqa: FBT001 - drawn
) -> None:
    table = np.array(sorted(rows) if in_order else rows, np.int64).reshape(-1, 5)
    key, time, tie, one, other = table.T
    number = np.unique(key, return_inverse=True)[1].astype(np.int64)
    time = time.astype(np.float64) if floating else time
    order = sorted_rows(time, number, [column(tie)], [column(one), column(other)])
    assert [tuple(row) for row in table[order.rows].tolist()] == sorted(rows)
    sorted_table = table[order.rows]
    previous = np.roll(sorted_table, 1, axis=0)
    starts = sorted_table[:, 0] != previous[:, 0]
    moves = (sorted_table[:, :3] != previous[:, :3]).any(axis=1)
    starts[:1] = moves[:1] = True
    assert order.time.tolist() == sorted_table[:, 1].tolist()
    assert order.part.tolist() == [*np.flatnonzero(starts).tolist(), len(rows)]
    assert order.rank.tolist() == np.cumsum(moves).tolist()


@given(st.lists(st.tuples(*[st.none() | st.sampled_from(["x", "y", "z"])] * 3)))
def test_partitions_are_told_apart(rows: list[tuple[str | None, ...]]) -> None:
    keys = [pa.array([row[n] for row in rows], pa.string()) for n in range(3)]
    codes = partition_codes(keys, len(rows)).tolist()
    for row, code in zip(rows, codes, strict=True):
        assert (code < 0) == (None in row)
        same = {other for other, found in zip(rows, codes, strict=True) if found == code >= 0}
        assert same == ({row} if code >= 0 else set())


def test_numbers_that_are_equal_are_one_key() -> None:
    floats = pa.array([0.0, -0.0, float("nan"), -float("nan"), None, 1.5])
    assert partition_codes([floats], 6).tolist() == [0, 0, 1, 1, -1, 2]
    days = pa.array([3, None, 3, 4], pa.int32()).cast(pa.date32())
    first, none, again, other = partition_codes([days], 4).tolist()
    assert (first, none) == (again, -1)
    assert other not in (first, none)


def test_machine_code_sorts_and_numbers_as_python_does() -> None:
    chance = np.random.default_rng(7)
    count = 3 * FEW
    first, second = chance.integers(-9_000, 9_000, (2, count)) << 40
    keys = [pa.array(first, mask=first == 0), pa.array(second)]
    codes = partition_codes(keys, count)
    met: dict[tuple[int, int], int] = {}
    for pair, code in zip(zip(first.tolist(), second.tolist(), strict=True), codes, strict=True):
        assert code == (met.setdefault(pair, len(met)) if pair[0] else -1)
    partitions = np.arange(count) % 7
    for time in (np.arange(count) // 3, chance.integers(0, 50, count), chance.normal(size=count)):
        order = sorted_rows(time, partitions, [], [column(np.arange(count))])
        assert order.rows.tolist() == np.lexsort([time, partitions]).tolist()
