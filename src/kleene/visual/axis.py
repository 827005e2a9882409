"""Times as numbers on an axis, in a unit that suits them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

_UNITS = (("ms", 1e-3), ("s", 1.0), ("min", 60.0), ("h", 3600.0), ("days", 86400.0))
_ENOUGH = 5
"""Units that an axis should be long, or else the next smaller unit is taken."""
_STEPS = (1, 2, 5, 10)


@dataclass(frozen=True, slots=True)
class Axis:
    """A line of time: numbers as they are, or moments counted from the first in a unit."""

    label: str
    origin: object
    length: float
    seconds: float | None
    """The length of the unit; None where times are numbers."""

    def at(self, moment: object) -> float:
        """The place of a moment."""
        if self.seconds is None:
            return float(moment)  # type: ignore[arg-type]
        return _since(self.origin, moment) / self.seconds

    def ticks(self, most: int) -> list[float]:
        """Round numbers along the axis, not more than `most` and two at least."""
        first = 0.0 if self.seconds is not None else float(self.origin)  # type: ignore[arg-type]
        rough = self.length / max(most - 1, 1)
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(power * n for n in _STEPS if power * n >= rough * (1 - 1e-9))
        start = math.ceil(first / step - 1e-9)
        end = math.floor((first + self.length) / step + 1e-9)
        return [round(n * step, 12) for n in range(start, end + 1)]

    @property
    def start(self) -> float:
        """Where the axis begins."""
        return self.at(self.origin)


def axis_of(moments: Iterable[object], column: str) -> Axis:
    """The axis for all of these moments, which are the values of a column of times.

    >>> axis_of([datetime(2026, 1, 1), datetime(2026, 1, 1, 0, 0, 42)], "ts").label
    's since 2026-01-01 00:00:00'
    >>> axis_of([3, 50], "n").ticks(6)
    [10.0, 20.0, 30.0, 40.0, 50.0]
    """
    known = list(moments)
    first, last = min(known, default=0), max(known, default=0)  # type: ignore[type-var]
    if not isinstance(first, date):
        length = float(last) - float(first)  # type: ignore[arg-type]
        return Axis(column, first, length or 1.0, None)
    seconds = _since(first, last)
    name, unit = max((u for u in _UNITS if u[1] * _ENOUGH <= seconds), default=_UNITS[0], key=_size)
    told = f"{first:%Y-%m-%d %H:%M:%S}" if isinstance(first, datetime) else str(first)
    return Axis(f"{name} since {told}", first, seconds / unit or 1.0, unit)


def _size(unit: tuple[str, float]) -> float:
    return unit[1]


def _since(origin: object, moment: object) -> float:
    elapsed: timedelta = moment - origin  # type: ignore[operator]
    return elapsed.total_seconds()
