"""Dates and timestamps written as text, read as Spark's casts read them.

A timestamp without a zone is in UTC wherever an instant is asked for. Years run from 1 to 9999,
which is what Python knows; a time of day alone is no timestamp, for it would mean today.
"""

from __future__ import annotations

import datetime as dt
import re
from zoneinfo import ZoneInfo

_DAY = r"\+?(\d{4,7})(?:-(\d{1,2})(?:-(\d{1,2}))?)?"
_DATE = re.compile(_DAY, re.ASCII)
_DATE_AND_MORE = re.compile(r"(\+?\d{4,7}-\d{1,2}-\d{1,2})[T ].*", re.ASCII | re.DOTALL)
_CLOCK = re.compile(r"[T ](\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:\.(\d*))?)?)? *(\S.*)?", re.ASCII)
_OFFSET = re.compile(
    r"(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d{1,2}))?(?::(\d{1,2}))?", re.ASCII | re.IGNORECASE
)
BLANKS = "".join(map(chr, range(33)))
"""What casts of strings leave away at both ends."""

_FARTHEST = dt.timedelta(hours=18)
_MICROSECOND_DIGITS = 6


def parse_date(text: str) -> dt.date | None:
    """`2024-01-31`, `2024-1`, `2024`; None for what is no date.

    >>> parse_date(" 2024-2 "), parse_date("2024-02-30")
    (datetime.date(2024, 2, 1), None)
    """
    found = _DATE.fullmatch(text.strip(BLANKS))
    if found is None:
        return None
    year, month, day = (int(part or 1) for part in found.groups())
    try:
        return dt.date(year, month, day)
    except ValueError:
        return None


def parse_day(text: str) -> dt.date | None:
    """As `parse_date`, but whatever follows the day behind a blank or a T is let go."""
    longer = _DATE_AND_MORE.fullmatch(text.strip(BLANKS))
    return parse_date(longer[1] if longer else text)


def parse_timestamp(text: str) -> dt.datetime | None:
    """`2024-01-31 12:00:00.5 +02:00` and its shorter forms: in the zone that it names, or none.

    >>> in_utc(parse_timestamp("2024-01-31T12:00+02"))
    datetime.datetime(2024, 1, 31, 10, 0, tzinfo=datetime.timezone.utc)
    """
    text = text.strip(BLANKS)
    start = _DATE.match(text)
    day = parse_date(start[0]) if start else None
    if start is None or day is None:
        return None
    midnight = dt.datetime.combine(day, dt.time())
    if start.end() == len(text):
        return midnight
    clock = _CLOCK.fullmatch(text, start.end())
    return None if clock is None or start[3] is None else _at(midnight, clock)


def _at(midnight: dt.datetime, clock: re.Match[str]) -> dt.datetime | None:
    hour, minute, second, fraction, zone = clock.groups()
    micros = (fraction or "")[:_MICROSECOND_DIGITS].ljust(_MICROSECOND_DIGITS, "0")
    try:
        moment = midnight.replace(
            hour=int(hour),
            minute=int(minute or 0),
            second=int(second or 0),
            microsecond=int(micros),
        )
        if zone is None:
            return moment
        moment = moment.replace(tzinfo=_zone(zone))
        in_utc(moment)
    except (ValueError, OverflowError, OSError, KeyError):
        return None
    else:
        return moment


def in_utc(moment: dt.datetime) -> dt.datetime:
    """The same instant in UTC, which is also where one without a zone is taken to be."""
    if moment.tzinfo is None:
        return moment.replace(tzinfo=dt.UTC)
    return moment.astimezone(dt.UTC)


def _zone(text: str) -> dt.tzinfo:
    """`Z`, `+02:00`, `UTC+2`, `Europe/Berlin`; errors of several types for anything else."""
    if text in {"Z", "UTC", "GMT", "UT"}:
        return dt.UTC
    offset = _OFFSET.fullmatch(text)
    if offset is None:
        return ZoneInfo(text)
    hours, minutes, seconds = (int(part or 0) for part in offset.groups()[1:])
    distance = dt.timedelta(hours=hours, minutes=minutes, seconds=seconds)
    if distance > _FARTHEST or max(minutes, seconds) > 59:  # noqa: PLR2004 - of a clock
        raise ValueError(text)
    return dt.timezone(distance if offset[1] == "+" else -distance)
