"""Every method of evaluation finds what the denotation finds, on random queries over streams."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings

from kleene.logical.output import OutputForm, to_table
from kleene.optimizer.methods import Method
from kleene.program.columns import Unsupported
from kleene.runtime.evaluate import evaluate
from support.generators import BATCH, Sample, samples

FREE = replace(BATCH, max_conditions=5)
LARGE = replace(BATCH, max_variables=8, depth=4)
OWN = [method for method in Method if method is not Method.NFA]


def rows_of(table: pa.Table) -> Counter[str]:
    return Counter(map(repr, table.to_pylist()))


def compare(sample: Sample, method: Method, *, compile_kernel: bool) -> None:
    query = sample.logical
    try:
        found = evaluate(query, sample.stream.table(), method=method, compile_kernel=compile_kernel)
    except Unsupported:
        assume(False)  # noqa: FBT003
    expected = to_table(query, OutputForm.MATCHES, sample.meaning)
    assert rows_of(found.to_table()) == rows_of(expected)


@pytest.mark.parametrize("method", OWN)
@settings(max_examples=2 * settings.get_profile("same").max_examples)
@given(sample=samples(FREE))
def test_methods_find_the_matches(method: Method, sample: Sample) -> None:
    compare(sample, method, compile_kernel=False)


@pytest.mark.parametrize("method", OWN)
@given(sample=samples(LARGE))
def test_methods_find_those_of_large_patterns(method: Method, sample: Sample) -> None:
    compare(sample, method, compile_kernel=False)


@pytest.mark.parametrize("method", OWN)
@settings(max_examples=10)
@given(sample=samples(FREE))
def test_compiled_methods_find_the_matches(method: Method, sample: Sample) -> None:
    compare(sample, method, compile_kernel=True)
