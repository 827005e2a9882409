"""Events with a column of every type that kernels read, and the values at the edges of each."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from functools import cache
from random import Random
from zoneinfo import ZoneInfo

import pyarrow as pa

from kleene.logical.history import Row

LEAST, MOST = -(2**63), 2**63 - 1
MINUTE = dt.timedelta(minutes=1)


def utc(*fields: int) -> dt.datetime:
    return dt.datetime(*fields, tzinfo=dt.UTC)  # type: ignore[arg-type, misc]


WHOLES = (0, 1, -1, 2, 3, 7, -7, 100, 2**53 + 1, MOST, LEAST, MOST - 1, 2**32, -(2**31))
FLOATS = (0.0, -0.0, 1.0, 1.5, -2.5, 3.0, math.nan, math.inf, -math.inf, 2.0**53, 1e-300, 1e300)
MOMENTS = (
    utc(2024, 2, 29),
    utc(2024, 2, 29, 12),
    utc(2024, 2, 29, 12, 5),
    utc(1, 1, 1),
    utc(9999, 12, 31, 22, 30),
    utc(1969, 12, 31, 23, 59, 59, 999_999),
)
LENGTHS = (*(MINUTE * n for n in (0, 1, 5, -5, 720, 10**9)), dt.timedelta(microseconds=1))
PLACES = ({"k": 1, "s": "p"}, {"k": 1, "s": None}, {"k": None, "s": "q"}, {"k": 2, "s": "p"})
DECIMALS = ("0.00", "1.00", "1.50", "-2.25", "3.00", "99999999.99")
COLUMNS: dict[str, tuple[pa.DataType, tuple[object, ...]]] = {
    "x": (pa.int64(), WHOLES),
    "w": (pa.int64(), (0, 1, 2, 3)),
    "n": (pa.int32(), (0, 1, 2, -3, 2**31 - 1)),
    "h": (pa.uint64(), (0, 1, 3, 2**64 - 1)),
    "y": (pa.float64(), FLOATS),
    "z": (pa.float32(), (0.0, 1.5, math.nan, 0.10000000149011612)),
    "s": (pa.string(), ("", "p", "pq", "é", "\uffff", "😀", "3")),
    "u": (pa.dictionary(pa.int32(), pa.string()), ("p", "q", "")),
    "b": (pa.binary(), (b"", b"p", b"\xff")),
    "f": (pa.bool_(), (True, False)),
    "e": (pa.bool_(), (True, False)),
    "m": (pa.timestamp("us", "UTC"), MOMENTS),
    "o": (
        pa.timestamp("us", "Europe/Berlin"),
        tuple(moment.astimezone(ZoneInfo("Europe/Berlin")) for moment in MOMENTS),
    ),
    "i": (pa.timestamp("us"), tuple(moment.replace(tzinfo=None) for moment in MOMENTS)),
    "d": (pa.date32(), tuple(moment.date() for moment in MOMENTS)),
    "l": (pa.duration("us"), LENGTHS),
    "p": (pa.decimal128(10, 2), tuple(map(Decimal, DECIMALS))),
    "q": (pa.decimal128(38, 18), tuple(map(Decimal, ("1.5", "0", "3", "1.500000000000000001")))),
    "g": (pa.struct([("k", pa.int64()), ("s", pa.string())]), PLACES),
    "v": (pa.list_(pa.float64()), ([1.0], [], [math.nan], [-0.0], [0.0])),
    "c": (pa.time64("us"), (dt.time(0), dt.time(12, 30))),
    'no " name': (pa.string(), ("",)),
}
NEVER_NULL = frozenset("n")
SCHEMA = pa.schema(
    [pa.field("t", pa.int64()), pa.field("kind", pa.string())]
    + [pa.field(name, type_, name not in NEVER_NULL) for name, (type_, _) in COLUMNS.items()]
)
COUNT = 40


@cache
def table() -> pa.Table:
    random = Random(7)  # noqa: S311 - no secret
    data = {"t": list(range(COUNT)), "kind": ["A"] * COUNT}
    for name, (_, values) in COLUMNS.items():
        options = values if name in NEVER_NULL else (None, *values)
        data[name] = [random.choice(options) for _ in range(COUNT)]
    arrays = [pa.array(values, SCHEMA.field(name).type) for name, values in data.items()]
    return pa.Table.from_arrays(arrays, schema=SCHEMA)


@cache
def rows() -> list[Row]:
    found: list[Row] = table().to_pylist()
    return found
