"""Numbers, durations, strings and dates."""

from __future__ import annotations

import datetime as dt
from decimal import Context, Decimal
from math import isinf

from kleene.errors import QuerySyntaxError, Span, WindowError, nearest
from kleene.language.cursor import Cursor
from kleene.language.expressions import Duration, Literal
from kleene.language.tokens import CLAUSES, EXPRESSION_WORDS, Token, TokenKind

MICROSECONDS = {
    **dict.fromkeys(("us", "microsecond", "microseconds"), 1),
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), 1_000),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1_000_000),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), 60_000_000),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), 3_600_000_000),
    **dict.fromkeys(("d", "day", "days"), 86_400_000_000),
    **dict.fromkeys(("w", "week", "weeks"), 604_800_000_000),
}
"""Microseconds in each unit of time that has a fixed length."""

_EXACT = Context(prec=80)
_PLAIN_UNITS = ("unit", "units")
_LARGEST = 2**63 - 1
_NOT_A_UNIT = frozenset(EXPRESSION_WORDS | set(CLAUSES))


def parse_number(cursor: Cursor) -> Literal:
    """`3`, `2.5`, `95%`, `10 minutes`, `1 hour 30 minutes`, `10 units`."""
    start = cursor.advance()
    if _is_percent(cursor, start):
        cursor.advance()
        return Literal(_canonical(_exact(start).scaleb(-2)), cursor.since(start))
    if not _unit_follows(cursor):
        return Literal(_plain(start), start.span)
    if cursor.accept_word("UNIT", "UNITS"):
        return Literal(_plain(start), cursor.since(start))
    total = _exact(start) * _unit(cursor)
    while cursor.token.kind is TokenKind.NUMBER and _unit_follows(cursor, 1):
        total += _exact(cursor.advance()) * _unit(cursor)
    return Literal(_duration(total, cursor.since(start)), cursor.since(start))


def parse_interval(cursor: Cursor) -> Literal:
    """`INTERVAL 10 MINUTES`, `INTERVAL '10' MINUTES`, `INTERVAL '10 minutes'`."""
    start = cursor.advance()
    if cursor.token.kind is TokenKind.STRING:
        quoted = cursor.advance()
        inner = Cursor(quoted.value)
        if inner.token.kind is not TokenKind.NUMBER:
            raise QuerySyntaxError("expected a number in this interval", quoted.span)
        if _unit_follows(inner):
            duration = parse_number(inner)
        else:
            total = _exact(inner.advance()) * _unit(cursor)
            return Literal(_duration(total, cursor.since(start)), cursor.since(start))
    elif cursor.token.kind is TokenKind.NUMBER:
        duration = parse_number(cursor)
    else:
        cursor.fail("a length of time behind INTERVAL", "for example INTERVAL 10 MINUTES")
    if not isinstance(duration.value, Duration):
        raise WindowError("this interval has no unit of time", cursor.since(start))
    return Literal(duration.value, cursor.since(start))


def parse_moment(cursor: Cursor) -> Literal:
    """`DATE '2024-01-31'`, `TIMESTAMP '2024-01-31 12:00:00'`, `TIMESTAMP_NTZ '…'`."""
    keyword = cursor.advance()
    quoted = cursor.advance()
    span = cursor.since(keyword)
    try:
        if keyword.upper == "DATE":
            return Literal(dt.date.fromisoformat(quoted.value.strip()), span)
        moment = dt.datetime.fromisoformat(quoted.value.strip())
    except ValueError:
        kind = "date" if keyword.upper == "DATE" else "timestamp"
        raise QuerySyntaxError(
            f"this is not a {kind}", quoted.span, f"write it as {_EXAMPLES[kind]}"
        ) from None
    if keyword.upper == "TIMESTAMP_NTZ":
        return Literal(moment.replace(tzinfo=None), span)
    return Literal(in_utc(moment), span)


def in_utc(moment: dt.datetime) -> dt.datetime:
    """The moment in UTC, which is also where one without a zone is taken to be."""
    if moment.tzinfo is None:
        return moment.replace(tzinfo=dt.UTC)
    return moment.astimezone(dt.UTC)


_EXAMPLES = {"date": "DATE '2024-01-31'", "timestamp": "TIMESTAMP '2024-01-31 12:00:00'"}


def _is_percent(cursor: Cursor, number: Token) -> bool:
    """`95%` is a percentage where no operand follows; otherwise `%` is the remainder."""
    sign, behind = cursor.token, cursor.peek()
    if not sign.is_symbol("%"):
        return False
    if behind.is_symbol("-", "+"):
        return sign.start == number.end
    if behind.kind is TokenKind.WORD:
        return behind.upper in _NOT_A_UNIT - {"CASE", "NULL", "TRUE", "FALSE", "NOT"}
    return behind.kind is TokenKind.END or (
        behind.kind is TokenKind.SYMBOL and not behind.is_symbol("(")
    )


def _unit_follows(cursor: Cursor, ahead: int = 0) -> bool:
    token = cursor.peek(ahead)
    return token.kind is TokenKind.WORD and token.upper not in _NOT_A_UNIT


def _unit(cursor: Cursor) -> int:
    """Read a unit of time, in microseconds."""
    token = cursor.token
    name = token.value.casefold()
    if token.kind is TokenKind.WORD and name in MICROSECONDS:
        cursor.advance()
        return MICROSECONDS[name]
    if name in ("month", "months", "year", "years", "quarter", "quarters"):
        hint = "months and years differ in length: use days or weeks"
    elif name == "m":
        hint = "write min for minutes, or ms for milliseconds"
    else:
        known = nearest(name, [*MICROSECONDS, *_PLAIN_UNITS])
        hint = known[0] if known else "units are us, ms, seconds, minutes, hours, days, weeks"
    shown = token.value or "nothing"
    raise WindowError(f"{shown} is no unit of time", token.span, hint)


def _plain(token: Token) -> int | Decimal | float:
    if "e" in token.value.lower():
        value = float(token.value)
        if isinf(value):
            raise QuerySyntaxError("this number is too large", token.span)
        return value
    exact = _exact(token)
    return _canonical(exact) if "." in token.value else int(exact)


def _exact(token: Token) -> Decimal:
    if len(token.value) > 38 or "e" in token.value.lower():
        raise QuerySyntaxError("write this number without an exponent, in 38 digits", token.span)
    return Decimal(token.value)


def _canonical(number: Decimal) -> Decimal:
    """The number in one spelling: no trailing zeros, but always a place behind the point."""
    shortest = number.normalize(_EXACT)
    whole = shortest.as_tuple().exponent
    return shortest.quantize(Decimal("0.1"), context=_EXACT) if whole in range(41) else shortest


def _duration(microseconds: Decimal, span: Span) -> Duration:
    if microseconds != microseconds.to_integral_value():
        raise WindowError("time is counted in whole microseconds", span)
    if microseconds > _LARGEST:
        raise WindowError("this is longer than time can be counted", span)
    return Duration(int(microseconds))
