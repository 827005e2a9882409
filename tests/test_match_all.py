"""`kleene.match_all`: several queries say together what they say one by one."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest

import kleene
from kleene.errors import (
    BadRowsError,
    DuplicateNameError,
    InputError,
    KleeneError,
    LimitError,
    TypeMismatchError,
    UnknownOptionError,
    UnknownVariableError,
)
from kleene.language.expressions import Comparison
from kleene.language.syntax import Strategy
from kleene.logical.output import OutputForm, to_table
from kleene.runtime import spill
from kleene.runtime.evaluate import evaluate_all, prepared
from kleene.runtime.limits import Limits
from kleene.runtime.rows import Rows
from support.generators import EVERYTHING, GROUPED, IMPRECISE
from support.hostile import TEXTS
from support.many import many_of, roles_of, rows_together

SMALL = replace(EVERYTHING, max_events=10, max_work=1000, wide=True)
PROFILES = (
    SMALL,
    replace(SMALL, strategies=(Strategy.STRICT, Strategy.PARTITION, Strategy.ANY)),
    replace(SMALL, windows=(4, 8, 20), partitions=False),
    replace(GROUPED, max_events=10, max_work=1000, wide=True),
)
CLICKS = pa.table(
    {
        "t": [*range(0, 400, 2), None],
        "kind": [*("A", "B", "C", "B") * 50, "A"],
        "user": [*(n // 7 % 10 for n in range(200)), 1],
        "x": [*(n * 37 % 101 for n in range(200)), 1],
    }
)
QUERIES = {
    "keyed": "SEQ(A a, B b) WHERE [user] AND a.x < b.x WITHIN 50 RETURN a.t AS a, b.t AS b",
    "timed": "SEQ(A a, !C c, B b) WITHIN 10 RETURN a.t AS A, b.x AS x",
    "next": """
        SEQ(A a, B+ b[], C c) WHERE [user] STRATEGY skip_till_next_match RETURN count(b[]) AS n
    """,
    "neighbours": "SEQ(C a, B b) STRATEGY strict_contiguity WITHIN 50 RETURN a.t AS a",
    "grouped": """
        SEQ(A a, C c) WHERE [user] WITHIN 60 RETURN a.x % 3 AS x, count(*) AS total GROUP BY a.x % 3
    """,
    "wide": "SEQ(B b, C c) WHERE b.x > 90 WITHIN 30 RETURN b AS event",
}
FEW = 4000
"""Bytes that these events are more than."""


def match_all(events: Any, queries: Any, **options: Any) -> Any:
    return kleene.match_all(events, queries, time="t", type="kind", options=options)


def rows(found: Any) -> Counter[str]:
    table = found.read_all() if isinstance(found, pa.RecordBatchReader) else found
    return Counter(map(repr, table.to_pylist()))


def apart(events: Any, queries: dict[str, str]) -> dict[str, list[dict[str, object]]]:
    return {
        name: kleene.match(events, query, time="t", type="kind").to_pylist()
        for name, query in queries.items()
    }


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("form", OutputForm)
def test_random_queries_that_share_events(seed: int, form: OutputForm) -> None:
    """Kernels over the events of others find what the definition finds."""
    samples = [*many_of(seed, PROFILES[seed % len(PROFILES)], form).values()]
    asked = [prepared(sample.logical, form) for sample in samples]
    events = samples[0].stream.table() if samples else CLICKS
    found = evaluate_all(asked, events, Limits(), 1, compile_kernel=False)
    for one, sample in zip(found, samples, strict=True):
        expected = to_table(sample.logical, form, sample.meaning)
        assert rows(one.to_table()) == rows(expected), sample
        assert one.bad_rows == sample.meaning.bad_rows


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("form", OutputForm)
def test_random_calls(seed: int, form: OutputForm, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables, and readers with and without room, give the rows that queries give one by one."""
    monkeypatch.setattr(spill, "WAYS", 2)
    profile = (*PROFILES, replace(IMPRECISE, wide=True))[seed % 5]
    samples = many_of(seed, profile, form)
    if not samples:
        return
    first = next(iter(samples.values()))
    roles: dict[str, Any] = {**roles_of(first), "output": form.value}
    roles["options"] = {"pmf": first.roles.pmf, "unit": "1" if first.shape.imprecise else None}
    queries = {name: str(sample.query) for name, sample in samples.items()}
    table = first.stream.table()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one_by_one = {
            name: kleene.match(table, query, **roles).to_pylist() for name, query in queries.items()
        }
        together = kleene.match_all(table, queries, **roles)
        expected = rows_together(one_by_one, together.column_names)
        assert rows(together) == expected
        held = kleene.match_all(table.to_reader(3), queries, **roles)
        assert rows(held) == expected
        roles["options"]["spill_bytes"] = 500
        try:
            spilled = rows(kleene.match_all(table.to_reader(3), queries, **roles))
        except LimitError:
            return
        assert spilled == expected


def test_the_columns_are_those_of_all_queries() -> None:
    with pytest.warns(kleene.BadRowsWarning, match="1 row is no event"):
        found = match_all(CLICKS, QUERIES)
    assert found.column_names == ["query", "a", "b", "x", "n", "total", "event"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = rows_together(apart(CLICKS, QUERIES), found.column_names)
    assert rows(found) == expected
    assert set(found.column("query").to_pylist()) == set(QUERIES)


@pytest.mark.filterwarnings("ignore::kleene.BadRowsWarning")
@pytest.mark.parametrize("memory", [1 << 20, FEW])
@pytest.mark.parametrize(
    "events_of",
    [ds.dataset, lambda table: table.to_reader(50), lambda table: pl.DataFrame(table).lazy()],
)
def test_events_that_come_in_batches(events_of: Callable[[pa.Table], Any], memory: int) -> None:
    queries = {name: query for name, query in QUERIES.items() if name != "neighbours"}
    expected = rows(match_all(CLICKS, queries))
    found = match_all(events_of(CLICKS), queries, spill_bytes=memory)
    found = found.collect().to_arrow() if isinstance(found, pl.LazyFrame) else found
    assert rows(found) == expected


def test_bad_rows_are_told_of_once() -> None:
    queries = {name: query for name, query in QUERIES.items() if name != "neighbours"}
    for memory in (1 << 20, FEW):
        with pytest.warns(kleene.BadRowsWarning, match="1 row is no event") as told:
            rows(match_all(CLICKS.to_reader(10), queries, spill_bytes=memory))
        assert len(told) == 1
    with pytest.raises(BadRowsError):
        match_all(CLICKS, QUERIES, bad_rows="error")


def test_the_same_kind_of_frame_comes_back() -> None:
    events = CLICKS.slice(0, 50)
    queries = {"one": "SEQ(A a, B b) WITHIN 10 RETURN a.t AS a"}
    assert isinstance(match_all(events.to_pandas(), queries), pd.DataFrame)
    assert isinstance(match_all(pl.DataFrame(events), queries), pl.DataFrame)
    assert match_all(events, {"one": kleene.parse(queries["one"])}).num_rows == 25


@pytest.mark.filterwarnings("ignore::kleene.BadRowsWarning")
def test_events_are_chosen_once_for_each_order(monkeypatch: pytest.MonkeyPatch) -> None:
    conditions = []
    decided = Rows.array

    def counted(rows: Rows, node: Any) -> Any:
        if isinstance(node, Comparison):
            conditions.append(node)
        return decided(rows, node)

    monkeypatch.setattr(Rows, "array", counted)
    queries = {
        str(number): f"SEQ(A a, B b) WHERE [user] AND abs(b.x - 3) > 9 WITHIN {number} RETURN a.t"
        for number in range(1, 6)
    }
    match_all(CLICKS, {"1": queries["1"]})
    once = len(conditions)
    conditions.clear()
    match_all(CLICKS, queries)
    assert len(conditions) == once > 0


def test_names_of_queries_are_data() -> None:
    events = CLICKS.slice(0, 8)
    queries = dict.fromkeys(("", *TEXTS), "SEQ(A a, B b) RETURN a.t")
    found = match_all(events, queries)
    assert Counter(found.column("query").to_pylist()) == dict.fromkeys(queries, 6)


@pytest.mark.parametrize(
    ("queries", "error", "reason"),
    [
        ({}, InputError, "there is no query to match"),
        (["SEQ(A a, B b)"], InputError, "queries are a mapping from names, and this is a list"),
        ({1: "SEQ(A a, B b)"}, InputError, "the name of a query is text, and this is a int"),
        ({"\ud800": "SEQ(A a, B b)"}, InputError, "has half a character"),
        ({"q": 1}, InputError, "query 'q': a query is text, and this is a int"),
        ({"good": "A a", "bad": "SEQ(A a,"}, KleeneError, "query 'bad': "),
        ({"bad": "SEQ(A a, B b) WHERE c.x = 1"}, UnknownVariableError, "query 'bad': "),
        (
            {"q": "SEQ(A a, B b) RETURN a.t AS Query"},
            DuplicateNameError,
            "query 'q': the column Query has the name of the one that tells queries apart",
        ),
        (
            {"1": "A a RETURN a.t AS x", "2": "A a RETURN a.kind AS X"},
            TypeMismatchError,
            "the column X is string in the query '2', and int64 in the query '1'",
        ),
        ({"a": "A a", "b": "A+ a[]"}, TypeMismatchError, "the column a is list<"),
    ],
)
def test_what_is_refused(queries: Any, error: type[KleeneError], reason: str) -> None:
    for events in (CLICKS, CLICKS.to_reader()):
        with pytest.raises(error) as told:
            match_all(events, queries)
        assert reason in str(told.value)


def test_errors_while_matching_name_the_query() -> None:
    queries = {"few": "SEQ(A a, C c) WITHIN 10 RETURN a.t", "many": "SEQ(B a, B b) RETURN a.t"}
    events = CLICKS.slice(0, 200)
    for given in (events, events.to_reader()):
        with pytest.raises(LimitError, match="query 'many': the whole input has more than 100"):
            rows(match_all(given, queries, max_matches=100))
    with pytest.raises(UnknownOptionError, match="query 'few': evaluation cannot be 'paths'"):
        match_all(events, queries, evaluation="paths")
    with pytest.raises(LimitError, match="query 'many': the events take more than"):
        rows(match_all(events.to_reader(10), queries, spill_bytes=FEW // 4))


def test_columns_without_a_type_take_that_of_others() -> None:
    queries = {"1": "A a RETURN NULL AS x", "2": "A a RETURN a.x", "3": "A a RETURN NULL AS x"}
    found = match_all(CLICKS.slice(0, 4), queries)
    assert found.schema.field("x").type == pa.int64()
    assert found.to_pylist() == [
        {"query": "1", "x": None},
        {"query": "2", "x": 0},
        {"query": "3", "x": None},
    ]
