"""Imprecise time: possible worlds, signatures and their confidence (semantics 5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import floor

from kleene.logical.arithmetic import EXACT
from kleene.logical.history import KnownRow, Row, Time, moment

_ADDS_UP = Fraction(1, 10**9)
"""How far the probabilities of an event may be from one: the precision of confidences."""


@dataclass(frozen=True, slots=True)
class UncertainEvent:
    """A row with the times that it may have, each with its weight."""

    known: KnownRow
    points: tuple[tuple[Time, Fraction], ...]


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """Where the interval of an event stands, and the unit of the time line."""

    lower: str
    upper: str
    unit: Time
    probabilities: str | None = None


def uncertain(known: KnownRow, how: Uncertainty) -> UncertainEvent | None:
    """The event of a row; None if its interval or its probabilities make it none (semantics 1)."""
    times = interval(known.row, how)
    if not times:
        return None
    weights = _weights(known.row, how, len(times))
    if weights is None:
        return None
    points = tuple((t, w) for t, w in zip(times, weights, strict=True) if w > 0)
    return UncertainEvent(known, points)


def interval(row: Row, how: Uncertainty) -> list[Time]:
    """The points of time from the lower to the upper bound, both included.

    Counted in the numbers that are written, so that of doubles 0.3 is two steps of 0.1 after 0.1.
    """
    lower, upper = moment(row[how.lower]), moment(row[how.upper])
    if lower is None or upper is None:
        return []
    start, unit = _written(lower), _written(how.unit)
    steps = floor((_written(upper) - start) / unit)
    return [_point(start + unit * step, lower, how.unit) for step in range(steps + 1)]


def _written(number: Time) -> Fraction:
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


def _point(value: Fraction, start: Time, unit: Time) -> Time:
    """A point as a number of the kind that times are."""
    if isinstance(start, float):
        return float(value)
    if isinstance(start, Decimal) or isinstance(unit, Decimal):
        return EXACT.divide(Decimal(value.numerator), Decimal(value.denominator))
    return int(value)


def _weights(row: Row, how: Uncertainty, points: int) -> list[Fraction] | None:
    """The probability of each point: uniform unless given; None where they make no sense."""
    given = None if how.probabilities is None else row[how.probabilities]
    if given is None:
        return [Fraction(1, points)] * points
    assert isinstance(given, list)
    if len(given) != points or not all(_is_probability(p) for p in given):
        return None
    weights = [Fraction(p) for p in given]
    return weights if abs(sum(weights, Fraction(-1))) <= _ADDS_UP else None


def _is_probability(value: object) -> bool:
    return isinstance(value, int | float | Decimal) and 0 <= float(value) <= 1


def worlds(
    events: Sequence[UncertainEvent],
) -> Iterator[tuple[Fraction, list[tuple[Time, KnownRow]]]]:
    """Every combination of points of positive weight, with the product of their weights."""
    for combination in product(*(event.points for event in events)):
        weight = Fraction(1)
        for _, probability in combination:
            weight *= probability
        yield (
            weight,
            [(time, event.known) for (time, _), event in zip(combination, events, strict=True)],
        )
