"""Peers: the same questions, asked of Kleene and of what people use instead."""

from __future__ import annotations

from kleene.bench.data import Dataset
from kleene.bench.experiment import Case, Experiment, TimeAtMost, Variant
from kleene.bench.ours import Question
from kleene.bench.peers import duckdb_sql, flink, pandas_groups, polars_frames, spark_sql
from kleene.bench.peers.events import make_clicks, make_ticks

_EVENTS, _QUICK = 2_000_000, 5_000
_WINDOW = 30
"""Minutes that a path of clicks may take."""
_MINUTE = 60
"""Seconds within which three neighbours lie."""


def cases(quick: bool) -> tuple[Case, ...]:  # noqa: FBT001 - the signature of cases
    """Three steps at two windows with few and many keys; a click path; three neighbours."""
    few = _ticks(20, 10, _QUICK) if quick else _ticks(200, 100, _EVENTS)
    many = _ticks(200, 20, _QUICK) if quick else _ticks(10_000, 1000, _EVENTS)
    return (
        _steps("60 s, 200 keys", few, 60),
        _steps("600 s, 200 keys", few, 600),
        _steps("60 s, 10k keys", many, 60),
        _steps("600 s, 10k keys", many, 600),
        _clicks(quick=quick),
        _neighbours(few),
    )


def _ticks(keys: int, a_second: int, events: int) -> Dataset:
    return Dataset("ticks", make_ticks, {"keys": keys, "a_second": a_second}, events)


def _steps(name: str, data: Dataset, seconds: int) -> Case:
    query = f"""
        PATTERN SEQ(A a, B b, C c)
        WHERE [key] AND b.price > a.price AND c.price < a.price
        WITHIN {seconds} seconds
        RETURN a.id AS a, b.id AS b, c.id AS c
    """
    peers = (
        spark_sql.steps(seconds),
        pandas_groups.steps(seconds),
        duckdb_sql.steps(seconds),
        polars_frames.steps(seconds),
    )
    return _case(name, Question(query, ("a", "b", "c")), data, peers)


def _clicks(*, quick: bool) -> Case:
    query = f"""
        PATTERN SEQ(search s, view v, purchase p)
        WHERE [key] AND [item]
        STRATEGY skip_till_next_match
        WITHIN {_WINDOW} minutes
        RETURN s.id AS s, v.id AS v, p.id AS p
    """
    users, rate, events = (100, 1, _QUICK) if quick else (40_000, 300, _EVENTS)
    data = Dataset("clicks", make_clicks, {"users": users, "a_second": rate}, events)
    peers = (
        spark_sql.clicks(_WINDOW),
        pandas_groups.clicks(_WINDOW),
        duckdb_sql.clicks(_WINDOW),
        polars_frames.clicks(_WINDOW),
        flink.clicks(_WINDOW),
    )
    return _case("clicks", Question(query, ("s", "v", "p")), data, peers)


def _neighbours(data: Dataset) -> Case:
    query = f"""
        PATTERN SEQ(ANY a, ANY b, ANY c)
        WHERE [key] AND b.price > a.price * 1.03 AND c.price < a.price
        STRATEGY partition_contiguity
        WITHIN {_MINUTE} seconds
        RETURN a.id AS a, b.id AS b, c.id AS c
    """
    peers = (
        spark_sql.neighbours(_MINUTE),
        pandas_groups.neighbours(_MINUTE),
        duckdb_sql.neighbours(_MINUTE),
        polars_frames.neighbours(_MINUTE),
        flink.neighbours(_MINUTE),
    )
    return _case("neighbours", Question(query, ("a", "b", "c")), data, peers)


def _case(name: str, asked: Question, data: Dataset, peers: tuple[Variant, ...]) -> Case:
    """The baseline is Kleene in two threads, which the targets speak of."""
    two = asked.in_process(2)
    variants = (two, asked.in_process(1), asked.on_spark(), *peers)
    limits = {"DuckDB": 1.0, "polars": 1.0, "Flink SQL": 1 / 20}
    targets = (
        TimeAtMost(two.name, limits[peer.name], peer.name) for peer in peers if peer.name in limits
    )
    return Case(name, " ".join(asked.query.split()), data, variants, two.name, tuple(targets))


EXPERIMENT = Experiment(
    "peers",
    "the same questions to Spark SQL, pandas, DuckDB, polars and Flink",
    cases,
    {"flink": flink.install},
)
