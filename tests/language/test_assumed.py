"""What is wrong whatever the events are is found before there are any; and nothing else is."""

from __future__ import annotations

import pyarrow as pa
import pytest

from kleene.errors import KleeneError, UnknownVariableError
from kleene.language.assumed import assumed_shape
from kleene.language.parser import parse
from kleene.language.resolve import resolve
from kleene.language.schema import EventShape, find_path
from support.cases import read_cases

GOOD = [case for case in read_cases() if "error" not in case.data]
WITHOUT_MORE = [case for case in GOOD if "aggregates" not in case.data.get("options", {})]


def check(text: str) -> None:
    query = parse(text)
    resolve(query, assumed_shape(query))


@pytest.mark.parametrize("text", sorted({case.data["query"] for case in WITHOUT_MORE}))
def test_a_query_that_some_events_fit_is_right(text: str) -> None:
    check(text)


@pytest.mark.parametrize(
    "condition",
    [
        "a.counts['k'] = 1 AND a.tags[0] = 2 AND element_at(a.counts, 'k') > b.tags[1]",
        "a.ts + 5 minutes < b.ts AND b.ts - a.ts < 1 hour AND a.day + 1 = b.day",
        "a.ok AND NOT b.ok AND (a.ok OR b.n > 1)",
        "a.x || b.x LIKE '%x' AND size(a.tags) = length(b.name) AND reverse(a.z) = b.z",
        "a.s = b.s AND a.s.x > 1 AND a.s IS NOT NULL",
        "CASE WHEN a.x > 1 THEN a.y ELSE 'none' END = coalesce(b.y, 3)",
        "CAST(a.x AS int) BETWEEN a.y AND b.y AND a.x IN ('u', b.x)",
    ],
)
def test_a_column_may_be_of_any_type(condition: str) -> None:
    check(f"SEQ(A a, B b) WHERE {condition}")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SEQ(A a, B b) WHERE c.x > 1", "no variable is called c"),
        ("SEQ(A a, B b) WHERE x > 1", "no variable and no column is called x"),
        ("SEQ(A a, B+ b[]) WHERE b.x > 1", "b binds many events: which of them?"),
        ("SEQ(A a, B b) WHERE averge(a.x) > 1", "no function is called averge"),
        ("SEQ(A a, B b) WHERE length(a.x) = 'x'", "a number cannot be compared with a string"),
        ("!A a", "this pattern has no positive part: it says only what must not happen"),
        ("SEQ((A a : a.x = b.x), !B b)", "b is negated, so this condition may not name it"),
        ("A a WITHIN W", "a window has a length, and W is a name without a value"),
        ("OR(A a, B b) WHERE a.x = b.x", "a and b are in different branches of OR: no match"),
        ("SEQ(A a, B b) RETURN a.x AS y, b.y AS Y", "y and Y are one name"),
    ],
)
def test_what_no_events_can_fit_is_wrong(text: str, reason: str) -> None:
    with pytest.raises(KleeneError) as raised:
        check(text)
    assert raised.value.reason.startswith(reason)


def test_roles_do_not_take_names_that_the_query_uses() -> None:
    shape = assumed_shape(parse("SEQ(A a, B b) WHERE a.time = 1 AND b.type.x > 2 WITHIN 5"))
    assert (shape.time, shape.type) == (("time_2",), "type_2")
    assert shape.time_type == pa.int64()


def test_a_column_that_is_null_is_no_column_of_unknown_type() -> None:
    assert find_path(pa.schema([("x", pa.null())]), ("x",)) == (("x",), pa.null())
    assert find_path(assumed_shape(parse("A a WHERE a.x = 1")).schema, ("x",)) == (("x",), None)


def test_unknown_variables_are_found_in_every_clause() -> None:
    for clause in ("RETURN c.x", "AFTER MATCH SKIP TO FIRST c", "WHERE skip_till_any_match(a, c)"):
        with pytest.raises(UnknownVariableError):
            check(f"A a {clause}")


def test_a_shape_of_nothing_but_roles() -> None:
    shape = assumed_shape(parse("A a"))
    assert shape == EventShape(
        pa.schema([("time", pa.timestamp("us")), ("type", pa.string())]), ("time",), "type"
    )
