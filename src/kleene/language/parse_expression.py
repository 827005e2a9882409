"""Conditions and expressions, by precedence climbing: a loop over operators, tables of readers."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from kleene.errors import NestingError, QuerySyntaxError
from kleene.language.cursor import MAX_NESTING, Cursor
from kleene.language.expressions import (
    Arithmetic,
    Comparison,
    Conjunction,
    Disjunction,
    Expression,
    Inversion,
    Literal,
    Negative,
)
from kleene.language.parse_form import (
    parse_call,
    parse_case,
    parse_cast,
    parse_element,
    parse_same_key,
)
from kleene.language.parse_literal import parse_bytes, parse_interval, parse_moment, parse_number
from kleene.language.parse_test import parse_is, parse_test
from kleene.language.precedence import Precedence
from kleene.language.tokens import Token, TokenKind
from kleene.language.words import UNCALLED_WORDS

_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=", "<=>")
_MISTAKEN = {
    "==": "equality is written with one sign: =",
    "=>": "at least is written >=",
    "=<": "at most is written <=",
    "&&": "write AND",
    "&": "write AND",
    "|": "write OR; two strings are joined with ||",
    "->": "an attribute is reached with a dot: a.price",
    "^": "a power is written power(x, y)",
    "::": "a cast is written CAST(x AS int)",
    "~": "compare with a pattern by LIKE or RLIKE, and write NOT before a condition",
    "!": "unequal is written != without a blank, and NOT stands before what it applies to",
    "?": "a choice is written CASE WHEN … THEN … ELSE … END",
}


def parse_expression(cursor: Cursor, tightest: Precedence = Precedence.OR) -> Expression:
    """An expression whose operators bind at least as tightly as asked."""
    cursor.enter()
    start = cursor.token
    left = _operand(cursor)
    links = 0
    while True:
        operator = _OPERATORS.get(cursor.token.key)
        if operator is None or operator.binding < tightest:
            break
        left = operator.read(cursor, start, left)
        links += 1
        if links >= MAX_NESTING:
            raise _too_long(cursor)
    cursor.leave()
    return left


def _too_long(cursor: Cursor) -> NestingError:
    """A chain that is read from the left is a tree as deep as the chain is long."""
    return NestingError(
        f"more than {MAX_NESTING} operators follow each other here",
        cursor.token.span,
        "put parts of the chain in parentheses, which are then read on their own",
    )


def _operand(cursor: Cursor) -> Expression:
    """What stands before, between and behind operators."""
    token = cursor.token
    reader = _BY_KIND.get(token.kind) or _BY_KEY.get(token.key)
    if reader is not None:
        return reader(cursor)
    behind = cursor.peek()
    if behind.key == "(" and cursor.at_name():
        if token.key == "CAST":
            return parse_cast(cursor, parse_expression)
        if token.key not in UNCALLED_WORDS:
            return parse_call(cursor, parse_expression)
    if token.key in _MOMENTS and behind.kind is TokenKind.STRING:
        return parse_moment(cursor)
    if token.key == "INTERVAL" and behind.kind in (TokenKind.STRING, TokenKind.NUMBER):
        return parse_interval(cursor)
    return parse_element(cursor, parse_expression)


def _string(cursor: Cursor) -> Expression:
    token = cursor.advance()
    return Literal(token.value, token.span)


def _constant(cursor: Cursor) -> Expression:
    token = cursor.advance()
    return Literal(_CONSTANTS[token.key], token.span)


def _parenthesis(cursor: Cursor) -> Expression:
    opening = cursor.open_parenthesis()
    inside = parse_expression(cursor)
    hint = "is AND or another operator missing?"
    if cursor.at(","):
        hint = "values stand one by one: a.x = b.x AND a.y = b.y, or RETURN a.x, a.y"
    cursor.close(opening, "an operator or )", hint)
    cursor.leave_parenthesis()
    return inside


def _not(cursor: Cursor) -> Expression:
    start = cursor.advance()
    return Inversion(parse_expression(cursor, Precedence.NOT), cursor.since(start))


def _minus(cursor: Cursor) -> Expression:
    start = cursor.advance()
    return Negative(parse_expression(cursor, Precedence.UNARY), cursor.since(start))


def _plus(cursor: Cursor) -> Expression:
    cursor.advance()
    return parse_expression(cursor, Precedence.UNARY)


def _mistaken(cursor: Cursor, _start: Token, _left: Expression) -> Expression:
    token = cursor.token
    raise QuerySyntaxError(f"{token.value} is no operator", token.span, _MISTAKEN[token.value])


def _disjunction(cursor: Cursor, start: Token, left: Expression) -> Expression:
    operands = [left]
    while cursor.accept("OR"):
        operands.append(parse_expression(cursor, Precedence.AND))
    return Disjunction(tuple(operands), cursor.since(start))


def _conjunction(cursor: Cursor, start: Token, left: Expression) -> Expression:
    operands = [left]
    while cursor.accept("AND"):
        operands.append(parse_expression(cursor, Precedence.NOT))
    return Conjunction(tuple(operands), cursor.since(start))


def _comparison(cursor: Cursor, start: Token, left: Expression) -> Expression:
    operands, operators = [left], []
    while cursor.token.key in _COMPARISONS:
        operator = cursor.advance().value
        if cursor.token.key == operator and cursor.newline_before():
            cursor.advance()  # a chain broken over lines repeats its sign, as paper 2 prints it
        operators.append(operator)
        operands.append(parse_expression(cursor, Precedence.ADDITIVE))
    return Comparison(tuple(operands), tuple(operators), cursor.since(start))


def _arithmetic(cursor: Cursor, start: Token, left: Expression) -> Expression:
    operator = cursor.advance().key
    tighter = Precedence(_OPERATORS[operator].binding + 1)
    right = parse_expression(cursor, tighter)
    return Arithmetic(operator.casefold(), left, right, cursor.since(start))


def _is(cursor: Cursor, start: Token, left: Expression) -> Expression:
    return parse_is(cursor, start, left, parse_expression)


def _test(cursor: Cursor, start: Token, left: Expression) -> Expression:
    return parse_test(cursor, start, left, parse_expression)


_CONSTANTS = {"TRUE": True, "FALSE": False, "NULL": None}
_MOMENTS = ("DATE", "TIMESTAMP", "TIMESTAMP_NTZ")

_BY_KIND: dict[TokenKind, Callable[[Cursor], Expression]] = {
    TokenKind.NUMBER: parse_number,
    TokenKind.STRING: _string,
    TokenKind.BINARY: parse_bytes,
}
_BY_KEY: dict[str, Callable[[Cursor], Expression]] = {
    "(": _parenthesis,
    "[": parse_same_key,
    "-": _minus,
    "+": _plus,
    "!": _not,
    "NOT": _not,
    "CASE": lambda cursor: parse_case(cursor, parse_expression),
    **dict.fromkeys(_CONSTANTS, _constant),
}


class _Operator(NamedTuple):
    """How tightly an operator binds, and what reads it and all behind it that belongs to it."""

    binding: Precedence
    read: Callable[[Cursor, Token, Expression], Expression]


_OPERATORS: dict[str, _Operator] = {
    "OR": _Operator(Precedence.OR, _disjunction),
    "AND": _Operator(Precedence.AND, _conjunction),
    **dict.fromkeys(_COMPARISONS, _Operator(Precedence.COMPARISON, _comparison)),
    "IS": _Operator(Precedence.COMPARISON, _is),
    **dict.fromkeys(
        ("NOT", "IN", "BETWEEN", "LIKE", "RLIKE"), _Operator(Precedence.COMPARISON, _test)
    ),
    **dict.fromkeys(("+", "-", "||"), _Operator(Precedence.ADDITIVE, _arithmetic)),
    **dict.fromkeys(("*", "/", "%", "DIV"), _Operator(Precedence.MULTIPLICATIVE, _arithmetic)),
    **dict.fromkeys(_MISTAKEN, _Operator(Precedence.PRIMARY, _mistaken)),
}
