"""Conditions and expressions: precedence climbing, three stack frames a level of nesting."""

from __future__ import annotations

from kleene.errors import IndexUseError, QuerySyntaxError
from kleene.language.cursor import MAX_NESTING, Cursor, too_deep
from kleene.language.expressions import (
    Arithmetic,
    Call,
    Case,
    Cast,
    Comparison,
    Conjunction,
    Disjunction,
    Expression,
    Inversion,
    Like,
    Literal,
    Membership,
    Negative,
    NullTest,
    Range,
    SameKey,
    Subscript,
)
from kleene.language.parse_literal import parse_interval, parse_moment, parse_number
from kleene.language.parse_reference import parse_path, parse_reference
from kleene.language.tokens import EXPRESSION_WORDS, Token, TokenKind

_OR, _AND, _NOT, _COMPARISON, _ADDITIVE, _MULTIPLICATIVE = range(1, 7)
_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=", "<=>")
_MISTAKEN = {
    "==": "equality is written with one sign: =",
    "=>": "at least is written >=",
    "=<": "at most is written <=",
    "&&": "write AND",
    "&": "write AND",
    "|": "write OR; strings are joined with ||",
    "->": "fields are reached with a dot: a.price",
    "^": "powers are written power(x, y)",
}


def parse_expression(cursor: Cursor, tightest: int = _OR) -> Expression:
    """An expression whose operators bind at least as tightly as asked."""
    with cursor.deeper():
        start = cursor.token
        left = _operand(cursor, tightest)
        links = 0
        while True:
            longer = _extended(cursor, start, left, tightest)
            if longer is None:
                return left
            left = longer
            links += 1
            if links > MAX_NESTING:
                raise too_deep(cursor.token.span)


def _operand(cursor: Cursor, tightest: int) -> Expression:
    """What stands before the first infix operator: a prefixed or a primary expression."""
    start = cursor.token
    if start.is_word("NOT") or start.is_symbol("!"):
        cursor.advance()
        binding = _NOT if tightest <= _NOT else _MULTIPLICATIVE + 1
        return Inversion(parse_expression(cursor, binding), cursor.since(start))
    if start.is_symbol("-"):
        cursor.advance()
        return Negative(parse_expression(cursor, _MULTIPLICATIVE + 1), cursor.since(start))
    if start.is_symbol("+"):
        cursor.advance()
        return parse_expression(cursor, _MULTIPLICATIVE + 1)
    return _primary(cursor)


def _extended(cursor: Cursor, start: Token, left: Expression, tightest: int) -> Expression | None:
    """`left` with the infix operator that stands here applied, or None if none binds."""
    token = cursor.token
    if token.kind is TokenKind.SYMBOL:
        if token.value in _MISTAKEN:
            raise QuerySyntaxError(
                f"{token.value} is no operator", token.span, _MISTAKEN[token.value]
            )
        if token.value in _COMPARISONS and tightest <= _COMPARISON:
            return _comparison(cursor, start, left)
        if token.is_symbol("+", "-", "||") and tightest <= _ADDITIVE:
            return _arithmetic(cursor, start, left, _ADDITIVE)
        if token.is_symbol("*", "/", "%") and tightest <= _MULTIPLICATIVE:
            return _arithmetic(cursor, start, left, _MULTIPLICATIVE)
        return None
    match token.upper:
        case "OR" if tightest <= _OR:
            return Disjunction(_chain(cursor, left, "OR", _AND), cursor.since(start))
        case "AND" if tightest <= _AND:
            return Conjunction(_chain(cursor, left, "AND", _NOT), cursor.since(start))
        case "DIV" if tightest <= _MULTIPLICATIVE:
            return _arithmetic(cursor, start, left, _MULTIPLICATIVE)
        case "IS" if tightest <= _COMPARISON:
            return _is(cursor, start, left)
        case "NOT" | "IN" | "BETWEEN" | "LIKE" | "RLIKE" if tightest <= _COMPARISON:
            return _tested(cursor, start, left)
        case _:
            return None


def _chain(
    cursor: Cursor, left: Expression, keyword: str, binding: int
) -> tuple[Expression, ...]:
    """The operands of `left AND … AND …`: one flat node, however long."""
    operands = [left]
    while cursor.accept_word(keyword):
        operands.append(parse_expression(cursor, binding))
    return tuple(operands)


def _comparison(cursor: Cursor, start: Token, left: Expression) -> Expression:
    operands, operators = [left], []
    while cursor.token.is_symbol(*_COMPARISONS):
        operator = cursor.advance().value
        if cursor.token.is_symbol(operator) and cursor.newline_before():
            cursor.advance()  # a chain broken over lines repeats its sign, as paper 2 prints it
        operators.append(operator)
        operands.append(parse_expression(cursor, _ADDITIVE))
    return Comparison(tuple(operands), tuple(operators), cursor.since(start))


def _arithmetic(cursor: Cursor, start: Token, left: Expression, binding: int) -> Expression:
    operator = cursor.advance().value.casefold()
    right = parse_expression(cursor, binding + 1)
    return Arithmetic(operator, left, right, cursor.since(start))


def _is(cursor: Cursor, start: Token, left: Expression) -> Expression:
    cursor.advance()
    negated = cursor.accept_word("NOT") is not None
    if cursor.accept_word("DISTINCT"):
        cursor.expect_word("FROM", "behind IS DISTINCT")
        right = parse_expression(cursor, _ADDITIVE)
        same = Comparison((left, right), ("<=>",), cursor.since(start))
        return same if negated else Inversion(same, cursor.since(start))
    cursor.expect_word("NULL", "behind IS")
    return NullTest(left, negated, cursor.since(start))


def _tested(cursor: Cursor, start: Token, left: Expression) -> Expression:
    negated = cursor.accept_word("NOT") is not None
    if cursor.accept_word("IN"):
        cursor.expect("(", "behind IN", "a list of values stands in parentheses: x IN (1, 2)")
        items = parse_list(cursor, ")", "values of IN")
        if not items:
            cursor.fail("a value in the list of IN")
        cursor.expect(")", "behind the values of IN")
        return Membership(left, items, negated, cursor.since(start))
    if cursor.accept_word("BETWEEN"):
        low = parse_expression(cursor, _ADDITIVE)
        cursor.expect_word("AND", "between the bounds of BETWEEN")
        high = parse_expression(cursor, _ADDITIVE)
        return Range(left, low, high, negated, cursor.since(start))
    if cursor.accept_word("LIKE"):
        pattern = parse_expression(cursor, _ADDITIVE)
        escape = _escape(cursor) if cursor.accept_word("ESCAPE") else "\\"
        return Like(left, pattern, escape, negated, cursor.since(start))
    if cursor.accept_word("RLIKE"):
        call = Call("rlike", (left, parse_expression(cursor, _ADDITIVE)), cursor.since(start))
        return Inversion(call, cursor.since(start)) if negated else call
    cursor.fail("IN, BETWEEN, LIKE or RLIKE behind NOT")


def _escape(cursor: Cursor) -> str:
    if cursor.token.kind is not TokenKind.STRING or len(cursor.token.value) != 1:
        cursor.fail("one character in quotes behind ESCAPE")
    return cursor.advance().value


def parse_list(cursor: Cursor, closing: str, what: str) -> tuple[Expression, ...]:
    """Expressions separated by commas, up to a closing symbol that is left to be read."""
    items: list[Expression] = []
    while not cursor.token.is_symbol(closing):
        items.append(parse_expression(cursor))
        if not cursor.accept(","):
            break
    if not cursor.token.is_symbol(closing):
        cursor.fail(f", or {closing} behind the {what}")
    return tuple(items)


def _primary(cursor: Cursor) -> Expression:
    token = cursor.token
    match token.kind:
        case TokenKind.NUMBER:
            return parse_number(cursor)
        case TokenKind.STRING:
            cursor.advance()
            return Literal(token.value, token.span)
        case TokenKind.BINARY:
            cursor.advance()
            return Literal(_bytes(token), token.span)
        case TokenKind.QUOTED:
            return _reference(cursor)
        case TokenKind.WORD:
            return _worded(cursor)
        case TokenKind.SYMBOL if token.value == "(":
            cursor.advance()
            inside = parse_expression(cursor)
            cursor.expect(")", "to close the parenthesis")
            return inside
        case TokenKind.SYMBOL if token.value == "[":
            return _same_key(cursor)
        case _:
            cursor.fail("a value, a variable or a condition")


def _bytes(token: Token) -> bytes:
    if len(token.value) % 2:
        raise QuerySyntaxError("a binary string has two digits a byte", token.span)
    return bytes.fromhex(token.value)


def _worded(cursor: Cursor) -> Expression:
    """What begins with a word: constants, CASE, CAST, dates, calls, references."""
    token, behind = cursor.token, cursor.peek()
    match token.upper:
        case "TRUE" | "FALSE" | "NULL":
            cursor.advance()
            value = {"TRUE": True, "FALSE": False, "NULL": None}[token.upper]
            return Literal(value, token.span)
        case "CASE":
            return _case(cursor)
        case "CAST" if behind.is_symbol("("):
            return _cast(cursor)
        case "DATE" | "TIMESTAMP" | "TIMESTAMP_NTZ" if behind.kind is TokenKind.STRING:
            return parse_moment(cursor)
        case "INTERVAL" if behind.kind in (TokenKind.STRING, TokenKind.NUMBER):
            return parse_interval(cursor)
        case _ if behind.is_symbol("(") and token.upper not in EXPRESSION_WORDS:
            return _call(cursor)
        case _:
            return _reference(cursor)


def _reference(cursor: Cursor) -> Expression:
    start = cursor.token
    found: Expression = parse_reference(cursor)
    while cursor.accept("["):
        index = parse_expression(cursor)
        cursor.expect("]", "behind the index")
        found = Subscript(found, index, cursor.since(start))
        if cursor.token.is_symbol("."):
            cursor.fail("no field behind an element", "use element_at and a cast, or a wider type")
    return found


def _call(cursor: Cursor) -> Expression:
    name = cursor.advance()
    cursor.advance()
    if cursor.token.is_symbol("*"):
        raise IndexUseError(
            f"{name.value}(*) does not say of what",
            cursor.token.span,
            "name the variable: count(b[]) is the number of its events",
        )
    arguments = parse_list(cursor, ")", f"arguments of {name.value}")
    cursor.expect(")", f"behind the arguments of {name.value}")
    return Call(name.value.casefold(), arguments, cursor.since(name))


def _cast(cursor: Cursor) -> Expression:
    start = cursor.advance()
    cursor.advance()
    operand = parse_expression(cursor)
    cursor.expect_word("AS", "between value and type of CAST")
    word = cursor.token
    if word.kind is not TokenKind.WORD:
        cursor.fail("the name of a type behind AS")
    cursor.advance()
    target = word.value.casefold()
    if cursor.accept("("):
        target += f"({','.join(_type_bounds(cursor))})"
    cursor.expect(")", "behind the type of CAST")
    return Cast(operand, target, cursor.since(start))


def _type_bounds(cursor: Cursor) -> list[str]:
    bounds = []
    while cursor.token.kind is TokenKind.NUMBER:
        bounds.append(cursor.advance().value)
        if not cursor.accept(","):
            break
    cursor.expect(")", "behind the bounds of the type")
    return bounds


def _case(cursor: Cursor) -> Expression:
    start = cursor.advance()
    subject = None if cursor.token.is_word("WHEN") else parse_expression(cursor)
    branches = []
    while cursor.accept_word("WHEN"):
        when = parse_expression(cursor)
        cursor.expect_word("THEN", "behind the condition of WHEN")
        branches.append((when, parse_expression(cursor)))
    if not branches:
        cursor.fail("WHEN in CASE")
    otherwise = parse_expression(cursor) if cursor.accept_word("ELSE") else None
    cursor.expect_word("END", "at the end of CASE")
    return Case(subject, tuple(branches), otherwise, cursor.since(start))


def _same_key(cursor: Cursor) -> Expression:
    start = cursor.advance()
    path = parse_path(cursor, "a column between the brackets")
    cursor.expect("]", "behind the column", "several keys are written [user] AND [item]")
    return SameKey(path, cursor.since(start))
