"""Points of time as Python has them, on one line: microseconds since 1970 in UTC.

Python compares and subtracts two datetimes of one zone by their clocks, which goes wrong where
the clocks are turned; on the line nothing does. A date is its midnight, and what has no zone is
in UTC. Beyond the years 1 to 9999 there is null, for Python has no such dates.
"""

from __future__ import annotations

import datetime as dt

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
MICROSECOND = dt.timedelta(microseconds=1)
LARGEST = 2**63 - 1


def at_midnight(moment: dt.date) -> dt.datetime:
    """A date as a timestamp without a zone; a timestamp as it is."""
    if isinstance(moment, dt.datetime):
        return moment
    return dt.datetime.combine(moment, dt.time())


def micros(moment: dt.date) -> int:
    """Where a date or timestamp is on the line."""
    point = at_midnight(moment)
    aware = point if point.tzinfo else point.replace(tzinfo=dt.UTC)
    return int((aware - EPOCH) // MICROSECOND)


def timestamp_at(position: int, zone: dt.tzinfo | None) -> dt.datetime | None:
    """The timestamp at a place on the line, with the clock of a zone or, without one, of UTC."""
    try:
        point = EPOCH + dt.timedelta(microseconds=position)
        return point.replace(tzinfo=None) if zone is None else point.astimezone(zone)
    except OverflowError:
        return None


def date_moved(day: dt.date, days: int) -> dt.date | None:
    """The date so many days later."""
    try:
        return dt.date(day.year, day.month, day.day) + dt.timedelta(days=days)
    except OverflowError:
        return None


def duration_of(microseconds: int) -> dt.timedelta | None:
    """A duration, or null where 64 bits do not count it."""
    if not -LARGEST - 1 <= microseconds <= LARGEST:
        return None
    return dt.timedelta(microseconds=microseconds)
