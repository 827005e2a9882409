"""Limits: matches that explode or are very many, events that are wide, keys tiny and huge."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from pyspark.sql import functions as sf

import kleene
from kleene.bench.answers import answer_of
from kleene.bench.data import Dataset
from kleene.bench.experiment import Answer, BytesAtMost, Case, Experiment, Input, Job, Variant
from kleene.bench.sparks import ON_SPARK, answer_on_spark, consume, session
from kleene.errors import LimitError

_GIB = 1 << 30
_IDS = ("a", "b", "c")


def make_events(events: int, keys: int, types: int, wide: int) -> pa.Table:
    """Events of which several have the same time, with so many columns of text besides."""
    chance = np.random.default_rng(20260104)
    names = pa.array([chr(ord("A") + number) for number in range(types)])
    texts = pa.array([f"{number:020}" for number in range(1000)])
    columns = {
        "id": np.arange(events, dtype=np.int64),
        "ts": np.arange(events, dtype=np.int64) // 3,
        "key": chance.integers(0, keys, events),
        "type": names.take(pa.array(chance.integers(0, types, events))),
        "price": np.round(chance.normal(100, 2, events), 2),
    }
    for number in range(wide):
        columns[f"text{number}"] = texts.take(pa.array(chance.integers(0, 1000, events)))
    return pa.table(columns)


@dataclass(frozen=True)
class _Asked:
    """A query, and what of each match goes into the checksum."""

    query: str
    ids: tuple[str, ...] = _IDS

    def match(self, events: Any) -> Any:
        return kleene.match(events, self.query, time="ts", type="type", id="id")

    def on_spark(self, name: str) -> Variant:
        return Variant(name, partial(_prepare_spark, self), ON_SPARK)

    def in_process(self, name: str) -> Variant:
        return Variant(name, partial(_prepare_table, self))


_EXPLODING = _Asked("PATTERN SEQ(A a, B+ b[], C c, D+ d[], E e) WHERE [key]")
_ALL = _Asked(
    "PATTERN SEQ(A a, B b, C c) WHERE [key] RETURN a.id AS a, b.id AS b, c.id AS c",
)
_WHOLE = _Asked("PATTERN SEQ(A a, B b, C c) WHERE [key] WITHIN 200")
_LISTS = _Asked(
    """
    PATTERN SEQ(A a, B+ b[], C c) WHERE [key] AND c.price < a.price
    STRATEGY skip_till_next_match
    WITHIN 2000
    RETURN a.id AS a, sum(b[].id * b[].price) AS b, first(b[].id) AS f, last(b[].id) AS l, c.id AS c
    """,
    ("a", "f", "l", "c"),
)


def _steps(window: int) -> _Asked:
    return _Asked(f"""
        PATTERN SEQ(A a, B b, C c) WHERE [key] AND b.price > a.price AND c.price < a.price
        WITHIN {window}
        RETURN a.id AS a, b.id AS b, c.id AS c
    """)


def cases(quick: bool) -> tuple[Case, ...]:  # noqa: FBT001 - the signature of cases
    """What explodes, what is very many, what is wide; keys; orders of storage."""
    many = _data(1_000, 2) if quick else _data(33_200, 40)
    wide = _data(2_000, 20, wide=5) if quick else _data(500_000, 500, wide=50)
    tiny = _data(2_000, 1_000) if quick else _data(2_000_000, 1_000_000)
    huge = _data(2_000, 1) if quick else _data(2_000_000, 1)
    mixed = _data(2_000, 20) if quick else _data(1_000_000, 1_000)
    return (
        _exploding("exponential", _data(5_000, 1, types=5)),
        _streaming("100 million matches", _ALL, many, _GIB),
        _streaming("wide events", _WHOLE, wide),
        _keys("a million keys", _steps(1_000_000), tiny),
        _keys("one key", _steps(5), huge),
        _orders("20 orders of storage", mixed, 3 if quick else 20),
    )


def _data(events: int, keys: int, types: int = 3, wide: int = 0) -> Dataset:
    return Dataset("limits", make_events, {"keys": keys, "types": types, "wide": wide}, events)


def _exploding(name: str, data: Dataset) -> Case:
    ours = Variant("Kleene, until the limit", _prepare_limit)
    return _case(name, _EXPLODING, data, (ours,), _GIB)


def _streaming(name: str, asked: _Asked, data: Dataset, most: int | None = None) -> Case:
    files = Variant("Kleene, dataset to file", partial(_prepare_files, asked))
    on_spark = Variant("Kleene on Spark, to files", partial(_prepare_spark_files, asked), ON_SPARK)
    return _case(name, asked, data, (files, on_spark), most)


def _keys(name: str, asked: _Asked, data: Dataset) -> Case:
    variants = asked.in_process("Kleene"), asked.on_spark("Kleene on Spark")
    return _case(name, asked, data, variants)


def _orders(name: str, data: Dataset, times: int) -> Case:
    tables = Variant("Kleene, each time", partial(_prepare_orders, _tables, times))
    frames = Variant("Kleene on Spark", partial(_prepare_orders, _frames, times), ON_SPARK)
    return _case(name, _LISTS, data, (tables, frames))


def _case(
    name: str, asked: _Asked, data: Dataset, variants: tuple[Variant, ...], most: int | None = None
) -> Case:
    first = variants[0].name
    targets = () if most is None else (BytesAtMost(first, most),)
    return Case(name, " ".join(asked.query.split()), data, variants, first, targets)


def _prepare_limit(given: Input) -> Job:
    events = pq.read_table(given.events)

    def run() -> None:
        try:
            _EXPLODING.match(events)
        except LimitError:
            return
        raise AssertionError("no limit was reached")

    return Job(run, answer=None)


def _prepare_table(asked: _Asked, given: Input) -> Job:
    events = pq.read_table(given.events)
    return Job(lambda: asked.match(events), lambda found: answer_of(found, asked.ids))


def _prepare_spark(asked: _Asked, given: Input) -> Job:
    events = session().read.parquet(str(given.events))
    return Job(
        lambda: consume(asked.match(events)), lambda found: answer_on_spark(found, asked.ids)
    )


def _prepare_files(asked: _Asked, given: Input) -> Job:
    """Matches are written while they are found."""
    events = ds.dataset(given.events)

    def write(path: Path) -> None:
        found = asked.match(events)
        path.mkdir()
        with pq.ParquetWriter(path / "matches.parquet", found.schema) as file:
            for batch in found:
                file.write_batch(batch)

    return _written(write, asked, given)


def _prepare_spark_files(asked: _Asked, given: Input) -> Job:
    events = session().read.parquet(str(given.events))
    return _written(lambda path: asked.match(events).write.parquet(str(path)), asked, given)


def _written(write: Callable[[Path], None], asked: _Asked, given: Input) -> Job:
    kept = TemporaryDirectory(dir=given.folder)
    runs: list[Path] = []

    def run() -> Path:
        runs.append(Path(kept.name) / str(len(runs)))
        write(runs[-1])
        return runs[-1]

    return Job(run, partial(_answer_of_files, asked), kept.cleanup)


def _answer_of_files(asked: _Asked, path: Path) -> Answer:
    """The answer that is in files, without all of it in memory."""
    matches = checksum = 0
    for batch in ds.dataset(path).to_batches():
        table = pa.Table.from_batches([batch])
        for name in asked.ids:
            if pa.types.is_struct(table.field(name).type):
                ids = pa.chunked_array([table[name].combine_chunks().field("id")])
                table = table.set_column(table.schema.get_field_index(name), name, ids)
        found = answer_of(table, asked.ids)
        matches, checksum = matches + found.matches, checksum + (found.checksum or 0)
    return Answer(matches, checksum)


def _prepare_orders(
    orders: Callable[[Input, int], Iterator[Answer]], times: int, given: Input
) -> Job:
    return Job(lambda: _one(set(orders(given, times))), lambda found: found)


def _one(answers: set[Answer]) -> Answer:
    (answer,) = answers
    return answer


def _tables(given: Input, times: int) -> Iterator[Answer]:
    """Rows shuffled anew, in more and more pieces."""
    events = pq.read_table(given.events)
    for number in range(times):
        rows = np.random.default_rng(number).permutation(events.num_rows)
        pieces = [events.take(pa.array(part)) for part in np.array_split(rows, number + 1)]
        yield answer_of(_LISTS.match(pa.concat_tables(pieces)), _LISTS.ids)


def _frames(given: Input, times: int) -> Iterator[Answer]:
    """Rows shuffled anew, in more and more partitions before the shuffle, and others behind it."""
    spark = session()
    events = spark.read.parquet(str(given.events))
    for number in range(times):
        spark.conf.set("spark.sql.shuffle.partitions", str(1 + number * 7 % times))
        spread = events.repartition(1 + number, sf.rand(number))
        mixed = spread.sortWithinPartitions(sf.rand(number))
        yield answer_on_spark(_LISTS.match(mixed), _LISTS.ids)


EXPERIMENT = Experiment(
    "limits", "memory and order: matches that explode or are very many, keys tiny and huge", cases
)
