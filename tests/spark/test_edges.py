"""Spark at the edges: nothing runs before it is asked for; empty input, bad rows, wrong calls."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

import kleene
from kleene.errors import InputError, UnknownColumnError, UnknownOptionError
from kleene.spark.reports import OneTaskWarning, bad_rows

pytestmark = pytest.mark.spark

SCHEMA = "t long, type string, user string"
KEYED = "SEQ(A a, B b) WHERE [user]"
SLICED = "SEQ(A a, B b) WITHIN 10"
QUERIES = (KEYED, SLICED, f"{KEYED} RETURN count(*) AS n GROUP BY ()")
ROWS = [(1, "A", "x"), (None, "A", "x"), (2, "B", "x"), (None, "C", None), (3, "B", "y")]


def match(events: Any, query: str, **rest: Any) -> Any:
    return kleene.match(events, query, time="t", type="type", **rest)


@pytest.mark.parametrize(
    ("query", "output"),
    [(QUERIES[2], "matches"), *product(QUERIES[:2], ["matches", "collapsed", "count"])],
)
def test_a_match_runs_no_job_before_it_is_asked_for(spark: Any, query: str, output: str) -> None:
    jobs = spark.sparkContext.statusTracker()
    events = spark.createDataFrame(ROWS, SCHEMA).repartition(2)
    before = jobs.getJobIdsForGroup()
    found = match(events, query, output=output)
    assert found.columns
    assert jobs.getJobIdsForGroup() == before
    found.collect()
    assert jobs.getJobIdsForGroup() != before


@pytest.mark.parametrize("partitions", [0, 1, 3])
def test_no_events(spark: Any, partitions: int) -> None:
    rows = spark.sparkContext.parallelize([], partitions or 1)
    none = rows if partitions else spark.sparkContext.emptyRDD()
    events = spark.createDataFrame(none, SCHEMA)
    assert match(events, KEYED).collect() == []
    assert match(events, SLICED).collect() == []
    assert match(events, SLICED, output="collapsed").collect() == []
    assert match(events, KEYED, output="count").collect() == []
    assert [int(row[0]) for row in match(events, SLICED, output="count").collect()] == [0]
    assert [int(row[0]) for row in match(events, QUERIES[2]).collect()] == [0]


@pytest.mark.parametrize("query", QUERIES)
def test_bad_rows_are_counted(spark: Any, query: str) -> None:
    """Also those of types that the query does not name, and those without a key."""
    found = match(spark.createDataFrame(ROWS, SCHEMA).repartition(3), query)
    found.collect()
    assert bad_rows(found) == 2


def test_bad_rows_raise_where_that_is_wanted(spark: Any) -> None:
    events = spark.createDataFrame(ROWS, SCHEMA)
    found = match(events, KEYED, options={"bad_rows": "error"})
    with pytest.raises(Exception, match="BadRowsError: a row is no event, it has no valid t"):
        found.collect()


def test_what_cannot_be_is_refused_before_anything_runs(spark: Any) -> None:
    events = spark.createDataFrame(ROWS, SCHEMA)
    with pytest.raises(InputError, match="two columns called t"):
        match(events.select("t", "type", "t"), KEYED)
    with pytest.raises(UnknownColumnError, match="did you mean user"):
        match(events, "SEQ(A a, B b) WHERE [usr]")
    with pytest.raises(UnknownOptionError, match="did you mean bad_rows"):
        match(events, KEYED, options={"bad_row": "error"})
    with pytest.raises(InputError, match="variant, which events cannot carry"):
        match(events.selectExpr("*", "parse_json('1') AS v"), KEYED)
    with pytest.raises(InputError, match="from a stream yet"):
        match(spark.readStream.format("rate").load(), "SEQ(A a)")


def test_one_task_is_said(spark: Any) -> None:
    events = spark.createDataFrame(ROWS, SCHEMA)
    with pytest.warns(OneTaskWarning, match="neither a window nor a partition key"):
        match(events, "SEQ(A a, B b)")
    exact = events.selectExpr("CAST(t AS decimal(10, 2)) AS t", "type")
    with pytest.warns(OneTaskWarning, match="its time is a decimal"):
        match(exact, SLICED)


def test_an_error_in_a_task_names_the_query_and_the_key(spark: Any) -> None:
    events = spark.range(50).selectExpr("id AS t", "'A' AS type", "'x' AS user")
    found = match(events, "SEQ(A a, A b) WHERE [user]", options={"max_matches": 10})
    with pytest.raises(Exception, match="user = 'x' has more than 10 matches") as error:
        found.collect()
    assert "SEQ(A a, A b) WHERE [user]" in str(error.value)


def test_names_that_differ_in_case_alone_and_names_in_another_case(spark: Any) -> None:
    rows = [(1, "A", "x", "X"), (2, "B", "y", "Y")]
    events = spark.createDataFrame(rows, "t long, type string, c string, C string")
    found = match(events, f"{SLICED} RETURN b.c AS small, b.C AS large").collect()
    assert [tuple(row) for row in found] == [("y", "Y")]
    found = match(events, f"{SLICED} RETURN b.T AS time").collect()
    assert [tuple(row) for row in found] == [(2,)]
