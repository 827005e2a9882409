"""Tests behind a value: IS NULL, IN, BETWEEN, LIKE and RLIKE."""

from __future__ import annotations

from kleene.language.cursor import Cursor
from kleene.language.expressions import (
    Call,
    Comparison,
    Expression,
    Inversion,
    Like,
    Membership,
    NullTest,
    Range,
)
from kleene.language.parse_form import Reader, parse_list
from kleene.language.precedence import Precedence
from kleene.language.tokens import Token, TokenKind

_MEANT = {
    "NAN": "isnan(a.x) says whether a number is NaN",
    **dict.fromkeys(("NONE", "NIL", "EMPTY"), "what has no value is found by IS NULL"),
}


def parse_is(cursor: Cursor, start: Token, left: Expression, read: Reader) -> Expression:
    """`left IS [NOT] NULL`, `left IS [NOT] DISTINCT FROM right`."""
    cursor.advance()
    negated = cursor.accept("NOT") is not None
    if cursor.accept("NULL"):
        return NullTest(left, negated, cursor.since(start))
    if not cursor.accept("DISTINCT"):
        equal = "values are compared with =, as in a.ok = TRUE"
        cursor.fail("NULL or NOT NULL behind IS", _MEANT.get(cursor.token.key, equal))
    cursor.expect("FROM", "behind IS DISTINCT", "as in a.x IS DISTINCT FROM b.x")
    right = read(cursor, Precedence.ADDITIVE)
    same = Comparison((left, right), ("<=>",), cursor.since(start))
    return same if negated else Inversion(same, cursor.since(start))


def parse_test(cursor: Cursor, start: Token, left: Expression, read: Reader) -> Expression:
    """`left [NOT] IN (…)`, and the same with BETWEEN, LIKE and RLIKE."""
    negated = cursor.accept("NOT") is not None
    match cursor.token.key:
        case "IN":
            items = _items(cursor, read)
            return Membership(left, items, negated, cursor.since(start))
        case "BETWEEN":
            cursor.advance()
            low = read(cursor, Precedence.ADDITIVE)
            cursor.expect("AND", "between the bounds of BETWEEN", "as in x BETWEEN 1 AND 5")
            high = read(cursor, Precedence.ADDITIVE)
            return Range(left, low, high, negated, cursor.since(start))
        case "LIKE":
            cursor.advance()
            pattern = read(cursor, Precedence.ADDITIVE)
            escape = _escape(cursor) if cursor.accept("ESCAPE") else "\\"
            return Like(left, pattern, escape, negated, cursor.since(start))
        case "RLIKE":
            cursor.advance()
            right = read(cursor, Precedence.ADDITIVE)
            call = Call("rlike", (left, right), cursor.since(start))
            return Inversion(call, cursor.since(start)) if negated else call
        case _:
            cursor.fail(
                "IN, BETWEEN, LIKE or RLIKE behind NOT",
                "NOT otherwise stands before what it applies to: NOT a.x = 1",
            )


def _items(cursor: Cursor, read: Reader) -> tuple[Expression, ...]:
    cursor.advance()
    if not cursor.at("("):
        within = "array_contains(a.xs, 1) looks in an array, contains(a.x, 'b') in a string"
        of_values = "a list of values stands in parentheses: x IN (1, 2)"
        cursor.fail("( behind IN", within if cursor.at_name() else of_values)
    if cursor.peek().key == ")":
        cursor.advance()
        cursor.fail("a value in the list of IN", "as in x IN (1, 2)")
    if cursor.peek().key == "SELECT":
        cursor.advance()
        cursor.fail("values in the list of IN", "there are no subqueries: write the values out")
    return parse_list(cursor, "the values of IN", read)


def _escape(cursor: Cursor) -> str:
    if cursor.token.kind is not TokenKind.STRING or len(cursor.token.value) != 1:
        cursor.fail("one character in quotes behind ESCAPE", "as in a.x LIKE '10!%' ESCAPE '!'")
    return cursor.advance().value
