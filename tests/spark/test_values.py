"""Events with columns of every type that Spark and Arrow share come through as they are."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from support.on_spark import Call

pytestmark = pytest.mark.spark

NUMBER = 18
START = dt.datetime(2024, 3, 10, 4, 30, tzinfo=dt.UTC)  # clocks change in New York two hours on
INSTANTS = [START + dt.timedelta(minutes=17 * n, microseconds=n) for n in range(NUMBER)]
INNER = pa.struct([("k", pa.int32()), ("s", pa.string()), ("at", pa.timestamp("us", "UTC"))])
DEEP = pa.struct([("items", pa.list_(INNER)), ("by name", pa.map_(pa.string(), pa.float64()))])


def inner(number: int) -> dict[str, object] | None:
    return None if number % 5 == 4 else {"k": number, "s": None, "at": INSTANTS[number]}


def decimal(number: int) -> Decimal:
    return Decimal(number) / 100 - 1


COLUMNS: dict[str, tuple[pa.DataType, list[object]]] = {
    "type": (pa.string(), [*"ABBCXAABCB?BCABBCC"]),
    "key": (pa.string(), ["é", "e", "É"] * 6),
    "instant": (pa.timestamp("us", "UTC"), [*INSTANTS]),
    "local": (pa.timestamp("us"), [moment.replace(tzinfo=None) for moment in INSTANTS]),
    "day": (pa.date32(), [dt.date(1969, 12, 28) + dt.timedelta(days=n // 2) for n in range(18)]),
    "whole": (pa.int64(), [2**62 - 9 + n for n in range(NUMBER)]),
    "short": (pa.int16(), [n - 9 for n in range(NUMBER)]),
    "double": (pa.float64(), [n / 3 - 2 for n in range(NUMBER)]),
    "float": (pa.float32(), [n / 4 - 2 for n in range(NUMBER)]),
    "exact": (pa.decimal128(20, 2), [decimal(n) for n in range(NUMBER)]),
    "flag": (pa.bool_(), [None if n % 3 == 2 else n % 3 == 0 for n in range(NUMBER)]),
    "byte": (pa.int8(), [n * 14 - 120 for n in range(NUMBER)]),
    "raw": (pa.binary(), [None if n == 3 else bytes([n, 255, 0]) for n in range(NUMBER)]),
    "odd": (pa.float64(), [math.nan, -0.0, 0.0, math.inf, -math.inf, None] * 3),
    "wide": (pa.decimal128(38, 18), [decimal(n) * 10**17 for n in range(NUMBER)]),
    "span": (pa.duration("us"), [dt.timedelta(hours=n - 5, microseconds=n) for n in range(18)]),
    "inner": (INNER, [inner(n) for n in range(NUMBER)]),
    "list": (pa.list_(INNER), [[inner(n), None, inner(n // 2)][: n % 4] for n in range(NUMBER)]),
    "lists": (pa.list_(pa.list_(pa.int64())), [[[n], None, []][: n % 4] for n in range(NUMBER)]),
    "map": (pa.map_(pa.string(), INNER), [[("x", inner(n)), ("y", None)] for n in range(NUMBER)]),
    "deep": (
        DEEP,
        [{"items": [inner(n)], "by name": [("é", n / 7), ("", None)]} for n in range(NUMBER)],
    ),
}
EVENTS = pa.table({name: pa.array(values, kind) for name, (kind, values) in COLUMNS.items()})
TIMES = {
    "instant": "80 minutes",
    "local": "80 minutes",
    "day": "3 days",
    "whole": "6",
    "short": "6",
    "double": "1.7",
    "float": "1.6",
    "exact": "0.05",
}
RETURN = """RETURN a.inner.k AS k, b[].inner.at AS at, a.list AS list, c.map AS map, b[].raw AS raw,
    min(b[].exact) AS least, max(b[].odd) AS odd, sum(b[].wide) AS wide, c.deep AS deep,
    last(b[].day) AS day, c.span AS span, first(b[].local) AS local, a.flag AS flag"""


def call(time: str, rest: str = "", output: str = "matches") -> Call:
    query = f"SEQ(A a, B+ b[], C? c) WITHIN {TIMES[time]} {rest}"
    return Call(f"{time} {rest} {output}", query, EVENTS, {"time": time, "type": "type"}, output)


@pytest.mark.parametrize("time", TIMES)
@pytest.mark.parametrize("rest", ["", "PARTITION BY key"])
def test_whole_events_at_times_of_each_type(spark: Any, time: str, rest: str) -> None:
    assert call(time, rest).expected.num_rows
    call(time, rest).check(spark)


@pytest.mark.parametrize("rest", [RETURN, f"PARTITION BY key {RETURN}"])
def test_attributes_of_each_type(spark: Any, rest: str) -> None:
    call("instant", rest).check(spark)


def test_collapsed(spark: Any) -> None:
    call("local", output="collapsed").check(spark)


@pytest.mark.parametrize("key", ["key", "flag", "local", "span", "odd", "exact", "inner", "list"])
def test_keys_of_each_type(spark: Any, key: str) -> None:
    """What Kleene takes for one key is one key to Spark: NaN, zeros of either sign, structs."""
    query = f"SEQ(ANY a, ANY b) PARTITION BY {key} WITHIN 3 days RETURN a.whole AS a, b.whole AS b"
    Call(key, query, EVENTS, {"time": "instant", "type": "type"}).check(spark)
