"""The questions as SQL for DuckDB, on a table of its own in memory."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from kleene.bench.answers import answer_of
from kleene.bench.experiment import Input, Job, Variant
from kleene.bench.ours import threads

_THREADS = 2


def steps(seconds: int) -> Variant:
    """Joins on the key and on stretches of time as long as the window.

    A later event lies in the same stretch or in the next. So each `b` and `c` is put in two, and
    hash joins pair few events. On the key alone they take up to four times as long, and window
    functions with lists more than that.
    """
    window = seconds * 1_000_000
    sql = f"""
        WITH relevant AS (
            SELECT id, key, type, price, epoch_us(ts) AS t, epoch_us(ts) // {window} AS stretch
            FROM events WHERE type IN ('A', 'B', 'C')
        ), a AS (
            SELECT * FROM relevant WHERE type = 'A'
        ), b AS (
            SELECT * REPLACE (unnest([stretch, stretch - 1]) AS stretch)
            FROM relevant WHERE type = 'B'
        ), c AS (
            SELECT * REPLACE (unnest([stretch, stretch - 1]) AS stretch)
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
    """The next view and the next purchase, by two as-of joins."""
    sql = f"""
        WITH s AS (SELECT * FROM events WHERE type = 'search'),
             v AS (SELECT * FROM events WHERE type = 'view'),
             p AS (SELECT * FROM events WHERE type = 'purchase'),
             seen AS (
                 SELECT s.id AS s, v.id AS v, s.key, s.item, s.ts AS since, v.ts AS ts
                 FROM s ASOF JOIN v ON v.key = s.key AND v.item = s.item AND v.ts > s.ts
                 WHERE v.ts < s.ts + INTERVAL {minutes} MINUTE
             )
        SELECT seen.s, seen.v, p.id AS p
        FROM seen ASOF JOIN p ON p.key = seen.key AND p.item = seen.item AND p.ts > seen.ts
        WHERE p.ts < seen.since + INTERVAL {minutes} MINUTE
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
            FROM events WINDOW w AS (PARTITION BY key ORDER BY ts)
        )
        SELECT a, b, c FROM rows
        WHERE second > price * 1.03 AND third < price AND until < ts + INTERVAL {seconds} SECOND
    """
    return _variant(sql, ("a", "b", "c"))


def _variant(sql: str, ids: tuple[str, ...]) -> Variant:
    prepare = partial(_prepare, sql, ids)
    return Variant("DuckDB", prepare, threads(_THREADS), ("duckdb",))


def _prepare(sql: str, ids: tuple[str, ...], given: Input) -> Job:
    import duckdb

    connection = duckdb.connect(config={"threads": _THREADS})
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute(f"CREATE TABLE events AS FROM '{_quoted(given.events)}'")
    return Job(
        run=lambda: connection.sql(sql).to_arrow_table(),
        answer=lambda found: answer_of(found, ids),
        close=connection.close,
    )


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
