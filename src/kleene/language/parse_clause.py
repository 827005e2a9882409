"""The clauses behind the pattern, each from behind its keyword."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import TypeVar

from kleene.errors import (
    DuplicateNameError,
    KleeneError,
    QuerySyntaxError,
    WindowError,
    nearest,
    shown,
)
from kleene.language.cursor import Cursor
from kleene.language.decimals import MOST_DIGITS
from kleene.language.expressions import Duration, Expression
from kleene.language.parse_expression import parse_expression
from kleene.language.parse_literal import (
    MICROSECONDS,
    parse_interval,
    parse_number,
    without_exponent,
)
from kleene.language.parse_reference import parse_path
from kleene.language.syntax import (
    Column,
    Confidence,
    Definition,
    GroupBy,
    Name,
    ReturnItem,
    Window,
)
from kleene.language.tokens import TokenKind
from kleene.language.traversal import flattened
from kleene.language.words import BEHIND_RETURN, CLAUSES, EXPRESSION_WORDS, PATTERN_WORDS

_CLAUSE_WORDS = frozenset(CLAUSES)
_DEFINITIONS = "as in DEFINE Big AS amount > 1000"
_WINDOWS = "as in WITHIN 10 minutes"
_KEYS = "PARTITION BY user, item"
_NO_NAMES = (*CLAUSES, *BEHIND_RETURN, "ORDER", "LIMIT", "FROM", "JOIN")
"""What is no name of a column without AS: clauses, and those of SQL that a query does not have."""
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
        name = cursor.name("a type to define", PATTERN_WORDS, _DEFINITIONS)
    cursor.expect("AS", "behind the type", _DEFINITIONS)
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
    if cursor.at("("):
        cursor.fail("a column to partition by", f"columns stand without parentheses: {_KEYS}")
    if cursor.at("["):
        cursor.fail("a column to partition by", f"columns stand without brackets: {_KEYS}")
    path = parse_path(cursor, "a column to partition by", _CLAUSE_WORDS, f"as in {_KEYS}")
    if cursor.at("("):
        cursor.fail("a comma or the next clause", "only columns stand here, no functions of them")
    return Column(path, cursor.since(start))


def parse_window(cursor: Cursor) -> Window:
    """`10 minutes`, `INTERVAL '1' DAY`, a number of units, or a name, as papers write it."""
    start = cursor.token
    if cursor.at("-"):
        raise WindowError("a window must be longer than nothing", start.span, _WINDOWS)
    if start.kind is TokenKind.NUMBER:
        literal = parse_number(cursor, is_length=True)
    elif start.key == "INTERVAL":
        literal = parse_interval(cursor)
    elif cursor.at_name() and start.key not in EXPRESSION_WORDS:
        return _named_window(cursor)
    else:
        quoted = start.kind is TokenKind.STRING
        hint = f"it stands without quotes, {_WINDOWS}" if quoted else _WINDOWS
        cursor.fail("a length of time behind WITHIN", hint)
    extent = literal.value
    if not isinstance(extent, int | Decimal | Duration):
        raise without_exponent(start.value, start.span)
    if cursor.at(":"):
        cursor.fail("a unit behind the number", "as in WITHIN 30 minutes, or 1 hour 30 minutes")
    if (extent.microseconds if isinstance(extent, Duration) else extent) <= 0:
        raise WindowError(
            "a window must be longer than nothing",
            literal.span,
            "the first and the last event of a match are less than it apart",
        )
    return Window(extent, literal.span)


def _named_window(cursor: Cursor) -> Window:
    name = cursor.advance()
    behind = cursor.token
    is_length = behind.kind is TokenKind.NUMBER or behind.value.casefold() in MICROSECONDS
    is_attribute = behind.key == "." and cursor.peek().kind is not TokenKind.END
    if is_length or is_attribute:
        raise WindowError(
            f"{shown(name.value)} is no length of time",
            name.span,
            f"a length is a number and a unit, {_WINDOWS}",
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
            return Confidence(_as_written(threshold), literal.span)
    hint = (
        f"did you mean {literal.value}%?" if isinstance(literal.value, int) else "write 80%, or 0.8"
    )
    raise QuerySyntaxError("a confidence lies between 0 and 1", literal.span, hint)


def _as_written(threshold: Decimal) -> Decimal:
    """Without digits that no number has room for: confidences are compared to 1e-9."""
    if len(f"{threshold:f}") <= MOST_DIGITS:
        return threshold
    return round(threshold, MOST_DIGITS - len("0.")).normalize()


def parse_returns(cursor: Cursor) -> tuple[ReturnItem, ...]:
    """`a.price, count(b[]) AS reviews`."""
    return tuple(_separated(cursor, _return_item))


def parse_group_by(cursor: Cursor) -> GroupBy | None:
    """`GROUP BY a.x, b.y HAVING count(*) > 1`, `GROUP BY ()`, or nothing.

    These words are read behind RETURN alone, so that everywhere else they may be names.
    """
    start = cursor.token
    if not cursor.accept("GROUP"):
        return None
    cursor.expect("BY", "behind GROUP", "as in RETURN a.x, count(*) GROUP BY a.x")
    keys: list[Expression] = []
    if cursor.at("(") and cursor.peek().key == ")":
        cursor.advance()
        cursor.advance()
    elif cursor.at_end():
        cursor.fail("a key behind GROUP BY", "as in GROUP BY a.x; () makes one row of all matches")
    else:
        keys = _separated(cursor, parse_expression)
    having = parse_conditions(cursor) if cursor.accept("HAVING") else []
    return GroupBy(tuple(keys), tuple(having), cursor.since(start))


def _return_item(cursor: Cursor) -> ReturnItem:
    start = cursor.token
    if start.key == "*":
        cursor.fail("an expression behind RETURN", "leave RETURN out to get every variable")
    if start.key == "DISTINCT" and cursor.peek().kind is TokenKind.WORD:
        raise QuerySyntaxError(
            "there is no DISTINCT: each match comes back once",
            start.span,
            "leave it out here, and make the rows of the result distinct",
        )
    expression = parse_expression(cursor)
    alias = None
    if cursor.accept("AS"):
        quoted = cursor.token.kind is TokenKind.STRING
        hint = "a name stands without quotes, or in backticks" if quoted else "as in a.x AS size"
        if cursor.token.kind is TokenKind.NUMBER:
            hint = "a name that begins with a digit stands in backticks"
        alias = cursor.name("the name of a column behind AS", _CLAUSE_WORDS, hint)
    elif cursor.at_name() and cursor.token.key not in _NO_NAMES:
        raise _no_alias(cursor)
    return ReturnItem(expression, alias, cursor.since(start))


def _no_alias(cursor: Cursor) -> KleeneError:
    """The error of a name behind an expression: of a column, of the next item, or of a clause."""
    word = cursor.text[cursor.token.start : cursor.token.end]
    hints = nearest(cursor.token.value, CLAUSES)
    if not hints and cursor.peek().key in (".", "[", "("):
        hints = ("is a comma missing?",)
    hints = hints or (f"the name of a column stands behind AS: AS {shown(word)}",)
    return cursor.unexpected("a comma or AS behind the expression", *hints)
