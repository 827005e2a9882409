"""Kernels find what the denotation finds, on random queries over random streams."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pyarrow as pa
from hypothesis import assume, given, settings

from kleene.language.syntax import Strategy
from kleene.logical.output import OutputForm, to_table
from kleene.program.columns import Unsupported
from kleene.runtime.evaluate import evaluate
from support.generators import EVERYTHING, Sample, samples

WHOLE = EVERYTHING
LARGE = replace(WHOLE, max_variables=8, depth=4)
RUNS = replace(WHOLE, strategies=(Strategy.NEXT,))
CONTIGUOUS = replace(WHOLE, strategies=(Strategy.STRICT, Strategy.PARTITION))


def rows_of(table: pa.Table) -> Counter[str]:
    return Counter(map(repr, table.to_pylist()))


def compare(sample: Sample, form: OutputForm, *, compile_kernel: bool) -> None:
    query = sample.logical
    if query.resolved.returns and form is not OutputForm.MATCHES:
        query = replace(query, resolved=replace(query.resolved, returns=()))
    try:
        found = evaluate(query, sample.stream.table(), form, compile_kernel=compile_kernel)
    except Unsupported:
        assume(False)  # noqa: FBT003
    meaning = replace(sample, query=sample.query).meaning
    assert rows_of(found.to_table()) == rows_of(to_table(query, form, meaning))
    assert found.bad_rows == meaning.bad_rows


@settings(max_examples=4 * settings.get_profile("same").max_examples)
@given(samples(WHOLE))
def test_kernels_find_the_matches(sample: Sample) -> None:
    compare(sample, OutputForm.MATCHES, compile_kernel=False)


@given(samples(LARGE))
def test_kernels_of_large_patterns(sample: Sample) -> None:
    compare(sample, OutputForm.MATCHES, compile_kernel=False)


@settings(max_examples=4 * settings.get_profile("same").max_examples)
@given(samples(RUNS))
def test_kernels_walk_runs(sample: Sample) -> None:
    compare(sample, OutputForm.MATCHES, compile_kernel=False)


@given(samples(replace(RUNS, max_variables=8, depth=4)))
def test_kernels_walk_runs_of_large_patterns(sample: Sample) -> None:
    compare(sample, OutputForm.MATCHES, compile_kernel=False)


@given(samples(CONTIGUOUS))
def test_kernels_find_neighbours(sample: Sample) -> None:
    compare(sample, OutputForm.MATCHES, compile_kernel=False)


@given(samples(WHOLE))
def test_kernels_collapse(sample: Sample) -> None:
    compare(sample, OutputForm.COLLAPSED, compile_kernel=False)


@given(samples(WHOLE))
def test_kernels_count(sample: Sample) -> None:
    compare(sample, OutputForm.COUNT, compile_kernel=False)


@settings(max_examples=10)
@given(samples(WHOLE))
def test_compiled_kernels_find_the_matches(sample: Sample) -> None:
    compare(sample, OutputForm.MATCHES, compile_kernel=True)


@settings(max_examples=10)
@given(samples(RUNS))
def test_compiled_kernels_walk_runs(sample: Sample) -> None:
    compare(sample, OutputForm.MATCHES, compile_kernel=True)
