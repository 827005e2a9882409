"""Quantifiers: `+`, `*`, `?`, `{n}`, `{n,}`, `{,m}`, `{n,m}`."""

from __future__ import annotations

from kleene.errors import QuantifierError, QuerySyntaxError
from kleene.language.cursor import Cursor
from kleene.language.syntax import Quantifier
from kleene.language.tokens import Token, TokenKind

QUANTIFIERS = ("+", "*", "?", "{")
"""What a quantifier begins with."""

_MOST_DIGITS = 9
_BOUNDS = "as in {3}, {2,5}, {2,} or {,5}"


def parse_quantifier(cursor: Cursor) -> Quantifier | None:
    """The quantifier that stands here, if any; a second one is refused."""
    start = cursor.token
    match start.key:
        case "+":
            found = Quantifier(1, None, span=cursor.advance().span)
        case "*":
            found = Quantifier(0, None, span=cursor.advance().span)
        case "?":
            found = Quantifier(0, 1, optional=True, span=cursor.advance().span)
        case "{":
            found = _braces(cursor)
        case _:
            return None
    if cursor.at(*QUANTIFIERS):
        raise _second(cursor, start)
    return found


def _second(cursor: Cursor, first: Token) -> QuerySyntaxError:
    """Regular expressions have signs behind signs, patterns of events do not."""
    reason = "how many is said twice here"
    if cursor.at("?") or (cursor.at("+") and first.key != "+"):
        hint = "how much is taken is not said by a second sign, but by STRATEGY and AFTER MATCH"
    else:
        hint = "what is repeated as a whole stands in parentheses: (A+ a[])*"
    return QuerySyntaxError(reason, cursor.token.span, hint)


def _braces(cursor: Cursor) -> Quantifier:
    opening = cursor.advance()
    low = _bound(cursor)
    high = low
    if cursor.accept(","):
        high = _bound(cursor)
        if low is None and high is None:
            cursor.fail("a number in the braces", _BOUNDS)
    elif low is None:
        cursor.fail("a number in the braces", _BOUNDS)
    cursor.close(opening, "a comma or } in the braces" if high is low else "}", _BOUNDS)
    span = cursor.since(opening)
    if high is not None and (low or 0) > high:
        raise QuantifierError(
            f"no number is at least {low} and at most {high}",
            span,
            f"the smaller bound stands first: {{{high},{low}}}",
        )
    if high == 0:
        raise QuantifierError(
            "at most 0 events are nothing to look for", span, "the absence of events is written !A"
        )
    return Quantifier(low or 0, high, span=span)


def _bound(cursor: Cursor) -> int | None:
    token = cursor.token
    if token.key == "-":
        raise QuantifierError("a bound cannot be negative", token.span, _BOUNDS)
    if token.kind is not TokenKind.NUMBER:
        return None
    if not token.value.isdecimal() or len(token.value) > _MOST_DIGITS:
        raise QuantifierError(
            f"a bound is a whole number of at most {_MOST_DIGITS} digits", token.span, _BOUNDS
        )
    cursor.advance()
    return int(token.value)
