"""Limits end a query that explodes, with the limit, the key, and how to raise it."""

from __future__ import annotations

import re
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from kleene.api import Options, match
from kleene.errors import LimitError, UnknownOptionError
from kleene.runtime import partials, run

SEQ = "PATTERN SEQ(A a, B b, C c, D d, E e) WHERE [user]"
KLEENE = "PATTERN SEQ(A a, B+ b[], C c, D d, E e) WHERE [user]"
COUNT = 300
EVENTS = pa.table(
    {
        "t": np.arange(COUNT),
        "user": ["ada"] * 3 + ["bob"] * (COUNT - 3),
        "kind": list("ABCDE") * (COUNT // 5),
    }
)


def found(query: str, output: str = "matches", **options: int) -> pa.Table:
    return match(EVENTS, query, time="t", type="kind", output=output, options=options)


@pytest.fixture(autouse=True)
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "PATIENCE", 10**9)


@pytest.mark.parametrize(
    ("clause", "output"),
    [
        *(("", output) for output in ("matches", "collapsed")),
        *((" AFTER MATCH CONSUME", output) for output in ("matches", "collapsed", "count")),
        *((" AFTER MATCH SKIP TO LAST b", output) for output in ("matches", "collapsed", "count")),
    ],
)
def test_too_many_matches(clause: str, output: str) -> None:
    with pytest.raises(LimitError) as caught:
        found(SEQ + clause, output, max_matches=5000)
    assert caught.value.reason == (
        "the partition user = 'bob' has more than 5,000 matches, the limit max_matches"
    )
    assert caught.value.hints[0].endswith("options=kleene.Options(max_matches=50000)")


def test_as_many_matches_as_the_limit_says() -> None:
    few = SEQ + " WITHIN 5"
    count = found(few, "count").column("match_count").to_pylist()
    assert found(few, max_matches=int(count[0])).num_rows == count[0]
    with pytest.raises(LimitError, match="max_matches"):
        found(few, max_matches=int(count[0]) - 1)


def test_matches_without_end() -> None:
    with pytest.raises(LimitError, match="bind more than 80,000 events, 8 for each"):
        found(KLEENE.replace(", C c, D d, E e", ""), max_matches=10_000)


@pytest.mark.parametrize(
    ("query", "output"),
    [
        (SEQ, "matches"),
        (KLEENE, "matches"),
        (KLEENE + " RETURN a.t AS t, count(b[]) AS n", "matches"),
        (SEQ, "collapsed"),
        (KLEENE, "collapsed"),
        (SEQ + " AFTER MATCH CONSUME", "matches"),
        (KLEENE + " AFTER MATCH SKIP TO LAST b", "count"),
        (SEQ.replace("SEQ", "EXISTS b : SEQ"), "matches"),
        (KLEENE.replace("SEQ", "EXISTS a, c : SEQ"), "count"),
    ],
)
def test_too_many_bytes(query: str, output: str) -> None:
    with pytest.raises(LimitError) as caught:
        found(query, output, max_bytes=400_000)
    assert "the limit max_bytes" in caught.value.reason
    assert "the partition user = 'bob'" in caught.value.reason
    assert caught.value.hints[0].endswith("options=kleene.Options(max_bytes=1600000)")


def test_a_kernel_has_no_room() -> None:
    with pytest.raises(LimitError, match="the search for matches of the partition user = "):
        found(SEQ, max_bytes=1000)


@pytest.mark.parametrize("clause", ["SKIP TO NEXT EVENT", "SKIP PAST LAST EVENT"])
def test_one_match_a_start_needs_little(clause: str) -> None:
    query = f"{SEQ.replace(', E e', '')} AFTER MATCH {clause}"
    events = EVENTS.slice(0, 120)
    result = match(events, query, time="t", type="kind", options={"max_bytes": 2_000_000})
    assert result.num_rows > 0


@pytest.mark.parametrize("value", [0, -1, 1.5, True, None, "many"])
@pytest.mark.parametrize("name", ["max_matches", "max_bytes"])
def test_no_limit(name: str, value: object) -> None:
    with pytest.raises(UnknownOptionError, match=re.escape(f"{name} cannot be {value!r}")):
        Options(**{name: value})  # type: ignore[arg-type]


def test_groups_of_matches_are_held_in_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partials, "ENOUGH", 64)
    few = SEQ + " WITHIN 15 RETURN a.t AS t, count(*) AS n, sum(b.t) AS s GROUP BY a.t"
    every = few.replace("BY a.t", "BY a.t, b.t, c.t, d.t, e.t").replace("15", "40")
    assert found(few, max_bytes=100_000).num_rows == COUNT // 5 - 1
    with pytest.raises(LimitError, match="the groups of matches of the partition user = 'bob'"):
        found(every, max_bytes=4_000_000)


def test_too_many_matches_for_groups() -> None:
    with pytest.raises(LimitError, match="more than 5,000 matches"):
        found(SEQ + " AFTER MATCH CONSUME RETURN count(*) GROUP BY ()", max_matches=5000)


def test_matches_that_are_not_found_have_no_limit() -> None:
    (bob,) = found(SEQ, "count", max_matches=5000).to_pylist()
    assert bob == {"user": "bob", "match_count": Decimal(7_028_847)}


def test_more_matches_than_a_decimal_counts() -> None:
    with pytest.raises(LimitError, match="a count has more than 38 digits"):
        found("PATTERN SEQ(ANY a, ANY+ b[], ANY c) WHERE [user]", "count")
    counts = found("PATTERN SEQ(A a, B+ b[], C c) WHERE [user]", "count")
    assert counts.column("match_count").to_pylist() == [1, 2_305_843_009_213_692_060]


def test_configurations_have_no_room() -> None:
    query = "PATTERN SEQ(A a, B+ b[], C c) WHERE [user] AND sum(b[].t) > 10"
    with pytest.raises(LimitError) as caught:
        found(query, "count", max_bytes=1_000_000)
    assert caught.value.reason == (
        "the configurations of runs of the partition user = 'bob' would take more than "
        "1,000,000 bytes, the limit max_bytes"
    )
