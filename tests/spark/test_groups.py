"""Groups of matches whose parts several tasks tell: what comes back is what one task says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any
from unittest.mock import Mock

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import kleene
from kleene.logical.algebra import LogicalQuery
from kleene.logical.meaning import meaning
from kleene.logical.output import OutputForm, output_schema, to_table
from kleene.runtime.evaluate import Found, found_in
from kleene.runtime.needs import pruned
from kleene.runtime.shares import Shares, needs_one_share, partially, span_shares
from kleene.runtime.slices import plan_slices, sliced
from kleene.spark import task
from kleene.spark.groups import Finish
from kleene.spark.reports import OneTaskWarning
from kleene.spark.task import Task
from spark.test_slices import copied
from support.cases import plain, same_rows
from support.generators import GROUPED, Sample, samples

FORM = OutputForm.MATCHES
FEW = replace(GROUPED, max_events=10, max_work=3000)
UNKEYED = replace(FEW, partitions=False, windows=(4, 8, 20))


def evaluated(query: LogicalQuery, table: pa.Table, form: OutputForm) -> Found:
    found = meaning(query, table.to_pylist())
    return found_in(to_table(query, form, found), found.bad_rows)


def rows_of(table: pa.Table) -> list[dict[str, object]]:
    return [{name: plain(value) for name, value in row.items()} for row in table.to_pylist()]


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task, "CHUNK_ROWS", 4)
    monkeypatch.setattr(task, "_OUT_ROWS", 2)
    monkeypatch.setattr(task, "report", Mock())


def through_tasks(work: Task, table: pa.Table) -> pa.Table:
    """What the tasks tell, brought together by their keys as Spark does."""
    query, grouping = work.query, work.query.resolved.grouping
    assert grouping is not None
    spans = span_shares(query, Shares(keyed=work.slices is None, slices=work.slices))
    if not spans:
        return pa.Table.from_batches(list(work(batches(table))), schema=work.output)
    finish = Finish(
        query.resolved.source,
        grouping,
        output_schema(partially(query), FORM),
        work.output,
    )
    work = replace(work, query=partially(query), output=finish.parts)
    parts = list(work(batches(table)))
    told = pa.Table.from_batches(parts, schema=finish.parts)
    if not grouping.keys:
        nothing = evaluated(work.query, table.slice(0, 0), FORM).to_table()
        told = pa.concat_tables([told, nothing])
    named = told.select([key.name for key in grouping.keys]).to_pylist()
    order = sorted(range(told.num_rows), key=lambda place: repr(named[place]))
    told = told.take(pa.array(order, pa.int64()))
    return pa.Table.from_batches(list(finish(batches(told))), schema=finish.output)


def batches(table: pa.Table) -> Iterator[pa.RecordBatch]:
    yield from table.to_batches(max_chunksize=3)


@given(samples(UNKEYED))
def test_slices(sample: Sample) -> None:
    query = sample.logical
    slices = plan_slices(query, FORM)
    assume(slices is not None)
    assert slices is not None
    assume(not needs_one_share(query, Shares(keyed=False, slices=slices)))
    output = output_schema(query, FORM)
    work = Task(sliced(query, slices), FORM, output, evaluated, True, slices, False)  # noqa: FBT003
    table = sample.stream.table()
    found = through_tasks(work, copied(table, slices, sample.roles.time[0]))
    expected = evaluated(query, table, FORM).to_table()
    assert same_rows(rows_of(expected), rows_of(found)), (rows_of(expected), rows_of(found))


@given(samples(FEW), st.randoms(use_true_random=False))
def test_partitions(sample: Sample, chance: Random) -> None:
    query = sample.logical
    assume(query.resolved.partition_by)
    assume(query.resolved.strategy != "strict_contiguity")
    assume(not needs_one_share(query, Shares(keyed=True, slices=None)))
    table = sample.stream.table()
    order = list(range(table.num_rows))
    chance.shuffle(order)
    names = [".".join(path) for path in query.resolved.partition_by]
    table = table.take(pa.array(order, pa.int64())).sort_by([(n, "ascending") for n in names])
    output = output_schema(query, FORM)
    work = Task(query, FORM, output, evaluated, True, None, False)  # noqa: FBT003
    expected = evaluated(query, table, FORM).to_table()
    found = through_tasks(work, table)
    assert same_rows(rows_of(expected), rows_of(found)), (rows_of(expected), rows_of(found))


@given(samples(replace(GROUPED, wide=True)))
def test_columns_that_are_not_needed_make_no_difference(sample: Sample) -> None:
    table = sample.stream.table()
    query = pruned(sample.logical, FORM)
    fewer = table.select(query.resolved.shape.schema.names)
    expected = rows_of(evaluated(sample.logical, table, FORM).to_table())
    assert same_rows(expected, rows_of(evaluated(query, fewer, FORM).to_table()))


EVENTS = pa.table(
    {
        "id": [f"e{n}" for n in range(60)],
        "t": list(range(0, 600, 10)),
        "type": ["A", "B", "B", "C", "B", "A"] * 10,
        "x": [None if n % 11 == 0 else n % 7 for n in range(60)],
        "y": [float("nan") if n % 13 == 0 else n / 4 for n in range(60)],
        "d": pa.array([n * 37 for n in range(60)])
        .cast(pa.decimal128(20, 0))
        .cast(pa.decimal128(20, 2)),
        "u": [("ada", "bob", "eve")[n // 3 % 3] for n in range(60)],
    }
)
SEQ = "SEQ(A a, B+ b[], C c)"
ALL = "count(*), sum(b.x), avg(b.x), sum(b.d), avg(b.d), min(b.y), max(c.y), count(b), sum(b.y)"
QUERIES = [
    f"{SEQ} WITHIN 120 RETURN a.x, {ALL} GROUP BY a.x",
    f"{SEQ} WITHIN 120 RETURN a.x, a.y, {ALL} GROUP BY a.y, a.x HAVING count(*) > 1",
    f"{SEQ} WITHIN 120 RETURN {ALL} GROUP BY ()",
    f"{SEQ} WITHIN 120 RETURN a, {ALL} GROUP BY a",
    f"{SEQ} WHERE [u] WITHIN 300 RETURN u, {ALL} GROUP BY u",
    f"{SEQ} WHERE [u] WITHIN 300 RETURN count(b[]) AS n, {ALL} GROUP BY count(b[])",
    f"{SEQ} WHERE [u] WITHIN 300 RETURN c, {ALL} GROUP BY c",
    f"{SEQ} WHERE a.x = 99 WITHIN 300 RETURN {ALL} GROUP BY ()",
    f"{SEQ} WHERE a.x = 99 AND [u] WITHIN 300 RETURN {ALL} GROUP BY ()",
    f"{SEQ} WITHIN 90 AFTER MATCH SKIP PAST LAST EVENT RETURN {ALL} GROUP BY a.x",
]


@pytest.mark.spark
@pytest.mark.filterwarnings("ignore::kleene.spark.reports.OneTaskWarning")
@pytest.mark.parametrize("query", QUERIES)
def test_on_spark(spark: Any, query: str) -> None:
    frame = spark.createDataFrame(EVENTS).repartition(3)
    found = kleene.match(frame, query, time="t", type="type").toArrow()
    expected = kleene.match(EVENTS, query, time="t", type="type")
    assert found.column_names == expected.column_names
    assert found.cast(expected.schema).schema == expected.schema
    assert same_rows(rows_of(expected), rows_of(found)), (rows_of(expected), rows_of(found))


@pytest.mark.spark
@pytest.mark.parametrize("keys", ["u", "u, c.x", "a", "()"])
def test_slices_of_keys_on_spark(spark: Any, keys: str) -> None:
    shown = "" if keys == "()" else f"{keys}, "
    query = f"{SEQ} WHERE [u] WITHIN 60 RETURN {shown}{ALL} GROUP BY {keys}"
    frame, options = spark.createDataFrame(EVENTS).repartition(3), {"large_keys": "sliced"}
    found = kleene.match(frame, query, time="t", type="type", options=options).toArrow()
    expected = kleene.match(EVENTS, query, time="t", type="type")
    assert found.cast(expected.schema).schema == expected.schema
    assert same_rows(rows_of(expected), rows_of(found)), (rows_of(expected), rows_of(found))


@pytest.mark.spark
def test_events_as_keys_stay_in_one_task(spark: Any) -> None:
    frame = spark.createDataFrame(EVENTS)
    with pytest.warns(OneTaskWarning, match="groups of one event"):
        kleene.match(
            frame, "SEQ(A a, C c) WITHIN 60 RETURN c, count(*) GROUP BY c", time="t", type="type"
        )
