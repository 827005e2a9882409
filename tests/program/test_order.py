"""Machines bind the parts of a pattern in any order, and find what the denotation finds."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kleene.logical.algebra import Node
from kleene.logical.output import OutputForm, to_table
from kleene.program import kernel
from kleene.program.columns import Unsupported
from kleene.program.order import Order, may_wait
from kleene.runtime.evaluate import evaluate
from support.generators import BATCH, Sample, samples


def random_order(pattern: Node, random: Random) -> Order:
    """Some of the parts that can wait, parts within others after these."""
    parts = list(may_wait(pattern))
    chosen = random.sample(parts, random.randint(0, min(4, len(parts))))
    turns: list[Node] = []
    for part in chosen:
        inside = [number for number, one in enumerate(turns) if _within(part, one)]
        turns.insert(min(inside, default=len(turns)), part)
    return Order(tuple(turns))


def _within(outer: Node, inner: Node) -> bool:
    return any(part is inner for part in may_wait(outer))


def rows_of(table: pa.Table) -> Counter[str]:
    return Counter(map(repr, table.to_pylist()))


@settings(max_examples=3 * settings.get_profile("same").max_examples)
@given(samples(replace(BATCH, max_conditions=4)), st.randoms(use_true_random=False))
def test_any_order_finds_the_matches(sample: Sample, random: Random) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "order_of", lambda pattern, _: random_order(pattern, random))
        try:
            found = evaluate(sample.logical, sample.stream.table(), compile_kernel=False)
        except Unsupported:
            assume(False)  # noqa: FBT003
    expected = to_table(sample.logical, OutputForm.MATCHES, sample.meaning)
    assert rows_of(found.to_table()) == rows_of(expected)
