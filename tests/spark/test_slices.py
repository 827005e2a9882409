"""Slices of time, chunks and pruned columns change nothing; without Spark, on random queries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import reduce
from random import Random
from typing import Any
from unittest.mock import Mock
from zlib import crc32

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kleene.errors import UnknownOptionError
from kleene.logical.algebra import LogicalQuery
from kleene.logical.history import moment
from kleene.logical.meaning import meaning
from kleene.logical.output import OutputForm, output_schema, to_table
from kleene.runtime import shares
from kleene.runtime.evaluate import Found, found_in
from kleene.runtime.needs import pruned, relevant_types
from kleene.runtime.shares import plan_tasks
from kleene.runtime.slices import Slices, plan_slices, sliced
from kleene.spark import task
from kleene.spark.task import Task
from support.generators import EVERYTHING, PRECISE, Sample, samples
from support.on_spark import multiset

UNKEYED = replace(EVERYTHING, partitions=False, windows=(4, 8, 20), max_events=10, max_work=3000)
KEYED = replace(EVERYTHING, max_events=10, max_work=3000)
WINDOWED = replace(KEYED, windows=(4, 8, 20))


def evaluated(query: LogicalQuery, table: pa.Table, form: OutputForm) -> Found:
    found = meaning(query, table.to_pylist())
    return found_in(to_table(query, form, found), found.bad_rows)


def forms(sample: Sample) -> list[OutputForm]:
    return [OutputForm.MATCHES] if sample.query.returns else list(OutputForm)


def copied(
    table: pa.Table, slices: Slices, time: str, keys: Sequence[tuple[str, ...]] = ()
) -> pa.Table:
    """Every row in every slice whose time it may matter to, by the definition.

    Slices of different keys begin at different times.
    """
    rows = []
    for row in table.to_pylist():
        at = moment(row[time])
        if at is None:
            continue
        assert not isinstance(at, Decimal), "decimal time is not sliced"
        shift = crc32(repr(key_of(row, keys)).encode()) % 7 / 7 * slices.length
        home = int((at + shift) // slices.length)
        for number in (home - 1, home, home + 1):
            start = number * slices.length - shift
            back = slices.window if slices.looks_back else 0
            if start - back <= at < start + slices.length + slices.window:
                rows.append({**row, slices.number: number, slices.side: int(home - number)})
    number = pa.float64() if slices.floating else pa.int64()
    schema = table.schema.append(pa.field(slices.number, number, nullable=False))
    schema = schema.append(pa.field(slices.side, pa.int64(), nullable=False))
    rows.sort(key=lambda row: (repr(key_of(row, keys)), row[slices.number]))
    return pa.Table.from_pylist(rows, schema=schema)


def key_of(row: dict[str, object], keys: Sequence[tuple[str, ...]]) -> tuple[object, ...]:
    return tuple(reduce(lambda held, name: held and held[name], path, row) for path in keys)  # type: ignore[arg-type, return-value]


def found_by(work: Task, table: pa.Table, batch_rows: int) -> pa.Table:
    def batches() -> Iterator[pa.RecordBatch]:
        yield from table.to_batches(max_chunksize=batch_rows)

    return pa.Table.from_batches(list(work(batches())), schema=work.output)


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task, "CHUNK_ROWS", 4)
    monkeypatch.setattr(task, "_OUT_ROWS", 2)
    monkeypatch.setattr(shares, "WINDOWS_PER_SLICE_OF_KEY", 1)


def total(table: pa.Table) -> pa.Table:
    """What the last step of Spark makes of partial counts."""
    count = sum(table.column("match_count").to_pylist(), Decimal(0))
    return pa.Table.from_pylist([{"match_count": count}], schema=table.schema)


def added_up(table: pa.Table) -> pa.Table:
    """What the last step of Spark makes of partial counts of keys."""
    found: dict[str, dict[str, Any]] = {}
    for row in table.to_pylist():
        count = row.pop("match_count")
        held = found.setdefault(repr(row), {**row, "match_count": Decimal(0)})
        held["match_count"] += count
    return pa.Table.from_pylist(list(found.values()), schema=table.schema)


@given(samples(UNKEYED))
def test_slices_hold_every_match_once(sample: Sample) -> None:
    table = sample.stream.table()
    for form in forms(sample):
        slices = plan_slices(sample.logical, form)
        if slices is None:
            continue
        output = output_schema(sample.logical, form)
        query = sliced(sample.logical, slices)
        work = Task(query, form, output, evaluated, True, slices, False)  # noqa: FBT003
        found = found_by(work, copied(table, slices, sample.roles.time[0]), 3)
        expected = evaluated(sample.logical, table, form).to_table()
        found = total(found) if form is OutputForm.COUNT else found
        assert multiset(found) == multiset(expected), form


@given(samples(WINDOWED))
def test_slices_of_keys_hold_every_match_once(sample: Sample) -> None:
    assume(sample.logical.resolved.partition_by)
    table = sample.stream.table()
    for form in forms(sample):
        try:
            slices = plan_tasks(sample.logical, form, slices_keys=True).slices
        except UnknownOptionError:
            continue
        if slices is None:  # strict contiguity is about all keys
            continue
        output = output_schema(sample.logical, form)
        query = sliced(sample.logical, slices)
        work = Task(query, form, output, evaluated, True, slices, False)  # noqa: FBT003
        keys = sample.logical.resolved.partition_by
        found = found_by(work, copied(table, slices, sample.roles.time[0], keys), 3)
        expected = evaluated(sample.logical, table, form).to_table()
        found = added_up(found) if work.counts_in_parts else found
        assert multiset(found) == multiset(expected), form


@given(samples(KEYED), st.integers(1, 5), st.randoms(use_true_random=False))
def test_chunks_are_cut_where_keys_end(sample: Sample, rows: int, chance: Random) -> None:
    assume(sample.logical.resolved.partition_by)
    assume(sample.logical.resolved.strategy != "strict_contiguity")
    keys = [".".join(path) for path in sample.logical.resolved.partition_by]
    table = sample.stream.table()
    order = list(range(table.num_rows))
    chance.shuffle(order)
    table = table.take(pa.array(order, pa.int64()))
    table = table.sort_by([(key, "ascending") for key in keys])
    for form in forms(sample):
        output = output_schema(sample.logical, form)
        work = Task(sample.logical, form, output, evaluated, True, None, False)  # noqa: FBT003
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(task, "report", Mock())
            found = found_by(work, table, rows)
        assert multiset(found) == multiset(evaluated(sample.logical, table, form).to_table())


@given(samples(replace(EVERYTHING, wide=True)))
def test_columns_that_are_not_needed_make_no_difference(sample: Sample) -> None:
    table = sample.stream.table()
    for form in forms(sample):
        query = pruned(sample.logical, form)
        fewer = table.select(query.resolved.shape.schema.names)
        expected = evaluated(sample.logical, table, form).to_table()
        assert multiset(evaluated(query, fewer, form).to_table()) == multiset(expected)


@given(samples(PRECISE))
def test_events_of_other_types_make_no_difference(sample: Sample) -> None:
    types = relevant_types(sample.logical)
    assume(types is not None)
    assert types is not None
    rows = [row for row in sample.rows if row[sample.roles.type or ""] in types]
    assert sample.over(rows).found == sample.found
