"""The floor: matching beside what Spark costs whoever asks, and in a process by itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from kleene.bench.data import Dataset
from kleene.bench.experiment import (
    Case,
    Experiment,
    Input,
    Job,
    RateAtLeast,
    TimeAtMost,
    Variant,
)
from kleene.bench.ours import Question, threads
from kleene.bench.sparks import ON_SPARK, consume, session

_NEEDED = ("id", "ts", "key", "type", "price")
_TYPES = ("A", "B", "C")
_DAY = 86_400_000_000
_SPARSE, _DENSE = 50, 3
"""Types of events, each as frequent as the others; the query names three of them."""


def make_events(events: int, keys: int, types: int, by_key: int) -> pa.Table:
    """Events over a day, in the order of their times, or each key's together if `by_key`."""
    chance = np.random.default_rng(20260101)
    step = _DAY // events
    time = np.arange(events, dtype=np.int64) * step + chance.integers(0, step, events)
    key = chance.integers(0, keys, events)
    order = np.lexsort((time, key)) if by_key else np.arange(events)
    names = pa.array([*_TYPES, *(f"N{number}" for number in range(types - len(_TYPES)))])
    columns = {
        "id": np.arange(events, dtype=np.int64),
        "ts": pa.array(time[order], pa.timestamp("us", "UTC")),
        "key": key[order],
        "type": names.take(pa.array(chance.integers(0, types, events))),
        "price": np.round(chance.normal(100, 2, events), 2),
        "quantity": chance.integers(1, 1000, events),
        "note": pa.array(["", "cross", "odd lot"]).take(pa.array(chance.integers(0, 3, events))),
    }
    return pa.table(columns)


def question(window: str) -> Question:
    """Three steps with two conditions between them."""
    query = f"""
        PATTERN SEQ(A a, B b, C c)
        WHERE [key] AND b.price > a.price AND c.price < a.price
        WITHIN {window}
        RETURN a.id AS a, b.id AS b, c.id AS c
    """
    return Question(query, ("a", "b", "c"))


def empty(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Take everything in, and give nothing back."""
    for _ in batches:
        pass
    yield from ()


def _prepare_empty(given: Input) -> Job:
    """The same reading, filter, shuffle and sort as for the query, into an empty function."""
    events = session().read.parquet(str(given.events)).select(*_NEEDED)
    sorted_events = (
        events.filter(events.type.isin(list(_TYPES)) & events.key.isNotNull())
        .repartition("key")
        .sortWithinPartitions("key", "ts")
    )
    return Job(lambda: consume(sorted_events.mapInArrow(empty, "nothing bigint")), answer=None)


def _prepare_filter(given: Input) -> Job:
    """The events of the three types picked out of an Arrow table: what matching begins with."""
    events = pq.read_table(given.events)
    types = pa.array(_TYPES)

    def run() -> pa.Table:
        return events.select(_NEEDED).filter(pc.is_in(events.column("type"), types))

    return Job(run, answer=None)


def cases(quick: bool) -> tuple[Case, ...]:  # noqa: FBT001 - the signature of cases
    """On Spark with few and many keys, then in this process."""
    few, many = (20, 400) if quick else (10_000, 200_000)
    sparse, dense = question("1 hour"), question("10 minutes")
    return (
        _on_spark("Spark, 10k keys", _data(few, _SPARSE, quick=quick), sparse),
        _on_spark("Spark, 200k keys", _data(many, _SPARSE, quick=quick), sparse),
        replace(
            _on_spark("Spark, 10k keys, dense", _data(few, _DENSE, quick=quick), dense),
            targets=(),
        ),
        _in_process(
            "in-process, few take part", _data(few, _SPARSE, 1, quick=quick), sparse, 20_000_000
        ),
        _in_process("in-process, dense", _data(few, _DENSE, 1, quick=quick), dense, 5_000_000),
    )


def _data(keys: int, types: int, by_key: int = 0, *, quick: bool) -> Dataset:
    parameters = {"keys": keys, "types": types, "by_key": by_key}
    return Dataset("floor", make_events, parameters, 20_000 if quick else 10_000_000)


def _on_spark(name: str, data: Dataset, asked: Question) -> Case:
    ours = asked.on_spark()
    floor = Variant("empty function", _prepare_empty, ON_SPARK)
    target = TimeAtMost(ours.name, 1.35, floor.name)
    return Case(name, _told(data, asked), data, (floor, ours), floor.name, (target,))


def _in_process(name: str, data: Dataset, asked: Question, rate: float) -> Case:
    ours = asked.in_process(1)
    floor = Variant("filter alone", _prepare_filter, threads(1))
    target = RateAtLeast(ours.name, rate)
    return Case(name, _told(data, asked), data, (floor, ours), floor.name, (target,))


def _told(data: Dataset, asked: Question) -> str:
    share = len(_TYPES) / int(data.parameters["types"])
    order = "sorted by key" if data.parameters["by_key"] else "in the order of time"
    query = " ".join(asked.query.split())
    return f"{query}. {share:.0%} of the events are of its types; {order}."


EXPERIMENT = Experiment(
    "floor", "what matching adds to reading, shuffle, sort and transfer on Spark", cases
)
