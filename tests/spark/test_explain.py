"""`kleene.explain` of a DataFrame: where the work is done, told without a job."""

from __future__ import annotations

from typing import Any

import pytest

import kleene
from kleene.errors import UnknownOptionError

pytestmark = pytest.mark.spark


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("SEQ(A a, B b) WHERE [user] AND a.x = b.x", "tasks    whole partitions"),
        ("SEQ(A a, B b) WITHIN 10", "tasks    slices of time, 4 windows long"),
        ("SEQ(A a, B b)", "tasks    the query runs as one task of Spark"),
        ("SEQ(A a, B b) WITHIN 10 RETURN b.x", "columns  t, type, x"),
    ],
)
def test_where_a_query_runs(spark: Any, query: str, told: str) -> None:
    jobs = spark.sparkContext.statusTracker()
    events = spark.createDataFrame([], "t long, type string, user string, x long, unused string")
    before = jobs.getJobIdsForGroup()
    assert told in str(kleene.explain(events, query, time="t", type="type"))
    assert jobs.getJobIdsForGroup() == before


def test_large_keys(spark: Any) -> None:
    events = spark.createDataFrame([], "t long, type string, user string, x double")
    query, options = "SEQ(A a, B b) WHERE [user] WITHIN 10", {"large_keys": "sliced"}
    told = str(kleene.explain(events, query, time="t", type="type", options=options))
    assert "tasks    partitions, hashed by their keys and by slices of time, 8 windows long" in told
    counted = kleene.explain(events, query, time="t", type="type", output="count", options=options)
    assert "what they count of each partition is added up behind them" in str(counted)


@pytest.mark.parametrize(
    ("query", "output", "why"),
    [
        ("SEQ(A a, B b) WHERE [user]", "matches", "it has no window"),
        ("SEQ(A a, B b) WHERE [user] WITHIN 9 AFTER MATCH CONSUME", "matches", "AFTER MATCH"),
        ("SEQ(A a, B b) WHERE [x] WITHIN 9", "count", "0.0 equals -0.0"),
        ("AND(A a, B b) WHERE [user] WITHIN 9", "count", "this pattern with output='count'"),
        (
            "SEQ(A a, B b) WHERE [user] WITHIN 9 RETURN b, count(*) GROUP BY b",
            "matches",
            "groups of one event",
        ),
    ],
)
def test_keys_that_cannot_be_cut(spark: Any, query: str, output: str, why: str) -> None:
    events = spark.createDataFrame([], "t long, type string, user string, x double")
    options = {"large_keys": "sliced"}
    with pytest.raises(UnknownOptionError, match=f"large_keys cannot be 'sliced'.*{why}"):
        kleene.match(events, query, time="t", type="type", output=output, options=options)
