"""Merged runs tell what the denotation tells, on random queries over random streams."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kleene.language.parser import parse
from kleene.language.resolve import resolve
from kleene.language.schema import EventShape
from kleene.logical.build import build
from kleene.logical.meaning import meaning
from kleene.logical.output import OutputForm, to_table
from kleene.program.columns import Unsupported
from kleene.program.kernel import plan_kernel
from kleene.program.merging.enumerates import Enumerates
from kleene.program.merging.plan import plan_merged
from kleene.runtime import merged
from kleene.runtime.evaluate import evaluate
from support.cases import plain, same_rows
from support.generators import BATCH, Operator, Sample, samples, streams
from support.generators.streams import Roles
from support.streams import Stream

KLEENE = replace(BATCH, max_conditions=2)
FLAT = KLEENE.without(Operator.GROUP, Operator.NOT, Operator.EXISTS, Operator.OR, Operator.AND)
TIMED = replace(KLEENE, timestamps=False, partitions=False, max_events=10)
STRUCTURE = replace(KLEENE, max_conditions=0).without(Operator.NOT)


def rows_of(table: pa.Table) -> Counter[str]:
    return Counter(map(repr, table.to_pylist()))


def plain_rows(table: pa.Table) -> list[dict[str, object]]:
    return [{name: plain(value) for name, value in row.items()} for row in table.to_pylist()]


def compare(sample: Sample, form: OutputForm, *, compile_kernel: bool = False) -> None:
    query = sample.logical
    if query.resolved.returns:
        query = replace(query, resolved=replace(query.resolved, returns=()))
    try:
        plan_merged(query, plan_kernel(query), form)
    except (Enumerates, Unsupported):
        assume(False)  # noqa: FBT003
    found = evaluate(query, sample.stream.table(), form, compile_kernel=compile_kernel)
    expected = to_table(query, form, meaning(query, sample.rows))
    assert rows_of(found.to_table()) == rows_of(expected)


@pytest.fixture(autouse=True)
def small_rooms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merged, "_ROOM", 2)
    monkeypatch.setattr(merged, "_OUT", 16)


@settings(max_examples=3 * settings.get_profile("same").max_examples)
@given(samples(FLAT))
def test_flat_patterns_are_counted(sample: Sample) -> None:
    compare(sample, OutputForm.COUNT)


@settings(max_examples=3 * settings.get_profile("same").max_examples)
@given(samples(STRUCTURE))
def test_structures_are_counted(sample: Sample) -> None:
    compare(sample, OutputForm.COUNT)


@settings(max_examples=3 * settings.get_profile("same").max_examples)
@given(samples(KLEENE))
def test_matches_are_counted(sample: Sample) -> None:
    compare(sample, OutputForm.COUNT)


@settings(max_examples=3 * settings.get_profile("same").max_examples)
@given(samples(KLEENE))
def test_matches_are_collapsed(sample: Sample) -> None:
    compare(sample, OutputForm.COLLAPSED)


@settings(max_examples=3 * settings.get_profile("same").max_examples)
@given(samples(STRUCTURE))
def test_structures_are_collapsed(sample: Sample) -> None:
    compare(sample, OutputForm.COLLAPSED)


@settings(max_examples=5 * settings.get_profile("same").max_examples)
@given(samples(replace(KLEENE, grouped=True)))
def test_matches_are_grouped(sample: Sample) -> None:
    query = sample.logical
    try:
        plan_merged(query, plan_kernel(query), OutputForm.MATCHES)
    except (Enumerates, Unsupported):
        assume(False)  # noqa: FBT003
    found = evaluate(query, sample.stream.table(), compile_kernel=False)
    expected = to_table(query, OutputForm.MATCHES, meaning(query, sample.rows))
    assert same_rows(plain_rows(expected), plain_rows(found.to_table()))


@settings(max_examples=10)
@given(samples(KLEENE))
def test_compiled_kernels_count(sample: Sample) -> None:
    compare(sample, OutputForm.COUNT, compile_kernel=True)


@pytest.mark.parametrize("condition", ["a.x = c.x", "c.k = a.k AND a.f = c.f", "a.g + 1 = c.x"])
@pytest.mark.parametrize("form", [OutputForm.COUNT, OutputForm.COLLAPSED])
@pytest.mark.parametrize("window", ["", "WITHIN 8"])
def test_first_and_last_are_equal(condition: str, form: OutputForm, window: str) -> None:
    query = parse(f"PATTERN SEQ(A a, B* b[], AND(C d, B+ e[])?, C c) WHERE {condition} {window}")

    @settings(max_examples=settings.get_profile("same").max_examples // 10)
    @given(streams(query, TIMED))
    def compared(found: tuple[Stream, Roles]) -> None:
        compare(Sample(query, *found), form)

    compared()


NEGATIONS = [
    "SEQ(A a, !D x, B+ b[], C c)",
    "SEQ(A a, B+ b[], !D x, C c)",
    "SEQ(!D x, A a, B* b[], C c)",
    "SEQ(A a, B+ b[], !D x)",
    "SEQ(A a, B+ b[], !(D x : x.x > 0), C c, !A y)",
    "SEQ(A? a, B b, !D x, AND(A d, B+ e[]))",
    "SEQ(SEQ(A a, B b)+, !C c, A? d, !D x, B+ e[])",
]


@pytest.mark.parametrize("pattern", NEGATIONS)
@pytest.mark.parametrize("form", [OutputForm.COUNT, OutputForm.COLLAPSED])
@pytest.mark.parametrize("window", ["", "WITHIN 8"])
def test_single_events_are_forbidden(pattern: str, form: OutputForm, window: str) -> None:
    query = parse(f"PATTERN {pattern} {window}")

    @settings(max_examples=settings.get_profile("same").max_examples // 10)
    @given(streams(query, TIMED))
    def compared(found: tuple[Stream, Roles]) -> None:
        compare(Sample(query, *found), form)

    compared()


GROUPS = [
    "SEQ(D z, SEQ(A a, B b)+)",
    "SEQ(D z, SEQ(A? a, B b){1,2}, C c)",
    "SEQ(D z, AND(A a, B b)+)",
]
ITERATIONS = ["b[i].x = a[i].x", "a[i].x > a[i-1].x", "b[i].x >= a[i-1].x", "a[i].x < z.x"]


@pytest.mark.parametrize("pattern", GROUPS)
@pytest.mark.parametrize("condition", ITERATIONS)
def test_conditions_on_iterations(pattern: str, condition: str) -> None:
    query = parse(f"PATTERN {pattern} WHERE {condition}")

    @settings(max_examples=settings.get_profile("same").max_examples // 10)
    @given(streams(query, TIMED), st.sampled_from([OutputForm.COUNT, OutputForm.COLLAPSED]))
    def compared(found: tuple[Stream, Roles], form: OutputForm) -> None:
        compare(Sample(query, *found), form)

    compared()


@pytest.mark.parametrize("form", [OutputForm.COUNT, OutputForm.COLLAPSED])
def test_what_is_asked_of_python_is_enumerated(form: OutputForm) -> None:
    events = pa.table({"t": [1, 2, 3], "kind": ["A", "B", "B"], "s": ["p", "p", "q"]})
    shape = EventShape(schema=events.schema, time=("t",), type="kind")
    query = build(resolve(parse("SEQ(A a, B+ b[]) WHERE b[i].s LIKE a.s"), shape))
    with pytest.raises(Enumerates, match=r"LIKE a\.s is asked of Python"):
        plan_merged(query, plan_kernel(query), form)
