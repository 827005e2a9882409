"""Runs of skip-till-next-match in patterns with very many variables, states, conditions."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pyarrow as pa
import pytest

import kleene
from kleene.errors import TooManyStatesError

NEXT = "STRATEGY skip_till_next_match WITHIN 1000"


def events(types: str) -> pa.Table:
    return pa.table({"t": range(len(types)), "type": list(types), "x": range(len(types))})


def compare(query: str, table: pa.Table) -> None:
    found, defined = (
        kleene.match(table, query, time="t", type="type", options={"evaluation": evaluation})
        for evaluation in ("auto", "denotation")
    )
    assert Counter(map(repr, found.to_pylist())) == Counter(map(repr, defined.to_pylist()))
    assert found.num_rows


def test_many_variables() -> None:
    names = [f"v{number}" for number in range(70)]
    pattern = ", ".join(f"{'AB'[n % 2]}{'?' * (n % 3 == 1)} {name}" for n, name in enumerate(names))
    conditions = " AND ".join(f"{one}.x < {two}.x" for one, two in pairwise(names))
    query = f"PATTERN SEQ({pattern}) WHERE {conditions} {NEXT} RETURN v0.x AS a, v69.x AS b"
    compare(query, events("AB" * 36))
    told = str(kleene.explain(events("A").schema, query, time="t", type="type"))
    assert "a kernel in plain Python: 70 variables are too many for machine code" in told


def test_many_parts_in_any_order() -> None:
    letters = "ABCDEFGHIJKL"
    pattern = ", ".join(f"{letter} {letter.lower()}" for letter in letters)
    compare(f"PATTERN AND({pattern}) {NEXT}", events(letters[::-1] + letters[:2]))


def test_too_many_parts_in_any_order() -> None:
    pattern = ", ".join(f"A a{number}" for number in range(20))
    with pytest.raises(TooManyStatesError, match="more than 8,192 states"):
        kleene.match(events("A"), f"PATTERN AND({pattern}) {NEXT}", time="t", type="type")
