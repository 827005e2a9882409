"""Conditions as generated code mean what `logical.values.evaluate` says."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from kleene.errors import TypeMismatchError
from kleene.language.printer import print_expression
from support.condition_texts import Maker
from support.written import Written, check, compiled, conditions, write


def drawn(random: Random, events: str = "abbd", *, aggregates: bool = False) -> Iterator[Written]:
    """Random conditions, written."""
    maker = Maker(random, events, aggregates=aggregates)
    while True:
        try:
            found = conditions(maker.make("truth", 3))
        except TypeMismatchError:
            continue
        yield from map(write, found)


@pytest.mark.parametrize(("events", "aggregates"), [("abbd", False), ("abbd", True), ("a", False)])
def test_random_conditions(events: str, aggregates: bool) -> None:  # noqa: FBT001
    """Conditions on one event alone are columns, so it is their columns that are tested."""
    random = Random(2 + aggregates)  # noqa: S311 - no secret
    compared = asked = 0
    for written in drawn(random, events, aggregates=aggregates):
        asked += bool(written.columns.questions)
        compared += check(written, written.function(), written.lists(), random, 8)
        if compared >= 3_000:
            break
    assert asked < compared / 8 / 4, "too much is asked to have tested what is computed"


DECIMAL_FORMS = (
    "{decimal} {sign} {decimal}",
    "{decimal} {sign} {number}",
    "{decimal} BETWEEN {decimal} AND {number}",
    "{decimal} IN ({number}, {decimal})",
    "CASE {decimal} WHEN {decimal} THEN {truth} ELSE {f} END",
    "({decimal} + {p}) / {p} {sign} {floating}",
    "CAST(if({truth}, 3.0, {p}) AS decimal(9, 1)) {sign} {h}",
)


def test_random_decimals() -> None:
    random = Random(11)  # noqa: S311 - no secret
    maker = Maker(random, "abbd", aggregates=True)
    found = 0
    while found < 300:
        text = maker.filled(random.choice(DECIMAL_FORMS), 2)
        try:
            made = conditions(text)
        except TypeMismatchError:
            continue
        for written in map(write, made):
            found += 1
            check(written, written.function(), written.lists(), random, 8)


def test_compiled_conditions() -> None:
    random = Random(5)  # noqa: S311 - no secret
    count = 0
    for written in drawn(random, aggregates=True):
        if written.columns.questions or not 400 < len(written.source) < 1_000:
            continue
        check(written, compiled(written.function()), written.arrays(), random, 50)
        count += 1
        if count == 10:
            break


TEXTS = {
    "a.x = b.x": "(c0[r_a] == c0[r_b] and m0[r_a] == 0 and m0[r_b] == 0)",
    "a.n < b.n": "c0[r_a] < c0[r_b]",
    "a.y > b.y": "(float_less(c0[r_b], c0[r_a]) and m0[r_a] == 0 and m0[r_b] == 0)",
    "a.y > 1 AND a.s = 'p'": "(c0[r_a] != 0 and m0[r_a] == 0)",
    "a.n = b.n OR a.x IS NULL": "(c0[r_a] == c0[r_b] or c1[r_a] != 0)",
    "a.n = b.n OR NULL": "c0[r_a] == c0[r_b]",
    "NOT (a.n = b.n AND a.n < b.n)": "(c0[r_a] != c0[r_b] or c0[r_a] >= c0[r_b])",
    "a.n + b.n > 2.5": "(add(c0[r_a], c0[r_b]) > 2 and (not add_overflows(c0[r_a], c0[r_b])))",
    "if(a.n < b.n, 'x', '\"') = b.s": (
        "((lit[0] if c0[r_a] < c0[r_b] else lit[1]) == c1[r_b] and m1[r_b] == 0)"
    ),
    "coalesce(a.x, b.n) = 1": "(c0[r_a] if m0[r_a] == 0 else c1[r_b]) == 1",
    "b.p > a.p * 1.05": "((c0[r_b] * 100) > c1[r_a] and m0[r_b] == 0 and m1[r_a] == 0)",
    "a.p + b.p > 3": ("((c0[r_a] + c0[r_b]) > (3 * 100) and (not (m0[r_a] != 0 or m0[r_b] != 0)))"),
    "a.p * 0.95 < b.w": "(c0[r_a] < c1[r_b] and m0[r_a] == 0 and m1[r_b] == 0)",
    "a IS NOT NULL OR a.x = b.x": "True",
}


@pytest.mark.parametrize("condition", TEXTS)
def test_text(condition: str) -> None:
    (found, *_) = (write(c).source for c in conditions(condition))
    truth = found.rpartition("return ")[2]
    assert truth.startswith(TEXTS[condition] + ", ")


ASKED = {
    "a.s || b.s = 'x'": "|| is not compiled for what it makes",
    "a.s LIKE b.s": "LIKE compares strings",
    "lower(a.s || b.s) = 'x'": "lower is not compiled",
    "power(a.y, b.y) > 1": "power is not compiled",
    "a.h + b.x > 1": "beyond 64 bits",
    "coalesce(a.m, b.o) + (a.l - b.l) = b.m": "of one zone or another",
    "a.v[b.w] = 1": "chosen by another event",
    "CAST(a.x - b.x AS string) = 'x'": "is cast to string",
}


@pytest.mark.parametrize("condition", ASKED)
def test_asked(condition: str) -> None:
    (found,) = conditions(condition)
    (question,) = write(found).columns.questions
    assert ASKED[condition] in question.reason


def test_what_is_written_again_and_again_is_asked() -> None:
    text = "a.x"
    for _ in range(30):
        text = f"nullif({text}, b.x)"
    (found,) = conditions(f"{text} = 1")
    (question,) = write(found).columns.questions
    assert "too large" in question.reason


def test_only_what_is_not_computed_is_asked() -> None:
    (found,) = conditions("a.x = b.x OR a.s LIKE b.s AND a.y < b.y")
    written = write(found)
    (question,) = written.columns.questions
    assert print_expression(question.condition) == "a.s LIKE b.s"
    assert "ask(asking, 0, (r_a, r_b,)) == 1" in written.source


def test_nothing_of_a_user_is_in_the_text() -> None:
    (found,) = conditions("""if(a.n < b.n, 'import os; "``', 'x') = b.`no " name`""")
    source = write(found).source
    assert "import" not in source
    assert not set("`'\"\\;") & set(source)
