"""The PATTERN clause."""

from __future__ import annotations

from dataclasses import replace

from kleene.errors import KleeneError
from kleene.language.cursor import Cursor
from kleene.language.expressions import Expression
from kleene.language.parse_event import (
    event_stands_here,
    parse_event,
    union_stands_here,
)
from kleene.language.parse_expression import parse_expression
from kleene.language.parse_quantifier import QUANTIFIERS, parse_quantifier
from kleene.language.syntax import (
    And,
    Conditioned,
    EventPattern,
    Exists,
    Not,
    Or,
    Pattern,
    Quantifier,
    Repeat,
    Seq,
)
from kleene.language.tokens import Token, TokenKind
from kleene.language.words import EXPRESSION_WORDS

_NEGATIONS = ("!", "~", "NOT")
_LISTS: dict[str, type[Seq | And | Or]] = {"SEQ": Seq, "AND": And, "OR": Or}


def parse_pattern(cursor: Cursor) -> Pattern:
    """A pattern, with unions (`p UNION q`, paper 1's sign) between its parts."""
    cursor.enter()
    start = cursor.token
    found = _with_unions(cursor, start, _item(cursor))
    cursor.leave()
    return found


def _with_unions(cursor: Cursor, start: Token, first: Pattern) -> Pattern:
    parts = [first]
    while union_stands_here(cursor):
        cursor.advance()
        parts.append(_item(cursor))
    return first if len(parts) == 1 else Or(tuple(parts), cursor.since(start))


def _item(cursor: Cursor) -> Pattern:
    """A pattern with what stands before it (negation, EXISTS) or behind it (a quantifier)."""
    start = cursor.token
    if start.key in _NEGATIONS:
        return _not(cursor)
    if start.key == "EXISTS":
        return _exists(cursor)
    if start.key == "(":
        body = _parenthesised(cursor)
    elif start.key in _LISTS and cursor.peek().key == "(":
        body = _list(cursor)
    elif start.key == "KL" and cursor.peek().key == "(":
        body = _kl(cursor)
    else:
        return parse_event(cursor)
    quantifier = parse_quantifier(cursor)
    return body if quantifier is None else Repeat(body, quantifier, cursor.since(start))


def _not(cursor: Cursor) -> Pattern:
    start = cursor.advance()
    cursor.enter()
    body = _item(cursor)
    cursor.leave()
    return Not(body, cursor.since(start))


def _exists(cursor: Cursor) -> Pattern:
    before = cursor.previous
    start = cursor.advance()
    variables = [cursor.name("a variable to hide", EXPRESSION_WORDS, _EXISTS)]
    while cursor.accept(","):
        variables.append(cursor.name("a variable to hide", EXPRESSION_WORDS, _EXISTS))
    if not cursor.accept(":"):
        hint = "its brackets are left out here" if cursor.at("[") else _EXISTS
        negated = ("that there is no event is written !B b",) * (before.key in _NEGATIONS)
        cursor.fail("a comma or a colon behind the variable of EXISTS", *negated, hint)
    cursor.enter()
    body = _item(cursor)
    cursor.leave()
    return Exists(tuple(variables), body, cursor.since(start))


def _list(cursor: Cursor) -> Pattern:
    """`SEQ(p1, …, pn)`; conditions may stand at its end, behind a semicolon, as in paper 3."""
    start, opening = cursor.advance(), cursor.advance()
    if cursor.at(")"):
        cursor.fail(f"a pattern in {start.key}", f"as in {start.key}(A a, B b)")
    parts = [parse_pattern(cursor)]
    conditions: tuple[Expression, ...] = ()
    while separator := cursor.accept(",", ";"):
        if separator.key == ";" and (cursor.at("[") or cursor.peek().key in (".", "[")):
            conditions = _conditions(cursor)
            break
        parts.append(parse_pattern(cursor))
    _close(cursor, opening, start.key, closed_by_condition=bool(conditions))
    body = _LISTS[start.key](tuple(parts), cursor.since(start))
    return Conditioned(body, conditions, cursor.since(start)) if conditions else body


def _parenthesised(cursor: Cursor) -> Pattern:
    """`(p)`, `(p : c1, c2)`, or `(p1, p2)`, which is a SEQ."""
    opening = cursor.open_parenthesis()
    parts = [parse_pattern(cursor)]
    while cursor.accept(",", ";"):
        parts.append(parse_pattern(cursor))
    body = parts[0] if len(parts) == 1 else Seq(tuple(parts), cursor.since(opening))
    conditions = _conditions(cursor) if cursor.accept(":") else ()
    _close(cursor, opening, "the parentheses", closed_by_condition=bool(conditions))
    cursor.leave_parenthesis()
    return Conditioned(body, conditions, cursor.since(opening)) if conditions else body


def _conditions(cursor: Cursor) -> tuple[Expression, ...]:
    """Conditions separated by commas, the last of which may be followed by one."""
    conditions = [parse_expression(cursor)]
    while cursor.accept(",") and not cursor.at(")"):
        conditions.append(parse_expression(cursor))
    return tuple(conditions)


def _kl(cursor: Cursor) -> Pattern:
    """`KL(B b)` is `B+ b[]`, and `KL(p)` is `p+`."""
    start, opening = cursor.advance(), cursor.advance()
    once_or_more = Quantifier(1, None, span=start.span)
    cursor.enter()
    first = cursor.token
    is_event = event_stands_here(cursor)
    item = parse_event(cursor, within_kl=True) if is_event else _item(cursor)
    body = _with_unions(cursor, first, item)
    cursor.leave()
    _close(cursor, opening, "KL")
    if isinstance(body, EventPattern) and body.quantifier is None:
        return replace(body, quantifier=once_or_more, span=cursor.since(start))
    return Repeat(body, once_or_more, cursor.since(start))


def _close(cursor: Cursor, opening: Token, what: str, *, closed_by_condition: bool = False) -> None:
    """Read the closing parenthesis of a list of patterns, or say what could go on here."""
    if closed_by_condition:
        hint = "conditions are joined with AND or a comma, and ) ends them"
        cursor.close(opening, "an operator, a comma or ) behind the condition", hint)
    elif what == "KL":
        hint = "KL takes one pattern: KL(SEQ(A a, B b))"
        cursor.close(opening, ") to close KL", hint)
    else:
        cursor.close(opening, f"a comma or ) in {what}", *_list_hint(cursor))


def _list_hint(cursor: Cursor) -> tuple[str, ...]:
    """What is often written where a list of patterns could go on."""
    token = cursor.token
    if cursor.peek().key in (",", ")") and token.key in EXPRESSION_WORDS:
        written = cursor.text[token.start : token.end]
        return (f"if {written} is a name here, write it in backticks: `{written}`",)
    if token.key == ":" and cursor.peek(2).key in (",", ")"):
        return ("the type stands before its variable, without a colon: Search s",)
    if token.key in _INSTEAD and not (token.key in _LISTS and cursor.peek().key == "("):
        return (_INSTEAD[token.key],)
    if token.key == "[" and cursor.previous.key in (*QUANTIFIERS, "}"):
        return ("brackets stand behind a variable, as in B+ b[]; both may be left out",)
    if token.kind is TokenKind.NUMBER:
        return ("a name that begins with a digit stands in backticks",)
    if cursor.at_name() and cursor.previous.key in (*QUANTIFIERS, "}"):
        return ("a repeated group has no variable: those inside of it become arrays",)
    if cursor.at_name() or token.kind is TokenKind.STRING:
        return ("is a comma missing? a name with blanks in it stands in backticks",)
    return ()


def after_pattern(cursor: Cursor) -> KleeneError | None:
    """The error of a pattern that seems to go on where it is over."""
    token = cursor.token
    hint = _INSTEAD.get(token.key)
    if token.key == ")":
        hint = "no parenthesis is open here"
    if token.key == ",":
        hint = "several patterns in order are written SEQ(A a, B b)"
    if token.key == "IN":
        hint = "the longest time of a match stands behind WITHIN"
    if token.key == ";" and cursor.peek().key in ("SEQ", "PATTERN"):
        hint = "; ends a query, and a call has one"
    return None if hint is None else cursor.unexpected("the end of the pattern", hint)


_EXISTS = "as in EXISTS c : SEQ(A a, C c)"
IN_ORDER = "one event after the other is written SEQ(A a, B b)"
_INSTEAD = {
    ":": "an event with conditions stands in parentheses: (A a : a.x > 1)",
    **dict.fromkeys(("->", "=>", ">", ";", "THEN", "FOLLOWED", "BY", "BEFORE"), IN_ORDER),
    **dict.fromkeys(("|", "||"), "one event or the other is written OR(A a, B b)"),
    **dict.fromkeys(("&", "&&"), "both events, in any order, are written AND(A a, B b)"),
    "OR": "one event or the other is written OR(A a, B b)",
    "AND": "both events, in any order, are written AND(A a, B b)",
    "(": "only SEQ, AND, OR and KL have parentheses behind them",
    ".": "conditions stand behind WHERE, and names with a dot in them in backticks",
    **dict.fromkeys(("-", "/", "@", "$"), "a name with such signs stands in backticks: `a-b`"),
    "#": "a comment begins with --",
    **dict.fromkeys(QUANTIFIERS, "how many events is said behind the type: A+ a[]"),
}
"""What to write in place of a sign that does not go on with a pattern."""
