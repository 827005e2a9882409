"""Kernels find what the denotation finds, on random queries over random streams."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import count, islice

import pyarrow as pa
import pytest
from hypothesis import given, settings

from kleene.language.syntax import Strategy
from kleene.logical.output import OutputForm, to_table
from kleene.runtime.evaluate import evaluate
from support.generators import EVERYTHING, Sample, sample_of, samples

WHOLE = EVERYTHING
LARGE = replace(WHOLE, max_variables=8, depth=4)
RUNS = replace(WHOLE, strategies=(Strategy.NEXT,))
CONTIGUOUS = replace(WHOLE, strategies=(Strategy.STRICT, Strategy.PARTITION))
COMPILED = (WHOLE, RUNS, CONTIGUOUS, replace(WHOLE, returns=False))
COMPILED_PARTS, COMPILED_IN_PART = 8, 20
FORMS = tuple(OutputForm)


def rows_of(table: pa.Table) -> Counter[str]:
    return Counter(map(repr, table.to_pylist()))


def compare(sample: Sample, form: OutputForm, *, compile_kernel: bool) -> None:
    query = sample.logical
    if query.resolved.returns and form is not OutputForm.MATCHES:
        query = replace(query, resolved=replace(query.resolved, returns=()))
    found = evaluate(query, sample.stream.table(), form, compile_kernel=compile_kernel)
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


def of_part(part: int) -> Iterator[tuple[Sample, OutputForm]]:
    """Random queries and some events; other ones for each part."""
    for number in count(part, COMPILED_PARTS):
        sample = sample_of(number, COMPILED[number % len(COMPILED)])
        form = OutputForm.MATCHES if sample.query.returns else FORMS[number % len(FORMS)]
        if sample.rows:
            yield sample, form


@pytest.mark.parametrize("part", range(COMPILED_PARTS))
def test_compiled_kernels(part: int) -> None:
    """None of these is skipped: so many are compiled in every run."""
    for sample, form in islice(of_part(part), COMPILED_IN_PART):
        compare(sample, form, compile_kernel=True)
