"""Groups of matches are what the denotation says, however small the pieces of the work are."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import assume, given

from kleene.language.parser import parse
from kleene.logical.meaning import meaning
from kleene.logical.output import OutputForm, to_table
from kleene.program.columns import Unsupported
from kleene.runtime import after_match, distinct, group, partials, run
from kleene.runtime import evaluate as evaluation
from kleene.runtime.evaluate import evaluate
from support.cases import plain, same_rows
from support.generators import GROUPED, Sample, samples


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "_OUT", 16)
    monkeypatch.setattr(run, "_MOST_OUT", 16)
    monkeypatch.setattr(partials, "ENOUGH", 2)
    monkeypatch.setattr(group, "BATCH_ROWS", 2)
    monkeypatch.setattr(after_match, "ENOUGH", 8)
    monkeypatch.setattr(distinct, "ENOUGH", 2)


def rows_of(table: pa.Table) -> list[dict[str, object]]:
    return [{name: plain(value) for name, value in row.items()} for row in table.to_pylist()]


@given(samples(replace(GROUPED, max_events=24)))
def test_threads_tell_what_one_thread_tells(sample: Sample) -> None:
    table = sample.stream.table()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluation, "SMALL", 3)
        try:
            alone = evaluate(sample.logical, table, compile_kernel=False).to_table()
        except Unsupported:
            assume(False)  # noqa: FBT003
        together = evaluate(sample.logical, table, threads=3, compile_kernel=False).to_table()
    assert same_rows(rows_of(alone), rows_of(together))


@given(samples(GROUPED))
def test_texts(sample: Sample) -> None:
    assert parse(str(sample.query)) == sample.query


@given(samples(GROUPED))
def test_groups(sample: Sample) -> None:
    try:
        found = evaluate(sample.logical, sample.stream.table(), compile_kernel=False)
    except Unsupported:
        assume(False)  # noqa: FBT003
    expected = to_table(sample.logical, OutputForm.MATCHES, meaning(sample.logical, sample.rows))
    batches = list(found.batches)
    assert all(batch.num_rows <= 2 for batch in batches)
    table = pa.Table.from_batches(batches, schema=found.schema)
    assert same_rows(rows_of(expected), rows_of(table)), (rows_of(expected), rows_of(table))
