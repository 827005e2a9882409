"""`kleene.explain` of a DataFrame: where the work is done, told without a job."""

from __future__ import annotations

from typing import Any

import pytest

import kleene

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
