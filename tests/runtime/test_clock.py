"""Times of every type of number that there is: the same matches as those of whole numbers."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pyarrow as pa
import pytest

import kleene
from kleene.errors import InputError

TIMES = (3, 1, None, 4, 4, 9, 12, 13, 21)
QUERY = "PATTERN SEQ(A a, A+ b[]) WITHIN {} RETURN a.n AS n, count(b[]) AS b"
TYPES: tuple[tuple[pa.DataType, Callable[[int], object]], ...] = (
    (pa.decimal128(10, 2), lambda time: Decimal(time) / 4),
    (pa.decimal128(38, 18), lambda time: Decimal(time) / 4),
    (pa.decimal256(50, 2), lambda time: Decimal(time) / 4),
    (pa.decimal128(5, -1), lambda time: Decimal(time * 10)),
    (pa.uint64(), lambda time: time),
    (pa.uint32(), lambda time: time),
)


def events(type_: pa.DataType, of: Callable[[int], object]) -> pa.Table:
    times = [None if time is None else of(time) for time in TIMES]
    return pa.table({"t": pa.array(times, type_), "n": range(len(TIMES)), "type": ["A"] * 9})


@pytest.mark.filterwarnings("ignore:1 row")
@pytest.mark.parametrize(("type_", "of"), TYPES, ids=lambda value: str(value)[:20])
@pytest.mark.parametrize("window", [1, 5, 9])
def test_times(type_: pa.DataType, of: Callable[[int], object], window: int) -> None:
    def found(table: pa.Table, extent: object) -> object:
        rows = kleene.match(table, QUERY.format(extent), time="t", type="type").to_pylist()
        return sorted(map(str, rows))

    as_wholes = found(events(pa.int64(), lambda time: time), window)
    assert found(events(type_, of), of(window)) == as_wholes


def test_times_beyond_64_bits() -> None:
    for table in (
        pa.table({"t": pa.array([2**64 - 1], pa.uint64()), "type": ["A"]}),
        pa.table({"t": pa.array([Decimal(10)], pa.decimal128(38, 18)), "type": ["A"]}),
    ):
        with pytest.raises(InputError, match="beyond 64 bits"):
            kleene.match(table, "PATTERN SEQ(A a) WITHIN 1", time="t", type="type")
