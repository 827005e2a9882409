"""The clauses behind the pattern, each from behind its keyword."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import TypeVar

from kleene.errors import DuplicateNameError, QuerySyntaxError, WindowError, nearest, shown
from kleene.language.cursor import Cursor
from kleene.language.expressions import Duration, Expression
from kleene.language.parse_expression import parse_expression
from kleene.language.parse_literal import parse_interval, parse_number
from kleene.language.parse_reference import parse_path
from kleene.language.syntax import (
    Column,
    Confidence,
    Definition,
    Name,
    ReturnItem,
    Window,
)
from kleene.language.tokens import TokenKind
from kleene.language.traversal import flattened
from kleene.language.words import CLAUSES, EXPRESSION_WORDS, PATTERN_WORDS

_CLAUSE_WORDS = frozenset(CLAUSES)
_WINDOWS = "as in WITHIN 10 minutes"
_T = TypeVar("_T")


def _separated(cursor: Cursor, read: Callable[[Cursor], _T]) -> list[_T]:
    """Items with commas between them; a comma may end the query."""
    found = [read(cursor)]
    while cursor.accept(",") and not cursor.at_end():
        found.append(read(cursor))
    return found


def parse_definitions(cursor: Cursor) -> tuple[Definition, ...]:
    """`Big AS amount > 1000, Small AS amount < 10`."""
    found = _separated(cursor, _definition)
    known: set[str] = set()
    for definition in found:
        if definition.name.text in known:
            raise DuplicateNameError(
                f"{shown(definition.name.text)} is defined twice",
                definition.name.span,
                "two conditions for one type are joined with AND, or with OR",
            )
        known.add(definition.name.text)
    return tuple(found)


def _definition(cursor: Cursor) -> Definition:
    start = cursor.token
    if start.kind is TokenKind.STRING:
        name = Name(cursor.advance().value, start.span)
    else:
        name = cursor.name("a type to define", PATTERN_WORDS)
    cursor.expect("AS", "behind the type", "as in DEFINE Big AS amount > 1000")
    condition = parse_expression(cursor)
    return Definition(name, condition, cursor.since(start))


def parse_conditions(cursor: Cursor) -> list[Expression]:
    """The conjuncts of WHERE: between them stands AND, or a comma."""
    return [part for item in _separated(cursor, parse_expression) for part in flattened(item)]


def parse_partition(cursor: Cursor) -> tuple[Column, ...]:
    """`BY user, address.city`."""
    cursor.expect("BY", "behind PARTITION", "as in PARTITION BY user")
    return tuple(_separated(cursor, _column))


def _column(cursor: Cursor) -> Column:
    start = cursor.token
    path = parse_path(cursor, "a column to partition by", _CLAUSE_WORDS)
    return Column(path, cursor.since(start))


def parse_window(cursor: Cursor) -> Window:
    """`10 minutes`, `INTERVAL '1' DAY`, a number of units, or a name that the call explains."""
    start = cursor.token
    if cursor.at("-"):
        raise WindowError("a window must be longer than nothing", start.span, _WINDOWS)
    if start.kind is TokenKind.NUMBER:
        literal = parse_number(cursor)
    elif start.key == "INTERVAL":
        literal = parse_interval(cursor)
    elif cursor.at_name() and start.key not in EXPRESSION_WORDS:
        return _named_window(cursor)
    else:
        hint = "a length stands without quotes" if start.kind is TokenKind.STRING else "give one"
        cursor.fail("a length of time behind WITHIN", f"{hint}, {_WINDOWS}")
    extent = literal.value
    if not isinstance(extent, int | Decimal | Duration):
        raise WindowError("write this window without an exponent", literal.span)
    if (extent.microseconds if isinstance(extent, Duration) else extent) <= 0:
        raise WindowError(
            "a window must be longer than nothing",
            literal.span,
            "the first and the last event of a match are less than it apart",
        )
    return Window(extent, literal.span)


def _named_window(cursor: Cursor) -> Window:
    name = cursor.advance()
    if name.key in ("LAST", "LESS", "THE") and cursor.token.kind in (
        TokenKind.NUMBER,
        TokenKind.WORD,
    ):
        raise WindowError(
            f"{name.value} is no length of time", name.span, f"give the length alone, {_WINDOWS}"
        )
    return Window(name.value, name.span)


def parse_confidence(cursor: Cursor) -> Confidence:
    """`>= 0.8`, `>= 80%`."""
    if not cursor.accept(">="):
        cursor.fail(">= behind CONFIDENCE", "as in CONFIDENCE >= 0.8, or >= 80%")
    if cursor.token.kind is not TokenKind.NUMBER:
        cursor.fail("a number between 0 and 1", "as in CONFIDENCE >= 0.8, or >= 80%")
    literal = parse_number(cursor)
    if isinstance(literal.value, int | Decimal | float):
        threshold = Decimal(str(literal.value))
        if 0 <= threshold <= 1:
            return Confidence(threshold, literal.span)
    hint = (
        f"did you mean {literal.value}%?" if isinstance(literal.value, int) else "write 80%, or 0.8"
    )
    raise QuerySyntaxError("a confidence lies between 0 and 1", literal.span, hint)


def parse_returns(cursor: Cursor) -> tuple[ReturnItem, ...]:
    """`a.price, count(b[]) AS reviews`."""
    return tuple(_separated(cursor, _return_item))


def _return_item(cursor: Cursor) -> ReturnItem:
    start = cursor.token
    if start.key == "*":
        cursor.fail("an expression behind RETURN", "leave RETURN out to get every variable")
    expression = parse_expression(cursor)
    alias = None
    if cursor.accept("AS"):
        alias = cursor.name("the name of a column behind AS", _CLAUSE_WORDS)
    elif cursor.at_name() and cursor.token.key not in CLAUSES:
        word = cursor.text[cursor.token.start : cursor.token.end]
        hints = nearest(cursor.token.value, CLAUSES) or (
            f"the name of a column stands behind AS: AS {shown(word)}",
        )
        cursor.fail("a comma or AS behind the expression", *hints)
    return ReturnItem(expression, alias, cursor.since(start))
