"""Numbers, durations, dates and binary strings."""

from __future__ import annotations

import datetime as dt
from decimal import Context, Decimal
from math import isinf

from kleene.errors import KleeneError, QuerySyntaxError, Span, WindowError, nearest, shown
from kleene.language.cursor import Cursor
from kleene.language.decimals import MOST_DIGITS
from kleene.language.expressions import Constant, Duration, Literal
from kleene.language.instants import in_utc, parse_date, parse_timestamp
from kleene.language.tokens import Token, TokenKind
from kleene.language.words import BEHIND_RETURN, CLAUSES, EXPRESSION_WORDS

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
_LARGEST = 2**63 - 1
_UNITS = "the units are us, ms, seconds, minutes, hours, days and weeks"
_MISTAKEN_UNITS = {
    **dict.fromkeys(
        ("MONTH", "MONTHS", "QUARTER", "QUARTERS", "YEAR", "YEARS"),
        "months and years differ in length: say it in days or weeks",
    ),
    **dict.fromkeys(
        ("EVENT", "EVENTS", "ROW", "ROWS"), "a length is measured in time, not in events"
    ),
    **dict.fromkeys(("NS", "NANOSECOND", "NANOSECONDS"), "the smallest unit is us, microseconds"),
    "M": "write min for minutes, or ms for milliseconds",
}
_AFTER_NUMBERS = ("AND", "OR", "BETWEEN", *CLAUSES)


def parse_number(cursor: Cursor, *, is_length: bool = False) -> Literal:
    """`3`, `2.5`, `95%`, `10 minutes`, `1 hour 30 minutes`, `10 units`.

    A word behind the number is a unit. Where no length of time is asked for (`is_length`), one
    that is none may have been meant as something else.
    """
    start = cursor.advance()
    if cursor.token.key == "%" and _is_percent(cursor, start):
        cursor.advance()
        percent = _canonical(_exact(start).scaleb(-2, _EXACT))
        if len(f"{percent:f}") > MOST_DIGITS:
            raise _too_long(cursor.since(start))
        return Literal(percent, cursor.since(start))
    if not _is_unit(cursor.token):
        return Literal(_plain(start), start.span)
    if cursor.accept("UNIT", "UNITS"):
        return Literal(_plain(start), cursor.since(start))
    if not is_length and not _resembles_unit(cursor.token):
        raise _no_operator(cursor, start)
    total = _EXACT.multiply(_exact(start), _unit(cursor))
    while cursor.token.kind is TokenKind.NUMBER and _is_unit(cursor.peek()):
        total = _EXACT.add(total, _EXACT.multiply(_exact(cursor.advance()), _unit(cursor)))
    return Literal(_duration(total, cursor.since(start)), cursor.since(start))


def parse_interval(cursor: Cursor) -> Literal:
    """`INTERVAL 10 MINUTES`, `INTERVAL '10' MINUTES`, `INTERVAL '10 minutes'`."""
    start = cursor.advance()
    length: Constant
    match cursor.token.kind:
        case TokenKind.NUMBER:
            length = parse_number(cursor, is_length=True).value
        case TokenKind.STRING if _is_unit(cursor.peek()):
            number = _quoted_number(cursor)
            length = _duration(_EXACT.multiply(number, _unit(cursor)), cursor.since(start))
        case TokenKind.STRING:
            length = _quoted_length(cursor)
        case _:
            cursor.fail("a length of time behind INTERVAL", "for example INTERVAL 10 MINUTES")
    if not isinstance(length, Duration):
        raise WindowError("this interval has no unit of time", cursor.since(start), _UNITS)
    return Literal(length, cursor.since(start))


def parse_moment(cursor: Cursor) -> Literal:
    """`DATE '2024-01-31'`, `TIMESTAMP '2024-01-31 12:00:00'`, `TIMESTAMP_NTZ '…'`."""
    keyword, quoted = cursor.advance(), cursor.advance()
    found: dt.date | dt.datetime | None
    if keyword.key == "DATE":
        kind, example = "date", "DATE '2024-01-31'"
        found = parse_date(quoted.value)
    else:
        kind, example = "timestamp", f"{keyword.key} '2024-01-31 12:00:00'"
        found = parse_timestamp(quoted.value)
    if found is None:
        raise QuerySyntaxError(f"this is not a {kind}", quoted.span, f"write it as {example}")
    if isinstance(found, dt.datetime):
        found = _without_zone(found, quoted) if keyword.key.endswith("NTZ") else in_utc(found)
    return Literal(found, cursor.since(keyword))


def parse_bytes(cursor: Cursor) -> Literal:
    """`X'0AFF'`."""
    token = cursor.advance()
    if len(token.value) % 2:
        reason = "a binary string has two digits for each byte"
        raise QuerySyntaxError(reason, token.span, f"write X'0{token.value}'")
    return Literal(bytes.fromhex(token.value), token.span)


def _without_zone(moment: dt.datetime, quoted: Token) -> dt.datetime:
    if moment.tzinfo is not None:
        raise QuerySyntaxError(
            "a timestamp without time zone cannot name one",
            quoted.span,
            "leave the zone out, or write TIMESTAMP for a moment in that zone",
        )
    return moment


def _quoted_number(cursor: Cursor) -> Decimal:
    token = cursor.advance()
    inner = _within(token)
    if inner.token.kind is TokenKind.NUMBER and inner.peek().kind is TokenKind.END:
        return _exact(inner.token)
    raise QuerySyntaxError("expected one number in these quotes", token.span, _INTERVALS)


def _quoted_length(cursor: Cursor) -> Constant:
    """The value in the quotes of `INTERVAL '1 hour 30 minutes'`."""
    token = cursor.advance()
    inner = _within(token)
    if inner.token.kind is TokenKind.NUMBER:
        try:
            length = parse_number(inner, is_length=True).value
        except KleeneError as error:
            raise type(error)(error.reason, token.span, *error.hints) from None
        if inner.at_end():
            return length
    raise QuerySyntaxError("expected a length of time in these quotes", token.span, _INTERVALS)


_INTERVALS = "write INTERVAL 10 MINUTES, or INTERVAL '1 hour 30 minutes'"


def _within(quoted: Token) -> Cursor:
    """A cursor over what stands in quotes; its errors are errors of the quotes."""
    try:
        return Cursor(quoted.value)
    except KleeneError as error:
        raise QuerySyntaxError(error.reason, quoted.span, _INTERVALS) from None


def _is_percent(cursor: Cursor, number: Token) -> bool:
    """`95%` is a percentage where no operand follows; otherwise `%` is the remainder."""
    sign, behind = cursor.token, cursor.peek()
    match behind.kind:
        case TokenKind.END:
            return True
        case TokenKind.SYMBOL if behind.key in ("-", "+"):
            return sign.start == number.end
        case TokenKind.SYMBOL:
            return behind.key != "("
        case TokenKind.WORD:
            return behind.key in EXPRESSION_WORDS - {"CASE", "NULL", "TRUE", "FALSE", "NOT"}
        case _:
            return False


def _is_unit(token: Token) -> bool:
    """Whether a word stands where a unit may: any word that is not one of the language."""
    own = token.key in EXPRESSION_WORDS or token.key in BEHIND_RETURN
    return token.kind is TokenKind.WORD and not own


def _unit(cursor: Cursor) -> int:
    """Read a unit of time, in microseconds."""
    token = cursor.token
    size = MICROSECONDS.get(token.value.casefold())
    if size is None:
        mistaken = _MISTAKEN_UNITS.get(token.key)
        if any(map(str.isdigit, token.value)):
            mistaken = "blanks stand between units and numbers, as in 1 h 30 min"
        hints = (mistaken,) if mistaken else _nearest_unit(token) or (_UNITS,)
        raise WindowError(f"{shown(token.value)} is no unit of time", token.span, *hints)
    cursor.advance()
    return size


def _nearest_unit(token: Token) -> tuple[str, ...]:
    return nearest(token.value, (name for name in (*MICROSECONDS, "units") if len(name) > 1))


def _resembles_unit(token: Token) -> bool:
    """Whether a word is a unit, or was at least meant as one."""
    name = token.value.casefold()
    return name in MICROSECONDS or token.key in _MISTAKEN_UNITS or bool(_nearest_unit(token))


def _no_operator(cursor: Cursor, number: Token) -> KleeneError:
    """The error of a word behind a number that is neither a unit nor anything else."""
    if cursor.token.start == number.end:
        hints: tuple[str, ...] = ("a number is written in decimal digits alone",)
    else:
        known = nearest(cursor.token.value, _AFTER_NUMBERS)
        hints = known or (f"is an operator missing? or a unit: {_UNITS}",)
    return cursor.unexpected("an operator or the next clause behind the number", *hints)


def _plain(token: Token) -> int | Decimal | float:
    if "e" in token.value or "E" in token.value:
        value = float(token.value)
        if isinf(value):
            raise QuerySyntaxError(
                "this number is too large", token.span, "the largest is about 1.8e308"
            )
        return value
    exact = _exact(token)
    return _canonical(exact) if "." in token.value else int(exact)


def _exact(token: Token) -> Decimal:
    if len(token.value) > MOST_DIGITS:
        raise _too_long(token.span)
    if "e" in token.value or "E" in token.value:
        raise without_exponent(token.value, token.span)
    return Decimal(token.value)


def _too_long(span: Span) -> QuerySyntaxError:
    return QuerySyntaxError(
        f"a number has at most {MOST_DIGITS} digits",
        span,
        "leave the last digits away, or write a double: 1.5e40",
    )


def without_exponent(value: str, span: Span) -> QuerySyntaxError:
    """The error of a number that has to be exact and is written like one that need not be."""
    plain = f"{Decimal(value):f}" if abs(Decimal(value).adjusted()) < MOST_DIGITS else ""
    hints = (f"write {plain}",) if plain else ()
    return QuerySyntaxError("an exponent is not possible here", span, *hints)


def _canonical(number: Decimal) -> Decimal:
    """The number in one spelling: no trailing zeros, but always a place behind the point."""
    shortest = number.normalize(_EXACT)
    exponent = shortest.as_tuple().exponent
    whole = isinstance(exponent, int) and exponent >= 0
    return shortest.quantize(Decimal("0.1"), context=_EXACT) if whole else shortest


def _duration(microseconds: Decimal, span: Span) -> Duration:
    if microseconds != microseconds.to_integral_value():
        raise WindowError("time is counted in whole microseconds", span, "the shortest is 1 us")
    if microseconds > _LARGEST:
        reason = "this is longer than time can be counted"
        raise WindowError(
            reason, span, "the longest is 15000000 weeks; leave WITHIN out for no limit"
        )
    return Duration(int(microseconds))
