"""The questions in the language of polars, on a frame in memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from kleene.bench.answers import answer_of
from kleene.bench.experiment import Input, Job, Variant
from kleene.bench.ours import threads

if TYPE_CHECKING:
    from polars import LazyFrame

_THREADS = 2


def steps(seconds: int) -> Variant:
    """Joins on the key and on stretches of time as long as the window, as in DuckDB."""
    return _variant(partial(_steps, seconds * 1_000_000), ("a", "b", "c"))


def _steps(window: int, events: LazyFrame) -> LazyFrame:
    import polars as pl

    col = pl.col
    relevant = events.select(
        "id",
        "key",
        "type",
        "price",
        t=col("ts").dt.epoch("us"),
        stretch=col("ts").dt.epoch("us") // window,
    )

    def of(kind: str) -> LazyFrame:
        return relevant.filter(col("type") == kind).drop("type")

    def twice(kind: str) -> LazyFrame:
        return pl.concat([of(kind), of(kind).with_columns(stretch=col("stretch") - 1)])

    end = col("t") + window
    rises = (col("t_b") > col("t")) & (col("t_b") < end) & (col("price_b") > col("price"))
    falls = (col("t_c") > col("t_b")) & (col("t_c") < end) & (col("price_c") < col("price"))
    return (
        of("A")
        .join(twice("B"), on=["key", "stretch"], suffix="_b")
        .filter(rises)
        .join(twice("C"), on=["key", "stretch"], suffix="_c")
        .filter(falls)
        .select(a="id", b="id_b", c="id_c")
    )


def clicks(minutes: int) -> Variant:
    """The next view and the next purchase, by two as-of joins."""
    return _variant(partial(_clicks, minutes), ("s", "v", "p"))


def _clicks(minutes: int, events: LazyFrame) -> LazyFrame:
    import polars as pl

    col = pl.col

    def of(kind: str, name: str) -> LazyFrame:
        found = events.filter(col("type") == kind)
        return found.select(
            "key", "item", "ts", col("id").alias(name), col("ts").alias(f"{name}_ts")
        )

    def then(before: LazyFrame, after: LazyFrame, name: str) -> LazyFrame:
        joined = before.join_asof(
            after,
            on="ts",
            by=["key", "item"],
            strategy="forward",
            allow_exact_matches=False,
            check_sortedness=False,  # all are in the order of time
        )
        within = col(f"{name}_ts") < col("s_ts") + pl.duration(minutes=minutes)
        return joined.filter(within).with_columns(ts=col(f"{name}_ts")).sort("ts")

    seen = then(of("search", "s"), of("view", "v"), "v")
    return then(seen, of("purchase", "p"), "p").select("s", "v", "p")


def neighbours(seconds: int) -> Variant:
    """The next two events of a key, by shifting a sorted frame."""
    return _variant(partial(_neighbours, seconds), ("a", "b", "c"))


def _neighbours(seconds: int, events: LazyFrame) -> LazyFrame:
    import polars as pl

    col = pl.col
    rows = events.select("key", "ts", "id", "price").sort("key", "ts")
    after = {
        f"{name}{step}": col(name).shift(-step)
        for step in (1, 2)
        for name in ("key", "ts", "id", "price")
    }
    return (
        rows.with_columns(**after)
        .filter(
            (col("key2") == col("key"))
            & (col("ts2") < col("ts") + pl.duration(seconds=seconds))
            & (col("price1") > col("price") * 1.03)
            & (col("price2") < col("price"))
        )
        .select(a="id", b="id1", c="id2")
    )


def _variant(ask: Callable[[LazyFrame], LazyFrame], ids: tuple[str, ...]) -> Variant:
    return Variant("polars", partial(_prepare, ask, ids), threads(_THREADS), ("polars",))


def _prepare(ask: Callable[[LazyFrame], LazyFrame], ids: tuple[str, ...], given: Input) -> Job:
    import polars as pl

    events = pl.read_parquet(given.events).rechunk()
    return Job(
        run=lambda: ask(events.lazy()).collect(engine="streaming"),
        answer=lambda found: answer_of(found.to_arrow(), ids),
    )
