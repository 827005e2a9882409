"""Conditions of every kind on the elements of repetitions, by each method of evaluation."""

from __future__ import annotations

import math
from collections import Counter
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kleene.api.options import Options
from kleene.api.plan import planner
from kleene.logical.algebra import LogicalQuery
from kleene.logical.meaning import meaning
from kleene.logical.output import OutputForm, to_table
from kleene.optimizer.methods import Method
from kleene.program import links
from kleene.program.columns import Unsupported
from kleene.runtime import run
from kleene.runtime.evaluate import evaluate

PATTERNS = (
    "SEQ(A a, B+ b[], C c)",
    "SEQ(A a, B* b[], C c)",
    "SEQ(A a, B{2,} b[], C c)",
    "SEQ(A a, B{2,3} b[], C c)",
    "SEQ(A a, B+ b[], !D, C c)",
    "SEQ(A a, B+ b[], D+ d[], C c)",
    "SEQ(A a, AND(B+ b[], C c))",
    "SEQ(A a, OR(B+ b[], D d), C c)",
    "SEQ(A a, SEQ(B+ b[], D d)?, C c)",
    "SEQ(C c, B+ b[], A a)",
    "SEQ(B+ b[], C c, A a)",
    "SEQ(C c, A a, B+ b[])",
    "AND(A a, B+ b[], C c)",
    "SEQ(D+ d[], C c, A a, B+ b[])",
    "SEQ(D* d[], A a, B+ b[], C c)",
    "AND(SEQ(A a, B+ b[]), C c)",
    "AND(SEQ(A a, B+ b[], C c), D d)",
    "AND(SEQ(A a, B+ b[]), C c)",
    "SEQ(D+ d[], AND(A a, C c), B+ b[])",
    "AND(SEQ(D* d[], A a, B+ b[]), C c)",
)
CONDITIONS = (
    "b[i].x > b[i-1].x",
    "b[i].x = b[i-1].x + c.x",
    "b[i].x != b[i-1].y + a.x",
    "b[i].x > a.x",
    "b[i].x <= c.x",
    "b[i].y >= max(b[..i-1].y)",
    "b[i].x < min(b[..i-1].x)",
    "b[i].x > avg(b[..i-1].x)",
    "b[i].x != b[1].x",
    "b[1].x < c.x",
    "c.x <= max(b[..i].x)",
    "sum(b[..i].x) < 6",
    "last(b[].x) = c.x",
    "last(b[].x) >= a.x",
    "first(b[].x) <= last(b[].x)",
    "sum(b[].x) > 5",
    "sum(b[].y) < 4",
    "count(b[]) <= 3",
    "count(b[].y) >= 2",
    "max(b[].y) > c.y",
    "min(b[].x) >= a.x",
    "avg(b[].x) > 1",
    "b[i].x <= count(b[])",
    "b[i].x >= 0",
)
Event = tuple[int, str, int | None, float | None]
VALUES = st.sampled_from([None, 0, 1, 1, 2, 2, 3, 4])
FLOATS = st.sampled_from([None, 0.0, 0.5, 1.5, 2.5, math.nan])
EVENTS = st.lists(
    st.tuples(st.integers(0, 9), st.sampled_from("ABBBBCD"), VALUES, FLOATS), max_size=10
)


@st.composite
def queries(draw: st.DrawFn) -> str:
    pattern = draw(st.sampled_from(PATTERNS))
    conditions = draw(st.lists(st.sampled_from(CONDITIONS), max_size=3, unique=True))
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    return f"PATTERN {pattern}{where} WITHIN {draw(st.sampled_from([3, 6, 100]))}"


def table_of(events: list[Event]) -> pa.Table:
    times, types, xs, ys = ([event[n] for event in events] for n in range(4))
    return pa.table(
        {
            "t": pa.array(times, pa.int64()),
            "type": pa.array(types, pa.string()),
            "x": pa.array(xs, pa.int64()),
            "y": pa.array(ys, pa.float64()),
        }
    )


def logical(query: str, table: pa.Table) -> LogicalQuery:
    plan = planner(query, Options(), time="t", type="type", order_by=(), id=None, partition_by=())
    return plan(table.schema)


def rows_of(table: pa.Table) -> Counter[str]:
    return Counter(map(repr, table.to_pylist()))


def compare(query: str, table: pa.Table, method: Method, *, compile_kernel: bool = False) -> None:
    bound = logical(query, table)
    try:
        found = evaluate(bound, table, method=method, compile_kernel=compile_kernel).to_table()
    except Unsupported:
        assert method is not Method.NFA
        return
    expected = to_table(bound, OutputForm.MATCHES, meaning(bound, table.to_pylist(), 1))
    assert rows_of(found) == rows_of(expected)


@pytest.mark.parametrize("method", Method)
@settings(max_examples=3 * settings.get_profile("same").max_examples)
@given(query=queries(), events=EVENTS)
def test_conditions_of_every_kind(method: Method, query: str, events: list[Event]) -> None:
    compare(query, table_of(events), method)


@pytest.mark.parametrize("method", Method)
@pytest.mark.parametrize(
    ("pattern", "events"),
    [
        ("SEQ(B+ b[], A a, D+ d[])", [(4, "B"), (6, "B"), (7, "A"), (8, "D"), (9, "D"), (10, "D")]),
        ("SEQ(D? d, B+ b[], A a, A+ c[])", [(1, "B"), (3, "B"), (4, "A"), (5, "A"), (6, "A")]),
        ("AND(SEQ(A a, B+ b[]), C c)", [(3, "C"), (4, "A"), (5, "B"), (7, "B"), (8, "C")]),
        ("AND(SEQ(B+ b[], A a), C c)", [(3, "B"), (4, "B"), (5, "A"), (6, "C"), (7, "C")]),
    ],
)
def test_a_window_that_has_moved_since_candidates_were_gathered(
    method: Method, pattern: str, events: list[tuple[int, str]]
) -> None:
    table = table_of([(time, kind, None, None) for time, kind in events])
    compare(f"PATTERN {pattern} WITHIN 4", table, method)


@settings(max_examples=2 * settings.get_profile("same").max_examples)
@given(query=queries(), events=EVENTS, most=st.integers(1, 4))
def test_links_that_are_too_many(query: str, events: list[Event], most: int) -> None:
    with patch.object(links, "MOST_LINKS", most), patch.object(run, "LINKS", 1):
        compare(query, table_of(events), Method.PATHS)


@pytest.mark.parametrize("method", Method)
@settings(max_examples=8)
@given(query=queries(), events=EVENTS)
def test_compiled(method: Method, query: str, events: list[Event]) -> None:
    compare(query, table_of(events), method, compile_kernel=True)
