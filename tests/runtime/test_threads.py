"""Several threads find what one does, in the same order, and stop when nobody wants more."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import pytest
from hypothesis import assume, given, settings

from kleene.language.syntax import Strategy
from kleene.logical.output import OutputForm
from kleene.program.columns import Unsupported
from kleene.runtime import choose, evaluate
from kleene.runtime.threads import chained, mapped
from support.generators import EVERYTHING, Sample, samples

MANY = replace(EVERYTHING, max_events=24, strategies=(Strategy.ANY, Strategy.PARTITION))


@pytest.fixture(autouse=True)
def small_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choose, "_LEAST", 4)
    monkeypatch.setattr(evaluate, "SMALL", 3)


@settings(max_examples=100)
@given(samples(MANY))
def test_threads_find_what_one_thread_finds(sample: Sample) -> None:
    query, table = sample.logical, sample.stream.table()
    for form in OutputForm if not query.resolved.returns else [OutputForm.MATCHES]:
        try:
            alone = evaluate.evaluate(query, table, form, compile_kernel=False)
        except Unsupported:
            assume(False)  # noqa: FBT003
        together = evaluate.evaluate(query, table, form, threads=3, compile_kernel=False)
        assert together.bad_rows == alone.bad_rows
        assert repr(together.to_table().to_pylist()) == repr(alone.to_table().to_pylist())


def test_items_come_in_order() -> None:
    def items(first: int) -> Iterator[int]:
        for number in range(first, first + 10):
            time.sleep(0.001 * (7 * number % 3))
            yield number

    sources = [items(first) for first in range(0, 50, 10)]
    assert list(chained(sources, 3)) == list(range(50))
    assert mapped(abs, [-1, -2, -3], 2) == [1, 2, 3]


def test_an_error_comes_where_its_item_would() -> None:
    def broken() -> Iterator[int]:
        yield 1
        raise ValueError("no more")

    found = chained([iter([0]), broken(), iter([2])], 2)
    assert [next(found), next(found)] == [0, 1]
    with pytest.raises(ValueError, match="no more"):
        next(found)


def test_whoever_stops_reading_stops_the_threads() -> None:
    made: list[int] = []

    def endless() -> Iterator[int]:
        while True:
            made.append(len(made))
            yield made[-1]

    before = threading.active_count()
    found = chained([endless(), endless()], 2)
    assert len(list(islice(found, 3))) == 3
    found.close()  # type: ignore[attr-defined]
    assert threading.active_count() == before
    assert len(made) < 50


def test_a_program_ends_while_there_is_more_to_read() -> None:
    program = """
from itertools import count
from kleene.runtime.threads import chained

found = chained([count(), count()], 2)
assert next(found) == 0
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
