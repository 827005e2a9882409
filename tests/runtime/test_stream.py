"""Events that come in batches and go through files: what comes back is what the definition says."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kleene.errors import LimitError
from kleene.logical.algebra import LogicalQuery
from kleene.logical.meaning import meaning
from kleene.logical.output import OutputForm, output_schema, to_table
from kleene.program.columns import Unsupported
from kleene.program.kernel import Kernel, plan_kernel
from kleene.runtime import spill, stream
from kleene.runtime.choose import taking_part
from kleene.runtime.evaluate import Found, evaluate, found_in
from kleene.runtime.files import Work
from kleene.runtime.limits import STATE
from kleene.runtime.needs import pruned
from kleene.runtime.shares import plan_shares
from kleene.runtime.stream import streamed
from support.cases import plain, same_rows
from support.generators import EVERYTHING, GROUPED, Sample, samples

KEYED = replace(EVERYTHING, max_events=12, max_work=3000, wide=True)
UNKEYED = replace(KEYED, partitions=False, windows=(4, 8, 20))
FEW = replace(GROUPED, max_events=12, max_work=3000, wide=True)


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spill, "WAYS", 2)
    monkeypatch.setattr(stream, "_ROWS", 2)


class Told:
    """What an evaluation tells while it goes on."""

    def __init__(self) -> None:
        self.rows = self.bad_rows = 0
        self.reported: list[int] = []
        self.files: list[tuple[int, int]] = []

    def read(self, rows: int) -> None:
        self.rows += rows

    def bad(self, rows: int) -> None:
        self.bad_rows += rows

    def report(self) -> None:
        self.reported.append(self.bad_rows)

    def matching(self, done: int, files: int) -> None:
        self.files.append((done, files))


def by_kernel(query: LogicalQuery, table: pa.Table, form: OutputForm) -> Found:
    try:
        return evaluate(query, table, form, compile_kernel=False)
    except Unsupported:
        found = meaning(query, table.to_pylist())
        return found_in(to_table(query, form, found), found.bad_rows)


def kernels_of(query: LogicalQuery) -> list[Kernel]:
    try:
        return [plan_kernel(query)]
    except Unsupported:
        return []


def through(sample: Sample, form: OutputForm, memory: int) -> tuple[pa.Table, Told]:
    """What is found where no more than so many bytes of events are held."""
    told = Told()
    query = pruned(sample.logical, form)
    schema = query.resolved.shape.schema
    output = output_schema(sample.logical, form)
    work = Work(query, form, output, by_kernel, memory, STATE, told)
    choose = partial(taking_part, query=query.resolved, kernels=kernels_of(query), threads=1)
    batches = sample.stream.table().select(schema.names).to_batches(max_chunksize=1)
    found = list(streamed(work, batches, choose))
    return pa.Table.from_batches(found, schema=output), told


def compare(sample: Sample, form: OutputForm, memory: int) -> None:
    if sample.query.returns:
        form = OutputForm.MATCHES
    assume(plan_shares(pruned(sample.logical, form), form).cuts)
    try:
        found, told = through(sample, form, memory)
    except LimitError:
        assume(False)  # noqa: FBT003
    expected = meaning(sample.logical, sample.rows)
    wanted = to_table(sample.logical, form, expected)
    assert same_rows(rows_of(wanted), rows_of(found)), (rows_of(wanted), rows_of(found))
    assert told.rows == len(sample.rows)
    assert told.bad_rows == told.reported[-1] == expected.bad_rows


def rows_of(table: pa.Table) -> list[dict[str, object]]:
    return [{name: plain(value) for name, value in row.items()} for row in table.to_pylist()]


@given(samples(KEYED), st.sampled_from(OutputForm), st.sampled_from((300, 700, 2000)))
def test_partitions(sample: Sample, form: OutputForm, memory: int) -> None:
    compare(sample, form, memory)


@given(samples(UNKEYED), st.sampled_from(OutputForm), st.sampled_from((300, 700, 2000)))
def test_slices_of_time(sample: Sample, form: OutputForm, memory: int) -> None:
    compare(sample, form, memory)


@given(samples(FEW), st.sampled_from((300, 700, 2000)))
def test_groups(sample: Sample, memory: int) -> None:
    compare(sample, OutputForm.MATCHES, memory)
