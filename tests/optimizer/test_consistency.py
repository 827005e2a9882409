"""Consistency classes against the definition, and by hand."""

from __future__ import annotations

from collections import Counter
from random import Random

import pyarrow as pa
import pytest

from kleene.errors import KleeneError
from kleene.language.parser import parse
from kleene.language.printer import print_expression
from kleene.language.resolve import resolve
from kleene.language.schema import EventShape
from kleene.logical.algebra import LogicalQuery
from kleene.logical.build import build
from kleene.optimizer.consistency import classify
from support.condition_texts import Maker
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
    while claimed.total() < 600:
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
    assert min(claimed.values()) > 50, claimed
