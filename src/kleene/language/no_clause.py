"""What stands where a clause goes on or the next one begins, and is neither: errors alone."""

from __future__ import annotations

from kleene.errors import DuplicateNameError, KleeneError, QuerySyntaxError, nearest
from kleene.language.cursor import Cursor
from kleene.language.parse_pattern import after_pattern
from kleene.language.tokens import TokenKind
from kleene.language.words import CLAUSES


def refuse_sql(cursor: Cursor) -> None:
    """A statement of SQL would otherwise be read as a pattern with odd names."""
    if cursor.at("SELECT", "WITH") and " FROM " in f" {' '.join(cursor.text.upper().split())} ":
        raise QuerySyntaxError(
            "this is a statement of SQL, not a query for a pattern",
            cursor.token.span,
            "a query begins with PATTERN: PATTERN SEQ(A a, B b) WHERE a.x = b.x WITHIN 1 hour",
        )


def no_clause(cursor: Cursor, before: str) -> KleeneError:
    """The error of what stands behind the clause `before`."""
    token = cursor.token
    if token.key == "PATTERN":
        return DuplicateNameError("PATTERN stands twice", token.span, "a query has one pattern")
    if before == "PATTERN" and (error := after_pattern(cursor)):
        return error
    hint = _hint(cursor, before) or f"the clauses are {', '.join(CLAUSES)}"
    return cursor.unexpected(_EXPECTED.get(before, "the next clause"), hint)


def _hint(cursor: Cursor, before: str) -> str | None:
    """What was probably meant."""
    token = cursor.token
    if token.key in _MEANT:
        return _MEANT[token.key]
    if cursor.previous.end == token.start and (adjacent := _adjacent(cursor, before)):
        return adjacent
    if cursor.at_name() and (close := nearest(token.value, CLAUSES)):
        return close[0]
    if before == "DEFINE" and cursor.peek().key == "AS":
        return "is a comma missing?"
    if before in ("DEFINE", "WHERE") and (token.kind is not TokenKind.SYMBOL or token.key == "("):
        return "is AND or another operator missing?"
    return None


def _adjacent(cursor: Cursor, before: str) -> str | None:
    """What was meant by a token that stands right behind the one before it."""
    token, previous = cursor.token, cursor.previous
    if previous.kind is TokenKind.STRING:
        return "a quote inside of a string is written twice: 'it''s'"
    if token.kind is TokenKind.STRING and previous.key == "X":
        return "a binary string has hexadecimal digits: X'0AFF'"
    if token.key == "..":
        return "an attribute stands behind one dot"
    if token.value.startswith("."):
        return "behind a dot stands a name, in backticks if it begins with a digit"
    if token.key == "," and before == "WITHIN":
        return "a number has a point, not a comma"
    return None


_EXPECTED = {
    "DEFINE": "an operator, a comma or the next clause",
    "WHERE": "an operator such as AND, or the next clause",
    "PARTITION": "a comma or the next clause",
    "RETURN": "an operator, a comma, AS or the next clause",
}
_MEANT = {
    **dict.fromkeys(
        ("GROUP", "ORDER", "LIMIT", "FROM", "JOIN"),
        "the matches come back as a frame: group, sort and limit them there",
    ),
    **dict.fromkeys(("FILTER", "HAVING", "ON", "IF", "WHEN"), "conditions stand behind WHERE"),
    **dict.fromkeys(("MEASURES", "SELECT", "OUTPUT"), "what is returned stands behind RETURN"),
    **dict.fromkeys(("WINDOW", "DURING"), "the longest time of a match stands behind WITHIN"),
    **dict.fromkeys(("ONE", "ALL"), "there is always one row for each match"),
    **dict.fromkeys(("REGEXP", "MATCHES", "SIMILAR"), "a regular expression stands behind RLIKE"),
    "SUBSET": "one event or another is written OR(A a, B b)",
    "ILIKE": "compare in one case: lower(a.x) LIKE 'b%'",
    "XOR": "one or the other is written a.x != b.x",
    "MOD": "the remainder is written a.x % 2",
    ")": "no parenthesis is open here",
    ":": "equality is written =",
    "#": "a comment begins with --",
}
