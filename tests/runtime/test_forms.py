"""Every form of output is what the denotation says, however small the pieces of the work are."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import kleene
from kleene.language.syntax import AfterMatch, Name, SkipMode, Strategy
from kleene.logical.algebra import LogicalQuery
from kleene.logical.meaning import meaning
from kleene.logical.output import OutputForm, to_table
from kleene.program.columns import Unsupported
from kleene.runtime import after_match, collapse, distinct, matches, run
from kleene.runtime.evaluate import evaluate
from support.generators import EVERYTHING, Sample, samples

KERNELS = replace(EVERYTHING, strategies=(Strategy.ANY, Strategy.STRICT, Strategy.PARTITION))
NAMED = (SkipMode.TO_FIRST, SkipMode.TO_LAST)
FEW = settings(max_examples=settings.get_profile("same").max_examples // 2)


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "_OUT", 16)
    monkeypatch.setattr(run, "_MOST_OUT", 16)
    monkeypatch.setattr(matches, "BATCH_ROWS", 3)
    monkeypatch.setattr(after_match, "ENOUGH", 8)
    monkeypatch.setattr(after_match, "BLOCK", 2)
    monkeypatch.setattr(after_match, "_FEW", 3)
    monkeypatch.setattr(distinct, "ENOUGH", 2)
    monkeypatch.setattr(collapse, "ENOUGH", 4)
    monkeypatch.setattr(collapse, "BATCH_ROWS", 3)


def rows_of(table: pa.Table) -> Counter[str]:
    return Counter(map(repr, table.to_pylist()))


def compare(sample: Sample, query: LogicalQuery, form: OutputForm) -> None:
    if query.resolved.returns and form is not OutputForm.MATCHES:
        query = replace(query, resolved=replace(query.resolved, returns=()))
    try:
        found = evaluate(query, sample.stream.table(), form, compile_kernel=False)
    except Unsupported:
        assume(False)  # noqa: FBT003
    batches = list(found.batches)
    assert all(batch.num_rows <= 3 for batch in batches) or form is OutputForm.COUNT
    expected = to_table(query, form, meaning(query, sample.rows))
    assert rows_of(pa.Table.from_batches(batches, schema=found.schema)) == rows_of(expected)


@FEW
@given(samples(KERNELS), st.sampled_from(OutputForm))
def test_forms(sample: Sample, form: OutputForm) -> None:
    compare(sample, sample.logical, form)


@given(
    samples(KERNELS),
    st.sampled_from([mode for mode in SkipMode if mode is not SkipMode.NO_SKIP]),
    st.sampled_from(OutputForm),
    st.integers(0, 9),
)
def test_after_match(sample: Sample, mode: SkipMode, form: OutputForm, chosen: int) -> None:
    resolved = sample.logical.resolved
    positive = [variable.name for variable in resolved.variables if variable.positive]
    variable = Name(positive[chosen % len(positive)]) if mode in NAMED else None
    clause = AfterMatch(mode, variable)
    compare(sample, replace(sample.logical, resolved=replace(resolved, after_match=clause)), form)


@given(samples(KERNELS), st.sampled_from(OutputForm), st.integers(1, 30))
def test_exists(sample: Sample, form: OutputForm, chosen: int) -> None:
    resolved = sample.logical.resolved
    positive = [variable for variable in resolved.variables if variable.positive]
    assume(len(positive) > 1)
    hidden = {v.name for n, v in enumerate(positive[1:]) if chosen >> n & 1} or {positive[0].name}
    variables = tuple(replace(v, hidden=v.hidden or v.name in hidden) for v in resolved.variables)
    assume(any(v.positive and not v.hidden for v in variables))
    changed = replace(resolved, variables=variables, returns=())
    compare(sample, replace(sample.logical, resolved=changed), form)


@pytest.mark.parametrize("form", OutputForm)
@pytest.mark.parametrize("pattern", ["SEQ(A a, B? b)", "OR(A a, B b)", "(OR(A a, SEQ(B b, C c)))+"])
def test_columns_without_nulls_are_null_in_events_that_are_not_bound(
    form: OutputForm, pattern: str
) -> None:
    inner = pa.struct([pa.field("k", pa.int64(), nullable=False)])
    fields = [pa.field("t", pa.int64(), nullable=False), pa.field("type", pa.string())]
    fields += [pa.field("g", inner), pa.field("h", pa.list_(pa.field("element", inner)))]
    fields += [pa.field("n", pa.null())]
    masked = pa.StructArray.from_arrays(
        [pa.array([1, None, 3])], fields=list(inner), mask=pa.array([False, True, False])
    )
    listed = pa.ListArray.from_arrays(pa.array([0, 1, 2, 3], pa.int32()), masked)
    columns = [pa.array([1, 2, 3]), pa.array(["A", "B", "C"]), masked, listed, pa.nulls(3)]
    table = pa.Table.from_arrays(
        [c.cast(f.type) if c.type != f.type else c for c, f in zip(columns, fields, strict=True)],
        schema=pa.schema(fields),
    )

    def found(evaluation: str) -> pa.Table:
        options = {"evaluation": evaluation}
        result: pa.Table = kleene.match(
            table, f"{pattern} WITHIN 10", time="t", type="type", output=form, options=options
        )
        return result

    assert found("nfa").schema == found("denotation").schema
    assert rows_of(found("nfa")) == rows_of(found("denotation"))
