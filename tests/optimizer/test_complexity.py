"""Complexity classes of queries, by the theorems and the table of paper 1."""

from __future__ import annotations

import pyarrow as pa
import pytest

from kleene.language.parser import parse
from kleene.language.resolve import resolve
from kleene.language.schema import EventShape
from kleene.logical.algebra import LogicalQuery
from kleene.logical.build import build
from kleene.optimizer.complexity import descriptive_class, runtime_class

SCHEMA = pa.schema(
    [(name, pa.int64()) for name in ("t", "u", "x", "head", "tail")] + [("kind", pa.string())]
)


def query_of(text: str, *time: str) -> LogicalQuery:
    return build(resolve(parse(text), EventShape(SCHEMA, time or ("t",), "kind")))


@pytest.mark.parametrize(
    ("text", "name", "theorem"),
    [
        ("SEQ(A a, B b, C c) WHERE a.x < c.x", "AC⁰", "3.2"),
        ("SEQ(A a, B{1,3} b[], C c) WHERE b[i].x > b[i-1].x", "AC⁰", "3.2"),
        ("SEQ(A a, B+ b[], C c) WHERE b[i].x > 5", "regular", "3.1"),
        ("(A a, B b)+", "regular", "3.1"),
        ("A+ a[] WHERE sum(a[].x) > 5 STRATEGY strict_contiguity", "NC¹", "3.2"),
        ("A+ a[] WHERE max(a[..i].x) > 5 STRATEGY partition_contiguity", "NC¹", "3.2"),
        # Lemma 3.2: reachability in ordered graphs.
        (
            "A+ a[] WHERE a[i].tail = a[i-1].head STRATEGY skip_till_next_match",
            "DSPACE[log n]",
            "3.3",
        ),
        ("A+ a[] WHERE a[i].tail = a[i-1].head", "NSPACE[log n]", "3.4"),
        ("SEQ(A a, !SEQ(B+ b[], C c), D d) WHERE count(b[]) > 3", "NSPACE[log n]", "3.4"),
    ],
)
def test_deciding(text: str, name: str, theorem: str) -> None:
    found = descriptive_class(query_of(text))
    assert found.name == name
    assert theorem in found.reason


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "SEQ(A a, B b) STRATEGY skip_till_next_match",
            "linear in W: RW · c_r (table 3, row 1)",
        ),
        (
            "SEQ(A a, B+ b[], C c) STRATEGY skip_till_next_match",
            "linear in W: RW · c_r (table 3, row 1: no choice is left)",
        ),
        (
            "SEQ(A+ a[], A+ b[]) STRATEGY partition_contiguity",
            "polynomial in W: (RW)^3 · c_r: where parts end is a choice",
        ),
        ("A a", "linear in W: RW · c_r (table 3, row 1)"),
        (
            "SEQ(A a, B b, C c)",
            "polynomial in W: ((RW)^4 - 1)/(RW - 1) · c_r (table 3, row 2)",
        ),
        (
            "SEQ(A a, B+ b[], C c)",
            "exponential in W: ((RW)^3 - 1)/(RW - 1) · 2^(RW) · c_r (table 3, row 3)",
        ),
        (
            "SEQ(A+ a[], !X x, OR(B b, C+ c[]))",
            "exponential in W: 2^(2RW) · c_r (table 3, row 3)",
        ),
    ],
)
def test_finding_all(text: str, told: str) -> None:
    assert str(runtime_class(query_of(text))) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "SEQ(A a, B b)",
            "polynomial in W: ((RW)^3 - 1)/(RW - 1) · (c_r + U^2 · c_m) (section 4)",
        ),
        (
            "SEQ(A a, B+ b[]) STRATEGY skip_till_next_match",
            "exponential in W: ((RW)^2 - 1)/(RW - 1) · 2^(RW) · (c_r + U^1 · c_m) (table 3, row 4)",
        ),
        (
            "SEQ(A a, B+ b[]) WHERE b[i].x >= b[i-1].x",
            (
                "exponential in W: ((RW)^2 - 1)/(RW - 1) · 2^(RW) · (c_r + U^(1 + RW) · c_m)"
                " (table 3, row 5)"
            ),
        ),
    ],
)
def test_imprecise_time(text: str, told: str) -> None:
    assert str(runtime_class(query_of(text, "t", "u"))) == told
