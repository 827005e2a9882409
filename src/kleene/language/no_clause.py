"""What stands where a clause goes on or the next one begins, and is neither: errors alone."""

from __future__ import annotations

from kleene.errors import DuplicateNameError, KleeneError, QuerySyntaxError, nearest
from kleene.language.cursor import Cursor
from kleene.language.parse_pattern import IN_ORDER, after_pattern
from kleene.language.tokens import TokenKind
from kleene.language.words import CLAUSES, PATTERN_WORDS


def refuse_sql(cursor: Cursor) -> None:
    """A statement of SQL would otherwise be read as a pattern with odd names."""
    if cursor.at("SELECT", "WITH") and " FROM " in f" {' '.join(cursor.text.upper().split())} ":
        raise QuerySyntaxError(
            "this is a statement of SQL, not a query for a pattern",
            cursor.token.span,
            "a query begins with PATTERN: PATTERN SEQ(A a, B b) WHERE a.x = b.x WITHIN 1 hour",
        )


def refuse_other_beginnings(cursor: Cursor) -> None:
    """`FIND SEQ(…)` would otherwise be read as an event and a clause."""
    first = cursor.token
    if (
        first.kind is TokenKind.WORD
        and first.key not in PATTERN_WORDS
        and cursor.peek().key == "SEQ"
    ):
        hints = nearest(first.value, ("PATTERN",)) or ("a query begins with PATTERN, or with SEQ",)
        raise cursor.unexpected("a pattern", *hints)


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
    if before == "WHERE" and token.key == "[":
        return "several keys are written [user] AND [item]"
    if cursor.previous.end == token.start and (adjacent := _adjacent(cursor, before)):
        return adjacent
    if before == "WITHIN" and (rest := _behind_length(cursor)):
        return rest
    if cursor.at_name() and (close := nearest(token.value, CLAUSES, _ALIKE)):
        return close[0]
    if before == "PATTERN" and cursor.at_name():
        return IN_ORDER
    if before == "DEFINE" and cursor.peek().key == "AS":
        return "is a comma missing?"
    if before == "PARTITION" and (cursor.at("AND") or cursor.at_name()):
        return "a comma stands between columns: PARTITION BY user, item"
    if before == "RETURN" and cursor.at_name():
        return "a comma stands between what is returned: RETURN a.x AS first, b.y AS second"
    if before in ("DEFINE", "WHERE") and (token.kind is not TokenKind.SYMBOL or token.key == "("):
        words = cursor.previous.kind is token.kind is TokenKind.WORD
        names = words and cursor.peek().key != "." and not cursor.newline_before()
        blanks = "? a name with blanks in it stands in backticks"
        return f"is AND or another operator missing{blanks if names else '?'}"
    return None


def _behind_length(cursor: Cursor) -> str | None:
    """What was meant by something that stands behind the number or the unit of a window."""
    if cursor.at("AND", "OR") and cursor.peek().kind is not TokenKind.NUMBER:
        return "conditions stand all together behind WHERE"
    if cursor.at("AND", "/", "-", ":", "*", "+", ","):
        return "a length is numbers and units, as in WITHIN 30 minutes or WITHIN 1 hour 30 minutes"
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
    if token.key == "." and previous.key == ")":
        return "attributes are named inside of a call, as in last(b[].price)"
    if token.value.startswith("."):
        return "behind a dot stands a name, in backticks if it begins with a digit"
    if token.key == "," and before == "WITHIN":
        return "a number has a point, not a comma"
    return None


_ALIKE = 0.7
_EXPECTED = {
    "DEFINE": "an operator, a comma or the next clause",
    "WHERE": "an operator such as AND, or the next clause",
    "PARTITION": "a comma or the next clause",
    "RETURN": "an operator, a comma, AS or the next clause",
}
_MEANT = {
    **dict.fromkeys(
        ("ORDER", "LIMIT", "FROM", "JOIN"),
        "the matches come back as a frame: group, sort and limit them there",
    ),
    "GROUP": "GROUP BY stands behind what is returned: RETURN a.x, count(*) GROUP BY a.x",
    "HAVING": "HAVING stands behind GROUP BY; conditions on events stand behind WHERE",
    **dict.fromkeys(("FILTER", "ON", "IF", "WHEN"), "conditions stand behind WHERE"),
    **dict.fromkeys(("MEASURES", "SELECT", "OUTPUT"), "what is returned stands behind RETURN"),
    **dict.fromkeys(("WINDOW", "DURING"), "the longest time of a match stands behind WITHIN"),
    **dict.fromkeys(("ONE", "ALL"), "there is always one row for each match"),
    **dict.fromkeys(("REGEXP", "MATCHES", "SIMILAR"), "a regular expression stands behind RLIKE"),
    "SKIP": "as in AFTER MATCH SKIP PAST LAST EVENT",
    "SUBSET": "one event or another is written OR(A a, B b)",
    "ILIKE": "compare in one case: lower(a.x) LIKE 'b%'",
    "XOR": "one or the other is written a.x != b.x",
    "MOD": "the remainder is written a.x % 2",
    **dict.fromkeys(("EQUALS", "EQ"), "equality is written ="),
    **dict.fromkeys(("CONTAINS", "HAS"), "contains(a.x, 'b') looks for a part of a string"),
    **dict.fromkeys(("STARTS", "STARTSWITH"), "as in a.x LIKE 'b%', or startswith(a.x, 'b')"),
    **dict.fromkeys(("ENDS", "ENDSWITH"), "as in a.x LIKE '%b', or endswith(a.x, 'b')"),
    "BEFORE": "moments are compared with <, and events that follow each other stand in SEQ",
    ")": "no parenthesis is open here",
    ";": "; ends a query, and a call has one",
    ":": "equality is written =",
    "#": "a comment begins with --",
}
