"""The PATTERN clause."""

from __future__ import annotations

from dataclasses import replace

from kleene.errors import IndexUseError, NOWHERE, QuantifierError, QuerySyntaxError, Span
from kleene.language.cursor import Cursor
from kleene.language.expressions import Expression
from kleene.language.parse_expression import parse_expression
from kleene.language.syntax import (
    And,
    Conditioned,
    EventPattern,
    Exists,
    Name,
    Not,
    Or,
    Pattern,
    Quantifier,
    Repeat,
    Seq,
)
from kleene.language.tokens import EXPRESSION_WORDS, PATTERN_WORDS, TokenKind

_LISTS: dict[str, type[Seq] | type[And] | type[Or]] = {"SEQ": Seq, "AND": And, "OR": Or}


def parse_pattern(cursor: Cursor) -> Pattern:
    """A pattern, with unions (`p UNION q`, paper 1's sign) between its parts."""
    with cursor.deeper():
        start = cursor.token
        first = _prefixed(cursor)
        parts = [first]
        while _union_stands_here(cursor):
            cursor.advance()
            parts.append(_prefixed(cursor))
        return first if len(parts) == 1 else Or(tuple(parts), cursor.since(start))


def _union_stands_here(cursor: Cursor) -> bool:
    """UNION, or the letter U that the sign of union is often printed as."""
    if cursor.token.is_word("UNION"):
        return True
    return cursor.token.value == "U" and cursor.token.kind is TokenKind.WORD


def _prefixed(cursor: Cursor) -> Pattern:
    """Negation and EXISTS stand before what they apply to."""
    start = cursor.token
    if start.is_symbol("!", "~") or start.is_word("NOT"):
        cursor.advance()
        with cursor.deeper():
            return Not(_prefixed(cursor), cursor.since(start))
    if start.is_word("EXISTS"):
        cursor.advance()
        variables = [cursor.name("a variable to hide", EXPRESSION_WORDS)]
        while cursor.accept(","):
            variables.append(cursor.name("a variable to hide", EXPRESSION_WORDS))
        cursor.expect(":", "behind the variables of EXISTS", "as in EXISTS c : SEQ(A a, C c)")
        with cursor.deeper():
            return Exists(tuple(variables), _prefixed(cursor), cursor.since(start))
    return _quantified(cursor)


def _quantified(cursor: Cursor) -> Pattern:
    """A composite with its quantifier, or an event, which reads its own."""
    start = cursor.token
    if start.upper in _LISTS and cursor.peek().is_symbol("("):
        body = _composite(cursor, _LISTS[start.upper])
    elif start.is_word("KL") and cursor.peek().is_symbol("("):
        body = _kl(cursor)
    elif start.is_symbol("("):
        body = _parenthesised(cursor)
    else:
        return _event(cursor)
    quantifier = _quantifier(cursor)
    if quantifier is None:
        return body
    _refuse_second_quantifier(cursor)
    return Repeat(body, quantifier, cursor.since(start))


def _composite(cursor: Cursor, kind: type[Seq] | type[And] | type[Or]) -> Pattern:
    start = cursor.advance()
    cursor.advance()
    parts = _parts(cursor, start.upper)
    cursor.expect(")", f"to close {start.upper}")
    return kind(parts, cursor.since(start))


def _parts(cursor: Cursor, what: str) -> tuple[Pattern, ...]:
    """Patterns separated by commas, up to a closing parenthesis."""
    if cursor.token.is_symbol(")"):
        cursor.fail(f"a pattern in {what}", f"for example {what}(A a, B b)")
    parts = [parse_pattern(cursor)]
    while cursor.accept(",", ";"):
        parts.append(parse_pattern(cursor))
    if not cursor.token.is_symbol(")"):
        raise _list_broken(cursor, what)
    return tuple(parts)


def _list_broken(cursor: Cursor, what: str) -> Exception:
    """Why a list of patterns does not go on: what beginners write there, each with its hint."""
    token = cursor.token
    if token.is_symbol(":"):
        return cursor.unexpected(
            f", or ) in {what}", "an event with conditions stands in parentheses: (A a : a.x > 1)"
        )
    if token.is_symbol("->", "=>"):
        return cursor.unexpected(f", or ) in {what}", "SEQ already means: one after the other")
    if token.kind in (TokenKind.WORD, TokenKind.QUOTED, TokenKind.STRING) or token.is_symbol("("):
        return cursor.unexpected(f", or ) in {what}", "is a comma missing?")
    if token.is_symbol("|", "||"):
        return cursor.unexpected(f", or ) in {what}", "alternatives are written OR(A a, B b)")
    return cursor.unexpected(f", or ) in {what}")


def _parenthesised(cursor: Cursor) -> Pattern:
    """`(p)`, `(p : c1, c2)`, or `(p1, p2)`, which is a SEQ."""
    start = cursor.advance()
    parts = [parse_pattern(cursor)]
    while cursor.accept(",", ";"):
        parts.append(parse_pattern(cursor))
    body = parts[0] if len(parts) == 1 else Seq(tuple(parts), cursor.since(start))
    if cursor.accept(":"):
        conditions = _conditions(cursor)
        cursor.expect(")", "behind the conditions of a pattern", "is a comma or AND missing?")
        return Conditioned(body, conditions, cursor.since(start))
    if not cursor.token.is_symbol(")"):
        raise _list_broken(cursor, "the parentheses")
    cursor.advance()
    return body


def _conditions(cursor: Cursor) -> tuple[Expression, ...]:
    conditions = [parse_expression(cursor)]
    while cursor.accept(","):
        if cursor.token.is_symbol(")"):
            break
        conditions.append(parse_expression(cursor))
    return tuple(conditions)


def _kl(cursor: Cursor) -> Pattern:
    """`KL(B b)` is `B+ b[]`, and `KL(p)` is `p+`."""
    start = cursor.advance()
    cursor.advance()
    at_event = cursor.token.kind in (TokenKind.WORD, TokenKind.QUOTED, TokenKind.STRING) and not (
        cursor.token.upper in PATTERN_WORDS - {"ANY"}
    )
    body = _event(cursor, within_kl=True) if at_event else parse_pattern(cursor)
    cursor.expect(")", "to close KL")
    once_or_more = Quantifier(1, None, span=start.span)
    if isinstance(body, EventPattern) and body.quantifier is None:
        return replace(body, quantifier=once_or_more, span=cursor.since(start))
    return Repeat(body, once_or_more, cursor.since(start))


def _event(cursor: Cursor, *, within_kl: bool = False) -> Pattern:
    """`T a`, `T+ b[]`, `ANY x`, `'page view' v`."""
    start = cursor.token
    kind = _type(cursor)
    quantifier = _quantifier(cursor)
    if quantifier is not None:
        _refuse_second_quantifier(cursor)
    variable = None
    brackets = NOWHERE
    if _variable_stands_here(cursor):
        variable = cursor.name("a variable", EXPRESSION_WORDS)
        if opening := cursor.accept("["):
            cursor.expect("]", "behind [", "a Kleene variable is declared with empty brackets")
            brackets = cursor.since(opening)
        _check_brackets(cursor, variable, quantifier, brackets, within_kl)
    return EventPattern(kind, variable, quantifier, cursor.since(start))


def _type(cursor: Cursor) -> Name | None:
    """The type of an event; None for ANY."""
    token = cursor.token
    if token.is_word("ANY"):
        cursor.advance()
        return None
    if token.kind is TokenKind.STRING:
        cursor.advance()
        return Name(token.value, token.span)
    if token.upper in _LISTS or token.is_word("KL"):
        cursor.advance()
        cursor.fail(f"( behind {token.upper}", f"as in {token.upper}(A a, B b)")
    if token.kind not in (TokenKind.WORD, TokenKind.QUOTED):
        cursor.fail("a pattern", "a pattern is an event such as A a, or SEQ, AND, OR of patterns")
    return cursor.name("a type of event", PATTERN_WORDS)


def _variable_stands_here(cursor: Cursor) -> bool:
    token = cursor.token
    if token.kind is TokenKind.QUOTED:
        return True
    if token.kind is not TokenKind.WORD or token.upper in PATTERN_WORDS:
        return False
    # `A U B` is a union of two events; `A U` alone names a variable.
    follows = cursor.peek()
    return not (token.value == "U" and follows.kind in (TokenKind.WORD, TokenKind.QUOTED)) or (
        follows.upper in PATTERN_WORDS - {"SEQ", "AND", "OR", "KL", "ANY", "NOT"}
    )


def _check_brackets(
    cursor: Cursor, variable: Name, quantifier: Quantifier | None, brackets: Span, within_kl: bool
) -> None:
    """Brackets say that a variable is an array: behind `+ * {n,m}`, and only there."""
    name = variable.text
    if brackets == NOWHERE and quantifier is not None and not quantifier.optional:
        raise IndexUseError(
            f"{name} is a Kleene variable: it binds many events, not one",
            variable.span,
            f"declare it with brackets: {name}[]",
        )
    if brackets == NOWHERE or within_kl:
        return
    if quantifier is None:
        after = _quantifier(cursor)
        hint = (
            f"the quantifier stands behind the type: T+ {name}[]"
            if after
            else f"write T+ {name}[] for many events, or {name} for one"
        )
        raise IndexUseError(f"{name}[] is declared without a quantifier", brackets, hint)
    if quantifier.optional:
        raise IndexUseError(
            f"? binds one event at most, so {name} is no array",
            brackets,
            f"write T? {name}, or T{{0,1}} {name}[]",
        )


def _quantifier(cursor: Cursor) -> Quantifier | None:
    start = cursor.token
    if cursor.accept("+"):
        return Quantifier(1, None, span=start.span)
    if cursor.accept("*"):
        return Quantifier(0, None, span=start.span)
    if cursor.accept("?"):
        return Quantifier(0, 1, optional=True, span=start.span)
    if cursor.accept("{"):
        return _bounds(cursor, start.span)
    return None


def _bounds(cursor: Cursor, start: Span) -> Quantifier:
    low = _bound(cursor)
    high: int | None = low
    if cursor.accept(","):
        high = _bound(cursor)
        if low is None and high is None:
            cursor.fail("a number in the braces", "as in {2,5}, {2,} or {,5}")
    elif low is None:
        cursor.fail("a number in the braces", "as in {2,5}, {2,} or {,5}")
    cursor.expect("}", "to close the bounds")
    span = start.to(cursor.previous.span)
    if high is not None and (low or 0) > high:
        raise QuantifierError(f"no number is at least {low} and at most {high}", span)
    if high == 0:
        raise QuantifierError("at most 0 of something is nothing to look for", span)
    return Quantifier(low or 0, high, span=span)


def _bound(cursor: Cursor) -> int | None:
    token = cursor.token
    if token.kind is not TokenKind.NUMBER:
        return None
    if not token.value.isdigit() or len(token.value) > 9:
        raise QuantifierError("a bound is a whole number of at most 9 digits", token.span)
    cursor.advance()
    return int(token.value)


def _refuse_second_quantifier(cursor: Cursor) -> None:
    token = cursor.token
    if token.is_symbol("+", "*", "?", "{"):
        raise QuerySyntaxError(
            "a quantifier stands behind a quantifier",
            token.span,
            "there are no reluctant quantifiers; to repeat a repetition, use parentheses: (A+ a[])*",
        )
