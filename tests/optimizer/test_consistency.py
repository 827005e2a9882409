"""Consistency classes against the definition, and by hand."""

from __future__ import annotations

from collections import Counter
from random import Random

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kleene.errors import KleeneError
from kleene.language.parser import parse
from kleene.language.printer import print_expression
from kleene.language.resolve import resolve
from kleene.language.schema import EventShape
from kleene.logical.algebra import LogicalQuery, variables_of
from kleene.logical.build import build
from kleene.optimizer.consistency import classify
from support.condition_texts import Maker
from support.generators import EVERYTHING, Sample, samples
from support.subsets import Drawn, ground
from support.typed_events import SCHEMA, rows

PATTERNS = (
    "SEQ(A a, A+ r[], A d)",
    "SEQ(A a, A* r[], A d)",
    "SEQ(A a, (A r, A? e)+, A d)",
    "SEQ(A a, (A? r, A e)+, A d)",
    "SEQ(A a, (A? a2, A+ r[])*, A d)",
)
RANGES = ("r[]", "r[..i]", "r[..i-1]")
PLACES = ("r[i].", "r[i].", "r[i-1].", "r[1].")
OWN = ("x >= 0", "y >= 0", "y BETWEEN -2 AND 3", "w IS NOT NULL", "h < 5", "l > 0 seconds", "n > 0")


def query_of(text: str, schema: pa.Schema = SCHEMA) -> LogicalQuery:
    return build(resolve(parse(text), EventShape(schema, ("t",), "kind")))


def drawn_query(random: Random) -> LogicalQuery | None:
    """A query with random conditions on the repetition `r`, if they make sense."""
    maker = Maker(random, "abbd", aggregates=True)
    pattern = random.choice(PATTERNS)
    form = random.choice(("{T}", "{T} AND {T}", "NOT ({T})", "{T} OR {T}", *LINEAR * 4))
    while "{" in form:
        head, _, rest = form.partition("{")
        name, _, tail = rest.partition("}")
        depth = random.choice((0, 1))
        form = (
            f"{head}{maker.make('truth', depth) if name == 'T' else drawn_part(random, name)}{tail}"
        )
    text = form
    for old, new in (("r[]", RANGES), ("b.", PLACES)):
        while old in text.replace("r[].", "r[.") if old == "b." else old in text:
            text = text.replace(old, random.choice(new).replace("r[]", "r[\0]"), 1)
    text = text.replace("\0", "")
    nested = pattern.endswith("A+ r[])*, A d)")
    if nested:
        text = text.replace("r[i].", "r[i][j].").replace("r[i-1].", "r[i][j-1].")
    own = random.sample(OWN, random.choice((0, 1, 2)))
    each = "r[i][j]" if nested else "r[i]"
    conditions = [text, *(f"{each}.{condition}" for condition in own)]
    try:
        return query_of(f"{pattern} WHERE {' AND '.join(f'({c})' for c in conditions)}")
    except KleeneError:
        return None


LINEAR = (
    "{g} {sign} {v}",
    "{g} {sign} {g}",
    "{g} {op} {g} {sign} {v}",
    "{g} {op} {v} {sign} {v}",
    "- {g} {sign} {v}",
    "{g} * {c} {sign} {v}",
    "{g} / {c} {sign} {g}",
    "{g} BETWEEN {v} AND {g}",
    "{g} IS NULL OR {g} {sign} {v}",
    "NOT ({g} {sign} {v}) AND {g} IS NOT NULL",
    "{g} IN ({v}, {v})",
)
"""Comparisons of aggregates, for these are what can be consistent and not."""


def drawn_part(random: Random, name: str) -> str:
    column = random.choice("xwnhyzpql")
    match name:
        case "g":
            return f"{random.choice(('max', 'min', 'sum', 'count', 'avg', 'last'))}(r[].{column})"
        case "v":
            return random.choice((f"a.{column}", f"b.{column}", "3", "0", "1.5", "100", "-1e0"))
        case "c":
            return random.choice(("2", "-2", "0.5e0", "a.x"))
        case "op":
            return random.choice("+-*")
        case _:
            return random.choice(("<", "<=", ">", ">=", "=", "!=", "<=>"))


def test_no_claim_is_wrong() -> None:
    """Random conditions on random bindings, at the edges of types, with nulls and NaN."""
    random = Random(11)  # noqa: S311 - no secret
    claimed: Counter[tuple[bool, bool]] = Counter()
    while claimed.total() < 350:
        query = drawn_query(random)
        if query is None:
            continue
        condition = query.conditions[0]
        found = classify(condition, query)
        drawn = Drawn(query, ground(query, rows()), random)
        if not (found.true or found.false) or not all(map(drawn.candidates, query.variables)):
            continue
        claimed[found.true, found.false] += 1
        for large, small in (pair for _ in range(8) for pair in drawn.verdicts(condition)):
            context = f"{query.resolved.source}\n{print_expression(condition)}\n{found}"
            assert not (found.true and large is True and small is not True), context
            assert not (found.false and large is not True and small is True), context
    assert min(claimed.values()) > 30, claimed


@given(samples(EVERYTHING), st.integers(0, 99))
def test_no_claim_is_wrong_of_any_query(sample: Sample, seed: int) -> None:
    """Conditions of random queries, in groups, under quantifiers and beside negations."""
    query, random = sample.logical, Random(seed)  # noqa: S311 - no secret
    drawn = Drawn(query, ground(query, sample.rows), random)
    assume(all(drawn.candidates(name) for name in variables_of(query.pattern)))
    for condition in query.conditions:
        found = classify(condition, query)
        if found.true or found.false:
            for large, small in drawn.verdicts(condition):
                assert not (found.true and large is True and small is not True), condition
                assert not (found.false and large is not True and small is True), condition


SURE = pa.schema(
    [
        pa.field("t", pa.int64()),
        pa.field("kind", pa.string()),
        pa.field("x", pa.float64(), nullable=False),
        pa.field("n", pa.int32(), nullable=False),
        pa.field("u", pa.uint16(), nullable=False),
        pa.field("big", pa.int64(), nullable=False),
        pa.field("maybe", pa.float64()),
        pa.field("ts", pa.timestamp("us"), nullable=False),
        pa.field("flag", pa.bool_(), nullable=False),
    ]
)
BOTH, TRUE, FALSE, NEITHER = (
    "true- and false-value consistent",
    "true-value consistent",
    "false-value consistent",
    "inconsistent",
)


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        # The four examples of the paper, 5.2.
        ("b[i].x > max(b[..i-1].x)", TRUE),
        ("c.x < max(b[].x)", FALSE),
        ("b[i].x > 5", BOTH),
        ("b[i].x > avg(b[1..i-1].x)", NEITHER),
        # Directions.
        ("b[i].x < min(b[..i-1].x)", TRUE),
        ("b[i].x < max(b[..i].x)", FALSE),
        ("c.x > min(b[].x)", FALSE),
        ("c.x < min(b[].x)", TRUE),
        ("max(b[].x) < min(d[].x)", TRUE),
        ("max(b[].x) > min(d[].x)", FALSE),
        ("max(b[].x) > max(d[].x)", NEITHER),
        ("count(b[]) < 5", TRUE),
        ("count(b[].maybe) >= 5", FALSE),
        ("count(b[]) = 5", NEITHER),
        ("count(b[]) BETWEEN 2 AND 5", NEITHER),
        # What may be the first is not asked then.
        ("b[i].x < max(b[..i-1].x)", NEITHER),
        ("b[i].x > b[i-1].x", NEITHER),
        ("b[1].x > 5", NEITHER),
        # Sums by the sign of their values.
        ("sum(b[].u) < 100", TRUE),
        ("sum(b[].u) > 100", FALSE),
        ("sum(b[].n) < 100", NEITHER),
        ("sum(b[].n) < 100 AND b[i].n >= 0", TRUE),
        ("sum(b[].n) > 100 AND b[i].n BETWEEN 0 AND 50", FALSE),
        ("sum(b[].n) > -100 AND b[i].n < 0", TRUE),
        ("sum(abs(b[].n)) > 100", FALSE),
        ("sum(b[].n * b[].n) < 100", TRUE),
        ("sum(b[].x) < 100 AND b[i].x > 0", TRUE),
        ("sum(b[].x - a.x) < 100", NEITHER),
        # A total of 64 bits overflows, and that of fewer elements does not.
        ("sum(b[].big) > 100 AND b[i].big >= 0", NEITHER),
        ("sum(b[].big) < 100 AND b[i].big >= 0", TRUE),
        ("sum(b[].big) > 100 AND b[i].big BETWEEN 0 AND 1000", FALSE),
        # Nulls: of some elements nothing but nulls may be left.
        ("max(b[].maybe) < 5", NEITHER),
        ("max(b[].maybe) < 5 AND b[i].maybe IS NOT NULL", TRUE),
        ("max(b[].maybe) < 5 AND b[i].maybe < 9", TRUE),
        ("max(b[].maybe) > 5", FALSE),
        ("max(e[].x) < 5", NEITHER),
        ("max(e[].x) > 5", FALSE),
        ("sum(coalesce(b[].maybe, 0)) < 5 AND b[i].maybe > 0", TRUE),
        # Arithmetic.
        ("max(b[].n) - min(b[].n) < 5", TRUE),
        ("max(b[].n) - min(b[].n) > 5", FALSE),
        ("max(b[].x) - min(b[].x) < 5", NEITHER),
        ("max(b[].x) - min(b[].x) < 5 AND b[i].x BETWEEN 0 AND 9", TRUE),
        ("a.x - max(b[].x) > 5", NEITHER),
        ("max(b[].x) + a.x < 5", NEITHER),
        ("max(b[].x) + 2 < 5", TRUE),
        ("max(b[].x) * 2 < 5", TRUE),
        ("max(b[].n) * -2 < 5", FALSE),
        ("- max(b[].n) < 5", FALSE),
        ("max(b[].n) / 2 < a.x", TRUE),
        ("max(b[].ts) - min(b[].ts) < 5 minutes", TRUE),
        ("c.ts - min(b[].ts) < 5 minutes", TRUE),
        # Connectives.
        ("NOT count(b[]) < 5", FALSE),
        ("(count(b[]) < 5 OR max(b[].x) < 3)", TRUE),
        ("(count(b[]) < 5 OR max(b[].x) > 3)", NEITHER),
        ("(count(b[]) > 5 OR b[i].x > 3)", FALSE),
        ("(b[i].flag OR b[i].x > a.x)", BOTH),
        ("NOT max(b[].flag)", TRUE),
        ("b[i].n IN (1, 2)", BOTH),
        ("CASE WHEN b[i].flag THEN b[i].x > a.x ELSE TRUE END", BOTH),
        ("last(b[..i].x) > 3", BOTH),
        ("last(b[].x) > 3", NEITHER),
        # Several repetitions, groups, and none.
        ("b[i].x > d[i].x", BOTH),
        ("b[i].x > max(d[].x)", TRUE),
        ("max(f[].x) < 5", TRUE),
        ("max(h[].x) < 5", NEITHER),
        ("max(g[i][].x) < f[i].x", TRUE),
        ("max(g[..i][].x) < f[i].x", TRUE),
        ("max(g[i-1][].x) < f[i].x", NEITHER),
        ("a.x > 5", BOTH),
    ],
)
def test_classes_by_hand(condition: str, found: str) -> None:
    pattern = "SEQ(A a, B+ b[], D+ d[], E* e[], (F f, G+ g[], H? h)+, C c)"
    query = query_of(f"{pattern} WHERE {condition}", SURE)
    assert str(classify(query.conditions[0], query)) == found


@pytest.mark.parametrize(
    ("condition", "reason"),
    [
        ("b[i].x > max(b[..i-1].x)", "the maximum of fewer elements is not greater"),
        (
            "c.maybe > max(b[].maybe)",
            "the maximum of fewer elements is not greater, but may be null",
        ),
        (
            "b[i].x < max(b[..i-1].x)",
            "the maximum of fewer elements is not greater; what comes first is not asked",
        ),
        (
            "sum(b[].n) < 3",
            "the sum of fewer elements may be greater or less, for some may be negative",
        ),
        ("b[i].x > avg(b[..i].x)", "the average of fewer elements may be anything"),
        (
            "b[i].x > b[i-1].x",
            "b[i-1] is another where fewer are selected",
        ),
        ("b[i].x > 5", "it asks about no other elements than those it is decided for"),
        ("a.x > 5", "it asks about no repetition"),
    ],
)
def test_reasons(condition: str, reason: str) -> None:
    query = query_of(f"SEQ(A a, B+ b[], C c) WHERE {condition}", SURE)
    assert classify(query.conditions[0], query).reason == reason
