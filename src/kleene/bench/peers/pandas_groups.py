"""The questions as plain Python, called by Spark for each group: `groupBy(key).applyInPandas`."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame

from kleene.bench.experiment import Input, Job, Variant
from kleene.bench.sparks import ON_SPARK, answer_on_spark, consume, session

Match = tuple[int, int, int]
Find = Callable[[Sequence[Any]], Iterator[Match]]


def steps(seconds: int) -> Variant:
    """Lists of the events of each type, and bisection for where to begin."""
    find = partial(_steps, timedelta(seconds=seconds))
    return _variant(find, ("a", "b", "c"), ("key",), ("A", "B", "C"), ("type", "price"))


def _steps(window: timedelta, rows: Sequence[Any]) -> Iterator[Match]:
    of = {kind: [row for row in rows if row.type == kind] for kind in "ABC"}
    times = {kind: [row.ts for row in of[kind]] for kind in "BC"}
    for a in of["A"]:
        end = a.ts + window
        for place in range(bisect_right(times["B"], a.ts), len(of["B"])):
            b = of["B"][place]
            if b.ts >= end:
                break
            if b.price <= a.price:
                continue
            for last in range(bisect_right(times["C"], b.ts), len(of["C"])):
                c = of["C"][last]
                if c.ts >= end:
                    break
                if c.price < a.price:
                    yield a.id, b.id, c.id


def clicks(minutes: int) -> Variant:
    """One pass backwards: what comes next of each type has just been seen."""
    find = partial(_clicks, timedelta(minutes=minutes))
    kinds = ("search", "view", "purchase")
    return _variant(find, ("s", "v", "p"), ("key", "item"), kinds, ("type",))


def _clicks(window: timedelta, rows: Sequence[Any]) -> Iterator[Match]:
    view = view_bought = bought = None
    for row in reversed(rows):
        if row.type == "purchase":
            bought = row
        elif row.type == "view":
            view, view_bought = row, bought
        elif view and view_bought and view_bought.ts < row.ts + window:
            yield row.id, view.id, view_bought.id


def neighbours(seconds: int) -> Variant:
    """Three rows at a time."""
    find = partial(_neighbours, timedelta(seconds=seconds))
    return _variant(find, ("a", "b", "c"), ("key",), (), ("price",))


def _neighbours(window: timedelta, rows: Sequence[Any]) -> Iterator[Match]:
    for a, b, c in zip(rows, rows[1:], rows[2:], strict=False):
        if b.price > a.price * 1.03 and c.price < a.price and c.ts < a.ts + window:
            yield a.id, b.id, c.id


def _variant(
    find: Find,
    ids: tuple[str, ...],
    keys: tuple[str, ...],
    kinds: tuple[str, ...],
    columns: tuple[str, ...],
) -> Variant:
    """Types that take no part, and columns that are not looked at, stay in Spark."""

    def relevant(events: DataFrame) -> DataFrame:
        kept = events.filter(events.type.isin(list(kinds))) if kinds else events
        return kept.select("id", "ts", *keys, *columns)

    def groups(frame: pd.DataFrame) -> pd.DataFrame:
        rows = list(frame.sort_values("ts").itertuples(index=False))
        return pd.DataFrame(list(find(rows)), columns=list(ids), dtype="int64")

    def prepare(given: Input) -> Job:
        events = relevant(session().read.parquet(str(given.events)))
        schema = ", ".join(f"{name} bigint" for name in ids)
        found = events.groupBy(*keys).applyInPandas(groups, schema)
        return Job(lambda: consume(found), lambda frame: answer_on_spark(frame, ids))

    return Variant("applyInPandas", prepare, ON_SPARK)
