"""`kleene.match_all` on Spark says what `kleene.match` says of each query in this process."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pyarrow as pa
import pytest

import kleene
from kleene.errors import KleeneError
from kleene.logical.output import OutputForm
from kleene.spark.reports import OneTaskWarning, bad_rows
from support.generators import EVERYTHING, GROUPED
from support.hostile import TEXTS
from support.many import many_of, roles_of, rows_together
from support.on_spark import multiset, shuffled

pytestmark = pytest.mark.spark

SMALL = replace(EVERYTHING, max_events=10, max_work=1000, wide=True)
PROFILES = (
    SMALL,
    replace(SMALL, windows=(4, 8, 20), partitions=False),
    replace(GROUPED, max_events=10, max_work=1000, wide=True),
)
EVENTS = pa.table(
    {
        "t": pa.array([*range(0, 400, 2), None], pa.int64()),
        "kind": [*("A", "B", "C", "B") * 50, "A"],
        "user": [*(n // 7 % 10 for n in range(200)), 1],
        "x": [*(n * 37 % 101 for n in range(200)), 1],
    }
)
QUERIES = {
    "keyed": "SEQ(A a, B b) WHERE [user] AND a.x < b.x WITHIN 50 RETURN a.t AS a, b.t AS b",
    "keyed too": "SEQ(C a, B+ b[]) WHERE [user] WITHIN 20 RETURN count(b[]) AS n",
    "timed": "SEQ(A a, !C c, B b) WITHIN 10 RETURN a.t AS A, b.x AS x",
    "longer": "SEQ(B a, C b) WHERE a.x > 60 WITHIN 30 RETURN a.t AS a, b AS event",
    "first hidden": "EXISTS z : SEQ(A z, OR(B a, C c)) WITHIN 7 RETURN a.t AS a, c.t AS c",
    "whole": "SEQ(A a, B b) WHERE a.x > 90 AFTER MATCH SKIP PAST LAST EVENT RETURN a.t AS a",
    "grouped": "SEQ(A a, C c) WITHIN 60 RETURN a.x % 3 AS x, count(*) AS total GROUP BY a.x % 3",
    "one row": "SEQ(A a, C c) WHERE a.x > 1000 WITHIN 9 RETURN count(*) AS total GROUP BY ()",
}


@pytest.fixture(scope="module")
def session(spark: Any) -> Iterator[Any]:
    """Spark without its adaptive execution, which would make one task of so few rows."""
    adaptive = "spark.sql.adaptive.enabled"
    before = spark.conf.get(adaptive, None)
    spark.conf.set(adaptive, "false")
    yield spark
    if before is None:
        spark.conf.unset(adaptive)
    else:
        spark.conf.set(adaptive, before)


def match_all(events: Any, queries: Any, **named: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kleene.match_all(events, queries, time="t", type="kind", **named)


@pytest.mark.parametrize("seed", range(6))
def test_random_queries(session: Any, seed: int) -> None:
    form = (OutputForm.MATCHES, OutputForm.MATCHES, *OutputForm)[seed % 5]
    samples = many_of(7 * seed, PROFILES[seed % 3], form)
    first = next(iter(samples.values()))
    roles = {**roles_of(first), "output": form.value}
    queries = {name: str(sample.query) for name, sample in samples.items()}
    table = first.stream.table()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one_by_one = {
            name: kleene.match(table, query, **roles).to_pylist() for name, query in queries.items()
        }
        expected = kleene.match_all(table, queries, **roles)
        events = shuffled(table, Random(seed), session)  # noqa: S311 - nothing secret
        found = kleene.match_all(events, queries, **roles).toArrow()
    assert rows_together(one_by_one, expected.column_names) == multiset(expected)
    assert multiset(found.cast(expected.schema)) == multiset(expected)


def test_queries_that_share_and_queries_that_do_not(session: Any) -> None:
    events = shuffled(EVENTS, Random(1), session)  # noqa: S311 - nothing secret
    expected = match_all(EVENTS, QUERIES)
    assert set(expected.column("query").to_pylist()) == set(QUERIES)
    with pytest.warns(OneTaskWarning, match="the query 'whole' runs as one task of Spark"):
        found = kleene.match_all(events, QUERIES, time="t", type="kind")
    assert multiset(found.toArrow().cast(expected.schema)) == multiset(expected)
    assert bad_rows(found) == 1


@pytest.mark.parametrize("names", [("keyed", "keyed too"), ("timed", "longer", "first hidden")])
def test_queries_that_partition_alike_share_a_shuffle(
    session: Any, names: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    events = shuffled(EVENTS, Random(1), session)  # noqa: S311 - nothing secret
    match_all(events, {name: QUERIES[name] for name in names}).explain()
    assert capsys.readouterr().out.count("Exchange") == 1


def test_counts_of_queries_without_a_match_are_zero(session: Any) -> None:
    queries = {"none": "SEQ(C c, A a, C d) WITHIN 1", "some": "SEQ(A a, B b) WITHIN 5"}
    queries["no window"] = "SEQ(A a, B b) WHERE a.x > 99"
    queries["keyed"] = "SEQ(A a, B b) WHERE [user] AND a.x > 99"
    for events in (EVENTS, EVENTS.slice(0, 0)):
        expected = match_all(events, queries, output="count")
        frame = shuffled(events, Random(1), session)  # noqa: S311 - nothing secret
        found = match_all(frame, queries, output="count").toArrow()
        assert multiset(found.cast(expected.schema)) == multiset(expected)


def test_names_of_queries_are_data(session: Any) -> None:
    events = session.createDataFrame([(1, "A"), (2, "B")], "t long, kind string")
    queries = dict.fromkeys(TEXTS, "SEQ(A a, B b) WITHIN 9 RETURN a.t")
    found = match_all(events, queries).toArrow().column("query").to_pylist()
    assert sorted(found) == sorted(TEXTS)
    counts = match_all(events, dict.fromkeys(TEXTS, "SEQ(A a, B b) WITHIN 9"), output="count")
    assert sorted(counts.toArrow().column("query").to_pylist()) == sorted(TEXTS)


def test_errors_in_tasks_name_the_query(session: Any) -> None:
    events = shuffled(EVENTS, Random(1), session)  # noqa: S311 - nothing secret
    found = match_all(
        events, {"few": "A a", "much": "SEQ(B a, B b) RETURN a"}, options={"max_matches": 50}
    )
    with pytest.raises(Exception, match="query 'much': LimitError"):
        found.toArrow()
    with pytest.raises(KleeneError, match="cannot be 'sliced' for several queries at once"):
        match_all(events, {"few": "A a"}, options={"large_keys": "sliced"})
    with pytest.raises(KleeneError, match="query 'bad': "):
        match_all(events, {"bad": "SEQ(A a, B b) WHERE a.nothing = 1"})
