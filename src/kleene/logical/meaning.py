"""A query applied to rows: which matches there are, each with its range and confidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from kleene.logical.algebra import LogicalQuery, variables_of
from kleene.logical.binding import Binding, Value, all_events, events_of
from kleene.logical.denotation import matches
from kleene.logical.history import HistoryEvent, KnownRow, Row, Time, know, moment, order
from kleene.logical.worlds import Uncertainty, uncertain, worlds

THRESHOLD_TOLERANCE = Fraction(1, 10**9)
"""Confidences are compared to this precision, by every way of evaluating (semantics 5)."""


@dataclass(frozen=True, slots=True)
class Match:
    """A match as it is shown: events by the number of their row, hidden variables left out.

    Where everything that is not hidden is unbound it has no start and no end; `anchor`, one of
    its events, hidden or not, tells its partition even then.
    """

    binding: Binding
    anchor: int
    start: Time | None
    end: Time | None
    confidence: Fraction = Fraction(1)


@dataclass(frozen=True, slots=True)
class Meaning:
    """The matches of a query, the rows that their numbers mean, and how many were no events."""

    matches: tuple[Match, ...]
    rows: tuple[KnownRow, ...]
    bad_rows: int


Signature = tuple[object, ...]


def meaning(query: LogicalQuery, rows: Sequence[Row], unit: Time = 1) -> Meaning:
    """What a query means for rows (semantics 1 to 6)."""
    known = know(rows, query.resolved)
    if query.resolved.shape.imprecise:
        return _imprecise(query, known, unit)
    column = query.resolved.shape.time[0]
    timed = [(moment(row.row[column]), row) for row in known]
    good = [(time, row) for time, row in timed if time is not None]
    found = shown(query, order(good))
    return Meaning(tuple(found.values()), tuple(known), len(rows) - len(good))


def shown(query: LogicalQuery, events: Sequence[HistoryEvent]) -> dict[Signature, Match]:
    """The matches among events of precise time, each as it is shown, once (semantics 2, EXISTS)."""
    names = [n for n in variables_of(query.pattern) if not query.variables[n].hidden]
    sets = {n for n in names if query.variables[n].kleene and not query.variables[n].sequence}
    found: dict[Signature, Match] = {}
    for binding in matches(query, events):
        rows = {n: _rows(binding[n], events, as_set=n in sets) for n in names}
        any_event = events[all_events(binding)[0]].known
        times = [events[event].time for event in all_events({n: binding[n] for n in names})]
        match = Match(rows, any_event.number, min(times, default=None), max(times, default=None))
        found.setdefault((any_event.partition, *rows.values()), match)
    return found


def _rows(value: Value, events: Sequence[HistoryEvent], *, as_set: bool) -> Value:
    """The numbers of rows in place of positions; a set is listed in one way, whatever the world."""
    match value:
        case int():
            return events[value].known.number
        case tuple():
            items = tuple(_rows(item, events, as_set=as_set) for item in value)
            flat = as_set and all(isinstance(item, int) for item in value)
            return tuple(sorted(events_of(items))) if flat else items
        case _:
            return value


def _imprecise(query: LogicalQuery, known: Sequence[KnownRow], unit: Time) -> Meaning:
    """Matches of all worlds, grouped by signature, with the weight of their worlds."""
    shape = query.resolved.shape
    lower, upper = shape.time
    how = Uncertainty(lower, upper, unit, shape.probabilities)
    events = [event for row in known if (event := uncertain(row, how)) is not None]
    found: dict[Signature, Match] = {}
    for weight, timed in worlds(events):
        for signature, match in shown(query, order(timed)).items():
            before = found.get(signature, replace(match, confidence=Fraction(0)))
            found[signature] = _widened(before, match, weight)
    least = Fraction(query.resolved.confidence or 0) - THRESHOLD_TOLERANCE
    kept = tuple(match for match in found.values() if match.confidence >= least)
    return Meaning(kept, tuple(known), len(known) - len(events))


def _widened(before: Match, match: Match, weight: Fraction) -> Match:
    """The match with one more world: its range and confidence grow."""
    starts = [time for time in (before.start, match.start) if time is not None]
    ends = [time for time in (before.end, match.end) if time is not None]
    return replace(
        before,
        start=min(starts, default=None),
        end=max(ends, default=None),
        confidence=before.confidence + weight,
    )
