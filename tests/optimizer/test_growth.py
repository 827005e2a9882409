"""How the matches of a query can grow, from its structure alone."""

from __future__ import annotations

import pyarrow as pa
import pytest

from kleene.language.parser import parse
from kleene.language.resolve import resolve
from kleene.language.schema import EventShape
from kleene.logical.build import build
from kleene.optimizer.growth import growth

SCHEMA = pa.schema([("ts", pa.int64()), ("event", pa.string())])


@pytest.mark.parametrize(
    ("text", "strategy", "grown"),
    [
        ("A a", "skip_till_any_match", "N"),
        ("SEQ(A a, B b, C c)", "skip_till_any_match", "N · w^2"),
        ("SEQ(A a, !X x, C c)", "skip_till_any_match", "N · w"),
        ("SEQ(A a, B{1,3} b[])", "skip_till_any_match", "N · w^3"),
        ("OR(SEQ(A a, B b), C+ c[])", "skip_till_any_match", "N · 2^w"),
        ("OR(SEQ(A a, B b), C c)", "skip_till_any_match", "N · w"),
        ("SEQ(A a, B? b)", "skip_till_any_match", "N · w"),
        ("SEQ(A a, B b){2}", "skip_till_any_match", "N · w^3"),
        ("SEQ(A a, B b, C c)", "strict_contiguity", "N"),
        ("SEQ(A a, B+ b[], C c)", "strict_contiguity", "N · w"),
        ("SEQ(A+ a[], B+ b[])", "strict_contiguity", "N · w"),
        ("SEQ(A+ a[], A+ b[])", "partition_contiguity", "N · w^2"),
        ("AND(A+ a[], A+ b[])", "partition_contiguity", "N · 2^w"),
        ("AND(A+ a[], A b)", "partition_contiguity", "N · w^2"),
        ("(A+ a[])+", "strict_contiguity", "N · 2^w"),
        ("SEQ(A+ a[], B b)+", "strict_contiguity", "N · w"),
        ("SEQ(A+ a[], ANY b)+", "strict_contiguity", "N · 2^w"),
        ("SEQ(A a, B+ b[], C c)", "skip_till_next_match", "N"),
        ("SEQ(A a, ANY+ b[], C c)", "skip_till_next_match", "N · w"),
        ("SEQ(A a, ANY+ b[])", "skip_till_next_match", "N"),
        ("SEQ(A+ a[], ANY+ b[])", "skip_till_next_match", "N · w"),
        ("AND(A+ a[], ANY+ b[])", "skip_till_next_match", "N · 2^w"),
        ("(A+ a[])+", "skip_till_next_match", "N · 2^w"),
    ],
)
def test_how_matches_can_grow(text: str, strategy: str, grown: str) -> None:
    query = parse(f"{text} STRATEGY {strategy}")
    assert str(growth(build(resolve(query, EventShape(SCHEMA, ("ts",), "event"))))) == grown
