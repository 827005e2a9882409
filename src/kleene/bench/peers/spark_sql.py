"""The questions as plain SQL on Spark."""

from __future__ import annotations

from functools import partial

from kleene.bench.experiment import Input, Job, Variant
from kleene.bench.sparks import ON_SPARK, answer_on_spark, consume, session


def steps(seconds: int) -> Variant:
    """Self-joins on the key and on stretches of time as long as the window."""
    window = seconds * 1_000_000
    sql = f"""
        WITH relevant AS (
            SELECT id, key, type, price, unix_micros(ts) AS t, unix_micros(ts) DIV {window} AS home
            FROM {{events}} WHERE type IN ('A', 'B', 'C')
        ), a AS (
            SELECT id, key, price, t, home AS stretch FROM relevant WHERE type = 'A'
        ), b AS (
            SELECT id, key, price, t, explode(array(home, home - 1)) AS stretch
            FROM relevant WHERE type = 'B'
        ), c AS (
            SELECT id, key, price, t, explode(array(home, home - 1)) AS stretch
            FROM relevant WHERE type = 'C'
        )
        SELECT a.id AS a, b.id AS b, c.id AS c
        FROM a
        JOIN b ON b.key = a.key AND b.stretch = a.stretch
            AND b.t > a.t AND b.t < a.t + {window} AND b.price > a.price
        JOIN c ON c.key = a.key AND c.stretch = a.stretch
            AND c.t > b.t AND c.t < a.t + {window} AND c.price < a.price
    """
    return _variant(sql, ("a", "b", "c"))


def clicks(minutes: int) -> Variant:
    """The next purchase of each view, then the next such view of each search, in one sorted pass.

    Backwards in time, what comes next is what came last: frames that only grow are cheap.
    """
    sql = f"""
        WITH viewed AS (
            SELECT *, last(IF(type = 'purchase', struct(id, ts), NULL), true) OVER w AS bought
            FROM {{events}} WHERE type IN ('search', 'view', 'purchase')
            WINDOW w AS (PARTITION BY key, item ORDER BY ts DESC
                         ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
        ), searched AS (
            SELECT *, last(IF(type = 'view', struct(id, bought), NULL), true) OVER w AS seen
            FROM viewed
            WINDOW w AS (PARTITION BY key, item ORDER BY ts DESC
                         ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
        )
        SELECT id AS s, seen.id AS v, seen.bought.id AS p
        FROM searched
        WHERE type = 'search' AND seen.bought.ts < ts + INTERVAL {minutes} MINUTE
    """
    return _variant(sql, ("s", "v", "p"))


def neighbours(seconds: int) -> Variant:
    """The next two events of a key, by a window function."""
    sql = f"""
        WITH rows AS (
            SELECT id AS a, price, ts,
                lead(id, 1) OVER w AS b, lead(price, 1) OVER w AS second,
                lead(id, 2) OVER w AS c, lead(price, 2) OVER w AS third,
                lead(ts, 2) OVER w AS until
            FROM {{events}} WINDOW w AS (PARTITION BY key ORDER BY ts)
        )
        SELECT a, b, c FROM rows
        WHERE second > price * 1.03 AND third < price AND until < ts + INTERVAL {seconds} SECOND
    """
    return _variant(sql, ("a", "b", "c"))


def _variant(sql: str, ids: tuple[str, ...]) -> Variant:
    return Variant("Spark SQL", partial(_prepare, sql, ids), ON_SPARK)


def _prepare(sql: str, ids: tuple[str, ...], given: Input) -> Job:
    spark = session()
    events = spark.read.parquet(str(given.events))
    return Job(
        run=lambda: consume(spark.sql(sql, events=events)),
        answer=lambda found: answer_on_spark(found, ids),
    )
