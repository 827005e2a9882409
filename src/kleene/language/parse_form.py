"""What encloses expressions in a form of its own: calls, CASE, CAST, elements, `[key]`.

The reader of the expressions inside is handed in, since it in turn reads these forms.
"""

from __future__ import annotations

from collections.abc import Callable

from kleene.errors import IndexUseError, QuerySyntaxError, shown
from kleene.language.cursor import MAX_NESTING, Cursor, too_deep
from kleene.language.expressions import (
    Call,
    Case,
    Cast,
    Expression,
    MatchCount,
    SameKey,
    Subscript,
)
from kleene.language.parse_reference import parse_path, parse_reference
from kleene.language.precedence import Precedence
from kleene.language.tokens import TokenKind

Reader = Callable[[Cursor, Precedence], Expression]


def parse_list(cursor: Cursor, what: str, read: Reader) -> tuple[Expression, ...]:
    """Expressions in parentheses, separated by commas."""
    opening = cursor.advance()
    if cursor.accept(")"):
        return ()
    items = [read(cursor, Precedence.OR)]
    while cursor.accept(","):
        items.append(read(cursor, Precedence.OR))
    hints: tuple[str, ...] = ()
    if cursor.previous.key == "DISTINCT":
        hints = ("there is no DISTINCT within calls",)
    elif cursor.at_name() or cursor.token.kind in (TokenKind.STRING, TokenKind.NUMBER):
        hints = ("is a comma missing?",)
    cursor.close(opening, f"a comma or ) in {what}", *hints)
    return tuple(items)


def parse_call(cursor: Cursor, read: Reader) -> Expression:
    """`length(a.name)`, `count(b[])`."""
    name = cursor.advance()
    if cursor.peek().key == "*" and cursor.peek(2).key == ")":
        if name.value.casefold() == "count":
            for _ in "(*)":
                cursor.advance()
            return MatchCount(cursor.since(name))
        raise IndexUseError(
            f"{shown(name.value)}(*) does not say of what",
            cursor.peek().span,
            "name the variable: count(b[]) is the number of its events",
        )
    arguments = parse_list(cursor, f"the arguments of {shown(name.value)}", read)
    return Call(name.value, arguments, cursor.since(name))


def parse_cast(cursor: Cursor, read: Reader) -> Expression:
    """`CAST(a.price AS decimal(10, 2))`."""
    start, opening = cursor.advance(), cursor.advance()
    operand = read(cursor, Precedence.OR)
    cursor.expect("AS", "between value and type", _CAST)
    word = cursor.token
    if word.kind is not TokenKind.WORD or not word.value.isascii():
        cursor.fail("the name of a type behind AS", _CAST)
    target = cursor.advance().value.lower()
    if cursor.at("("):
        target += f"({','.join(_bounds(cursor))})"
    cursor.close(opening, ") behind the type", _CAST)
    return Cast(operand, target, cursor.since(start))


_CAST = "as in CAST(a.price AS int)"


def _bounds(cursor: Cursor) -> list[str]:
    """The numbers of `decimal(10, 2)`."""
    opening = cursor.advance()
    bounds: list[str] = []
    while not bounds or cursor.accept(","):
        if not cursor.token.value.isdecimal() or cursor.token.kind is not TokenKind.NUMBER:
            cursor.fail("a whole number in the bounds of the type", "as in decimal(10, 2)")
        bounds.append(cursor.advance().value)
    cursor.close(opening, "a comma or ) behind the number", "as in decimal(10, 2)")
    return bounds


def parse_case(cursor: Cursor, read: Reader) -> Expression:
    """`CASE WHEN … THEN … ELSE … END`, `CASE subject WHEN …`."""
    start = cursor.advance()
    subject = None if cursor.at("WHEN") else read(cursor, Precedence.OR)
    if not cursor.at("WHEN"):
        cursor.fail("WHEN in CASE", _CASE)
    branches = []
    while cursor.accept("WHEN"):
        when = read(cursor, Precedence.OR)
        cursor.expect("THEN", "behind the condition of WHEN", _CASE)
        branches.append((when, read(cursor, Precedence.OR)))
    otherwise = read(cursor, Precedence.OR) if cursor.accept("ELSE") else None
    cursor.expect("END", "at the end of CASE", _CASE)
    return Case(subject, tuple(branches), otherwise, cursor.since(start))


_CASE = "as in CASE WHEN a.x > 1 THEN 'high' ELSE 'low' END"


def parse_element(cursor: Cursor, read: Reader) -> Expression:
    """A reference, and the element of it that an index picks: `a.tags[0]`."""
    start = cursor.token
    found: Expression = parse_reference(cursor)
    for _ in range(MAX_NESTING):
        if cursor.token.key != "[":
            return found
        opening = cursor.advance()
        index = read(cursor, Precedence.OR)
        cursor.close(opening, "an operator or ] behind the index", "as in a.tags[0]")
        found = Subscript(found, index, cursor.since(start))
        if cursor.token.key == "." and cursor.peek().kind is not TokenKind.END:
            raise QuerySyntaxError(
                "a field of an element cannot be reached",
                cursor.token.span,
                "make it a column of the events first",
            )
    raise too_deep(cursor.token.span)


def parse_same_key(cursor: Cursor) -> Expression:
    """`[user]`."""
    start = cursor.advance()
    path = parse_path(cursor, "a column between the brackets", frozenset(), "as in [user]")
    cursor.close(start, "] behind the column", "several keys are written [user] AND [item]")
    return SameKey(path, cursor.since(start))
