"""Functions on dates and timestamps: their fields are those of the clock in their own zone."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from functools import partial

from kleene.language.function_rules import TRUNCATIONS
from kleene.logical.moments import at_midnight, date_moved, micros, timestamp_at


def date_of(moment: dt.date) -> dt.date:
    return moment.date() if isinstance(moment, dt.datetime) else moment


def quarter(moment: dt.date) -> int:
    return (moment.month + 2) // 3


def day_from_sunday(moment: dt.date) -> int:
    """1 on Sundays, 7 on Saturdays; `weekday` is 0 on Mondays."""
    return moment.isoweekday() % 7 + 1


def date_add(moment: dt.date, days: int) -> dt.date | None:
    return date_moved(date_of(moment), days)


def date_sub(moment: dt.date, days: int) -> dt.date | None:
    return date_moved(date_of(moment), -days)


def datediff(end: dt.date, start: dt.date) -> int:
    return (date_of(end) - date_of(start)).days


def date_trunc(unit: str, moment: dt.date) -> dt.datetime | None:
    """The start of the year, …, microsecond on the clock of the zone; null for no such unit."""
    point = at_midnight(moment)
    midnight = point.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    match TRUNCATIONS.get(unit.lower()):
        case "year":
            return midnight.replace(month=1, day=1)
        case "quarter":
            return midnight.replace(month=quarter(point) * 3 - 2, day=1)
        case "month":
            return midnight.replace(day=1)
        case "week":
            return midnight - dt.timedelta(days=point.weekday())
        case "day":
            return midnight
        case "hour":
            return point.replace(minute=0, second=0, microsecond=0)
        case "minute":
            return point.replace(second=0, microsecond=0)
        case "second":
            return point.replace(microsecond=0)
        case "millisecond":
            return point.replace(microsecond=point.microsecond // 1000 * 1000)
        case "microsecond":
            return point
        case _:
            return None


def since_epoch(moment: dt.datetime, *, unit: int) -> int:
    """Whole units of so many microseconds since 1970, rounded down."""
    return micros(moment) // unit


def from_epoch(count: int, *, unit: int) -> dt.datetime | None:
    return timestamp_at(count * unit, dt.UTC)


CALENDAR: dict[str, Callable[..., object]] = {
    "year": lambda moment: moment.year,
    "quarter": quarter,
    "month": lambda moment: moment.month,
    "weekofyear": lambda moment: moment.isocalendar().week,
    "day": lambda moment: moment.day,
    "dayofmonth": lambda moment: moment.day,
    "dayofyear": lambda moment: moment.timetuple().tm_yday,
    "dayofweek": day_from_sunday,
    "weekday": lambda moment: moment.weekday(),
    "hour": lambda moment: at_midnight(moment).hour,
    "minute": lambda moment: at_midnight(moment).minute,
    "second": lambda moment: at_midnight(moment).second,
    "date_add": date_add,
    "date_sub": date_sub,
    "datediff": datediff,
    "date_diff": datediff,
    "date_trunc": date_trunc,
    "unix_seconds": partial(since_epoch, unit=1_000_000),
    "unix_millis": partial(since_epoch, unit=1_000),
    "unix_micros": partial(since_epoch, unit=1),
    "timestamp_seconds": partial(from_epoch, unit=1_000_000),
    "timestamp_millis": partial(from_epoch, unit=1_000),
    "timestamp_micros": partial(from_epoch, unit=1),
}
