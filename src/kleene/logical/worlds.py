"""Imprecise time: possible worlds, signatures and their confidence (semantics 5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import product

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
    """The points of time from the lower to the upper bound, both included."""
    lower, upper = moment(row[how.lower]), moment(row[how.upper])
    if lower is None or upper is None:
        return []
    found: list[Time] = []
    while (point := _later(lower, how.unit, len(found))) <= upper:
        found.append(point)
    return found


def _later(start: Time, unit: Time, steps: int) -> Time:
    if isinstance(start, float):
        return start + float(unit) * steps
    if isinstance(start, Decimal) or isinstance(unit, Decimal):
        return Decimal(start) + Decimal(unit) * steps
    return start + int(unit) * steps


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
