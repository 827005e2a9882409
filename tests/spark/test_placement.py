"""Where Spark sends events: whatever may be in one match meets in a slice, however time is told."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from typing import Any

import pyarrow as pa
import pytest

import kleene
from kleene.api.plan import planner
from kleene.logical.algebra import LogicalQuery
from kleene.logical.history import moment
from kleene.logical.output import OutputForm
from kleene.runtime.shares import plan_tasks
from kleene.runtime.slices import Slices
from kleene.spark.rows import SIDE, SLICE, Rows
from kleene.spark.types import arrow_schema, spark_schema
from support.on_spark import Call

pytestmark = pytest.mark.spark

DAY, TICK = dt.timedelta(days=1), dt.timedelta(microseconds=1)
START = dt.datetime(1969, 12, 31, 23, 59, 59, tzinfo=dt.UTC)
SLICED = {"large_keys": "sliced"}
KEYS = ["ada", "bob", None]
TICKS = [*range(-130, 130, 3), -1, 0, 0, 1, 6, 6]
EDGES = [-(2**63), -(2**63) + 1, 2**63 - 2, 2**63 - 1]
TIMES = {
    "integer": ([*TICKS, *EDGES], pa.int64(), "3"),
    "small integer": ([tick for tick in TICKS if abs(tick) < 128], pa.int8(), "3"),
    "long window": (EDGES, pa.int64(), str(2**57)),
    "double": ([*(tick / 10 for tick in TICKS), -0.0, 1e300, -1e300, 1e17], pa.float64(), "0.3"),
    "moment": ([START + tick * TICK for tick in TICKS], pa.timestamp("us", "UTC"), "3 us"),
    "local": ([START.replace(tzinfo=None) + t * TICK for t in TICKS], pa.timestamp("us"), "3 us"),
    "date": ([START.date() + tick * DAY for tick in TICKS], pa.date32(), "3 days"),
}
Homes = dict[tuple[Any, Any], set[Any]]
Present = dict[tuple[Any, Any], set[tuple[Any, int]]]

PATTERNS = {"SEQ(A a, B b)": False, "SEQ(!C c, A a, B b)": True, "SEQ(A a, B b, !C c)": True}


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("name", TIMES)
def test_what_is_less_than_a_window_apart_meets(spark: Any, name: str, pattern: str) -> None:
    times, kind, window = TIMES[name]
    events = events_at(times, kind, spark)
    query = planned(events, f"{pattern} WHERE [user] WITHIN {window}")
    slices = plan_tasks(query, OutputForm.MATCHES, slices_keys=True).slices
    assert slices is not None
    assert slices.looks_back is PATTERNS[pattern]
    home, present = placed(events, query, slices)
    behind = slices.window if slices.looks_back else 0
    for (key, at), numbers in home.items():
        (number,) = numbers
        for other in (other for owner, other in home if owner == key):
            if -behind < other - at < slices.window:
                (side,) = (side for time, side in present[key, number] if time == other)
                assert (side > 0) <= (other > at), (key, at, other)
                assert (side < 0) <= (other < at), (key, at, other)


@pytest.mark.parametrize("output", ["matches", "collapsed"])
def test_keys_that_are_equal_are_cut_alike(spark: Any, output: str) -> None:
    keys = [0.0, -0.0, float("nan"), 1.5, None]
    rows = [{"t": t, "type": "AB"[t % 2], "x": keys[t % 5]} for t in range(150)]
    schema = pa.schema([("t", pa.int64()), ("type", pa.string()), ("x", pa.float64())])
    table = pa.Table.from_pylist(rows, schema=schema)
    query = "SEQ(A a, B b) WHERE [x] WITHIN 8"
    call = Call("zeros", query, table, {"time": "t", "type": "type"}, output, SLICED)
    call.check(spark)


def events_at(times: list[Any], kind: pa.DataType, spark: Any) -> Any:
    """An event of each key at each time."""
    rows = [{"t": time, "type": "A", "user": key} for time in times for key in KEYS]
    columns = ("t", kind), ("type", pa.string()), ("user", pa.string())
    table = pa.Table.from_pylist(rows, schema=pa.schema([pa.field(*column) for column in columns]))
    return spark.createDataFrame(table, schema=spark_schema(table.schema))


def placed(events: Any, query: LogicalQuery, slices: Slices) -> tuple[Homes, Present]:
    """The slices that each moment of a key lies in, and what each slice has with its sides."""
    rows = Rows(events, query)
    rows.by_slice(slices)
    time, _, user, *_ = rows.frame.columns
    found = rows.frame.selectExpr(f"{time} AS t", f"{user} AS k", SLICE, SIDE).toArrow()
    home: Homes = defaultdict(set)
    present: Present = defaultdict(set)
    for row in found.to_pylist():
        at = moment(row["t"])
        present[row["k"], row[SLICE]].add((at, row[SIDE]))
        if row[SIDE] == 0:
            home[row["k"], at].add(row[SLICE])
    return home, present


def planned(events: Any, query: str) -> LogicalQuery:
    """The query as `match` gives it to Spark."""
    roles = {"order_by": (), "id": None, "partition_by": ()}
    plan = planner(query, kleene.Options(), time="t", type="type", **roles)  # type: ignore[arg-type]
    return plan(arrow_schema(events.schema))
