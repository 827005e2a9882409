"""One event of a pattern: `T a`, `T+ b[]`, `ANY x`, `'page view' v`."""

from __future__ import annotations

from typing import NoReturn

from kleene.errors import IndexUseError, Span, shown
from kleene.language.cursor import Cursor
from kleene.language.parse_quantifier import QUANTIFIERS, parse_quantifier
from kleene.language.syntax import EventPattern, Name, Quantifier
from kleene.language.tokens import Token, TokenKind
from kleene.language.words import EXPRESSION_WORDS, PATTERN_WORDS, RESERVED

UNION_LETTER = "U"
"""The letter that the sign of union is often printed as."""

_LISTS = ("SEQ", "AND", "OR", "KL")
_BEGIN_PATTERNS = frozenset((*_LISTS, "ANY", "NOT"))


def parse_event(cursor: Cursor, *, within_kl: bool = False) -> EventPattern:
    """A type with its quantifier and variable; inside of KL the brackets need no quantifier."""
    start = cursor.token
    kind = _type(cursor)
    type_text = cursor.text[start.start : cursor.previous.end]
    quantifier = parse_quantifier(cursor)
    if quantifier is None and cursor.at("["):
        _brackets_without_variable(cursor, type_text)
    if cursor.at("AS"):
        cursor.fail("a variable", f"it stands right behind the type: {shown(type_text)} a")
    if not _variable_stands_here(cursor):
        return EventPattern(kind, None, quantifier, cursor.since(start))
    hints = [f"as in {shown(type_text)} a"]
    if cursor.at(*EXPRESSION_WORDS - RESERVED):
        written = cursor.text[cursor.token.start : cursor.token.end]
        hints.append(f"if {written} is a name here, write it in backticks: `{written}`")
    variable = cursor.name("a variable", EXPRESSION_WORDS, *hints)
    brackets = _brackets(cursor, variable)
    _check_array(cursor, type_text, variable, quantifier, brackets, within_kl=within_kl)
    return EventPattern(kind, variable, quantifier, cursor.since(start))


def event_stands_here(cursor: Cursor) -> bool:
    """Whether an event begins here, and nothing composed."""
    if cursor.token.kind is TokenKind.STRING:
        return True
    return cursor.at_name() and cursor.token.key not in PATTERN_WORDS - {"ANY"}


def union_stands_here(cursor: Cursor) -> bool:
    """UNION, or the letter that is printed for it: `A U B` is a union of two events."""
    return cursor.at("UNION") or (_letter_stands_here(cursor) and _pattern_follows(cursor.peek()))


def _letter_stands_here(cursor: Cursor) -> bool:
    return cursor.token.kind is TokenKind.WORD and cursor.token.value == UNION_LETTER


def _pattern_follows(behind: Token) -> bool:
    if behind.kind in (TokenKind.QUOTED, TokenKind.STRING) or behind.key in ("(", "!", "~"):
        return True
    if behind.kind is TokenKind.WORD:
        return behind.key in _BEGIN_PATTERNS or behind.key not in PATTERN_WORDS
    return False


def _variable_stands_here(cursor: Cursor) -> bool:
    if cursor.token.kind is TokenKind.QUOTED:
        return True
    if cursor.token.kind is not TokenKind.WORD or cursor.token.key in PATTERN_WORDS:
        return False
    return not union_stands_here(cursor)


def _type(cursor: Cursor) -> Name | None:
    """The type of an event; None for ANY."""
    token = cursor.token
    if cursor.accept("ANY"):
        return None
    if token.kind is TokenKind.STRING:
        cursor.advance()
        return Name(token.value, token.span)
    if cursor.accept(*_LISTS):
        inside = "B b" if token.key == "KL" else "A a, B b"
        written = cursor.text[token.start : token.end]
        as_name = (f"as a name it stands in backticks: `{written}`",) * (written != token.key)
        cursor.fail(f"( behind {token.key}", f"as in {token.key}({inside})", *as_name)
    if not cursor.at_name():
        cursor.fail("a pattern", _no_type(cursor))
    return cursor.name("a type of event", PATTERN_WORDS, "as in A a")


def _no_type(cursor: Cursor) -> str:
    if cursor.at(*QUANTIFIERS):
        return "how many events is said behind the type: A+ a[]"
    if cursor.token.kind is TokenKind.NUMBER:
        return "a name that begins with a digit stands in backticks"
    if cursor.at("-", "^"):
        return "that there is no event is written with !, as in SEQ(A a, !B b, C c)"
    if cursor.previous.key == ",":
        return "is there a comma too many?"
    return "a pattern is an event such as A a, or SEQ, AND, OR of patterns"


def _brackets_without_variable(cursor: Cursor, type_text: str) -> NoReturn:
    """`B[] b`: brackets belong to a variable."""
    if cursor.peek().key != "]" and cursor.peek().kind is not TokenKind.NUMBER:
        cursor.fail("a variable behind the type", _CONDITION)
    cursor.fail(
        "a variable behind the type",
        f"many events are written {shown(type_text)}+ b[], with the brackets behind the variable",
    )


def _brackets(cursor: Cursor, variable: Name) -> Span | None:
    """`[]` behind a variable that is being declared."""
    opening = cursor.accept("[")
    if opening is None:
        return None
    name = shown(variable.text)
    empty = f"a variable is declared with empty brackets: {name}[]"
    compared = cursor.at_name() and cursor.peek().key != "]"
    cursor.close(opening, f"] behind {name}[", _CONDITION if compared else empty)
    return cursor.since(opening)


_CONDITION = "conditions on an event stand behind a colon: (A a : a.x > 1), or in WHERE"


def _if_type(name: str) -> str:
    return f"if {name} is a type, a comma stands before it"


def _written(cursor: Cursor, quantifier: Quantifier) -> str:
    return cursor.text[quantifier.span.start : quantifier.span.end]


def _check_array(  # noqa: PLR0913 - all that brackets have to agree with
    cursor: Cursor,
    type_text: str,
    variable: Name,
    quantifier: Quantifier | None,
    brackets: Span | None,
    *,
    within_kl: bool,
) -> None:
    """Brackets say that a variable is an array: behind `+ * {n,m}`, and only there."""
    kind, name = shown(type_text), shown(variable.text)
    if cursor.at(*QUANTIFIERS):
        sign = cursor.token
        parse_quantifier(cursor)
        sign_text = cursor.text[sign.start : cursor.previous.end]
        array = "" if sign.key == "?" else "[]"
        raise IndexUseError(
            f"{sign_text} stands behind the type, not behind the variable",
            sign.span,
            f"write {kind}{sign_text} {name}{array}",
            *([_if_type(name)] if brackets is None else []),
        )
    if brackets is None and quantifier is not None and not quantifier.optional:
        raise IndexUseError(
            f"{name} stands for many events, so it is declared with brackets",
            variable.span,
            f"write {kind}{_written(cursor, quantifier)} {name}[]",
            _if_type(name),
        )
    if brackets is None or within_kl:
        return
    if quantifier is None:
        raise IndexUseError(
            f"the brackets say that {name} stands for many events, but {kind} is only one",
            brackets,
            f"write {kind}+ {name}[] for one or more, or {kind} {name} for one",
        )
    if quantifier.optional:
        raise IndexUseError(
            f"the brackets say that {name} stands for many events, but ? allows only one",
            brackets,
            f"write {kind}? {name}, or {kind}{{0,1}} {name}[]",
        )
