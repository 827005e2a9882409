"""Numbers of matches told beforehand: exact where all is counted, and never an error."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

import kleene
from kleene.language.expressions import Expression
from kleene.language.parser import parse
from kleene.language.resolve import resolve
from kleene.language.schema import EventShape
from kleene.logical.algebra import LogicalQuery
from kleene.logical.build import build
from kleene.optimizer.estimate import Estimate, estimate, formula, selectivity
from support.generators import EVERYTHING, Sample, samples


def table(count: int, seed: int = 3, keys: int = 2) -> pa.Table:
    random = np.random.default_rng(seed)
    return pa.table(
        {
            "t": np.arange(count),
            "kind": random.choice(list("ABCD"), count),
            "x": random.random(count),
            "k": random.integers(0, keys, count),
            "place": pa.array([{"at": int(n)} for n in random.integers(0, keys, count)]),
        }
    )


def query_of(text: str, events: pa.Table) -> LogicalQuery:
    return build(resolve(parse(text), EventShape(events.schema, ("t",), "kind")))


def matches(text: str, events: pa.Table) -> int:
    counts = kleene.match(events, text, time="t", type="kind", output="count")
    return int(sum(counts["match_count"].to_pylist()))


EXACT = (
    "SEQ(A a, B b, C c) WITHIN 12",
    "SEQ(A a, B+ b[], C c) WITHIN 15",
    "SEQ(A a, B* b[], C? c) WITHIN 9",
    "SEQ(A a, B{2,3} b[], C c) WITHIN 15",
    "OR(SEQ(A a, B b), C+ c[]) WITHIN 8",
    "(A a, B b)+ WITHIN 12",
    "(A a, B b){0,2} WITHIN 12",
    "SEQ(A a, ANY b) WHERE b.x > 0.5 AND [k] WITHIN 20",
    "SEQ(A a, Low+ b[]) DEFINE Low AS x < 0.2 WITHIN 20",
    "AND(A a, B b, C c) WITHIN 9",
    "SEQ(A a, B b) WHERE [place] WITHIN 9",
    "SEQ(A a, B b) WHERE [place.at]",
    "SEQ(A a, B+ b[], C c) STRATEGY partition_contiguity",
)


@pytest.mark.parametrize("text", EXACT)
@pytest.mark.parametrize("shuffled", [False, True])
def test_few_events_are_counted(text: str, shuffled: bool) -> None:  # noqa: FBT001
    """Where each beginning is looked at, and nothing but structure and single events counts."""
    events = table(24)
    if shuffled:
        events = events.take(np.random.default_rng(1).permutation(len(events)))
    found = estimate(query_of(text, events), events)
    exact = matches(text, events)
    assert 10**found.power == pytest.approx(exact)
    assert not found.least


@pytest.mark.parametrize(
    "text",
    [
        "SEQ(A a, B+ b[], C c) WITHIN 30",
        "SEQ(A a, B b, C c) WHERE [k] WITHIN 60",
        "SEQ(A a, B+ b[], C c) WITHIN 30 STRATEGY skip_till_next_match",
    ],
)
def test_more_events_are_estimated(text: str) -> None:
    events = table(2_000)
    found = estimate(query_of(text, events), events)
    assert matches(text, events) / 3 < 10**found.power < matches(text, events) * 3


def test_long_windows_are_cut() -> None:
    events = table(5_000)
    found = estimate(query_of("SEQ(A a, B+ b[], C c)", events), events)
    assert found.least
    assert str(found).startswith("more than 10^")


@pytest.mark.parametrize(
    ("estimated", "told"),
    [
        (Estimate(3.0, 24, least=False, assumed=""), "about 1,000, by 24 windows of the events"),
        (Estimate(-0.3, 2, least=False, assumed=""), "about 0.50, by 2 windows of the events"),
        (
            Estimate(80.2, 9, least=True, assumed="; x"),
            "more than 10^80, by 9 windows of the events; x",
        ),
        (
            Estimate(-inf, 3, least=False, assumed="; x"),
            "none in 3 windows of the events; x",
        ),
    ],
)
def test_how_it_is_told(estimated: Estimate, told: str) -> None:
    assert str(estimated) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("SEQ(A a, B b)", "w_a · w_b"),
        ("SEQ(A a, B+ b[], !D d, C{1,3} c[])", "w_a · 2^w_b · w_c^3"),
        ("OR(SEQ(A a, B b), C c)", "(w_a · w_b + w_c)"),
        ("SEQ(A a, B? b)", "w_a · (1 + w_b)"),
        ("SEQ(A a, B b){2}", "(w_a · w_b)^2"),
        ("(A a, B b)+", "2^w_a · 2^w_b"),
        ("SEQ(A a, B+ b[]) WHERE b[i].x > b[i-1].x AND a.x > 3", "w_a · 1.33^w_b"),
        ("SEQ(A a, B b) WHERE a.x = b.x", "w_a · w_b · 0.1"),
    ],
)
def test_formulas(text: str, told: str) -> None:
    assert formula(query_of(text, table(1))).startswith(f"{told} in a window")


@pytest.mark.parametrize(
    ("condition", "share"),
    [
        ("a.x = b.x", 0.1),
        ("NOT (a.x < b.x < a.k)", 8 / 9),
        ("(a.x = b.x OR a.x < b.x)", 0.4),
        ("NOT a.x = b.x", 0.9),
        ("a.x IN (b.x, 3)", 0.5),
    ],
)
def test_default_selectivities(condition: str, share: float) -> None:
    found: Expression = query_of(f"SEQ(A a, B b) WHERE {condition}", table(1)).conditions[0]
    assert selectivity(found) == pytest.approx(share)


def test_explain_tells_it_of_events_at_hand() -> None:
    events = table(24)
    call: dict[str, Any] = {
        "query": "SEQ(A a, !D d, B b) WHERE a.x < b.x",
        "time": "t",
        "type": "kind",
    }
    assert "by " in dict(kleene.explain(events, **call).complexity)["estimate"]
    told = dict(kleene.explain(events.schema, **call).complexity)["estimate"]
    assert told == (
        "w_a · w_b · 0.33 in a window where w_v events fit variable v; conditions between events"
        " by default selectivities, negations left out"
    )


@given(samples(EVERYTHING))
def test_whatever_the_query_something_is_told(sample: Sample) -> None:
    found = estimate(sample.logical, sample.stream.table())
    assert found.power == -inf or str(found)
    assert formula(sample.logical)
