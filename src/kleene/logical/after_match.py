"""AFTER MATCH: which of the matches of a partition are kept (semantics 4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kleene.language.syntax import AfterMatch, SkipMode
from kleene.logical.binding import Binding, Value, all_events, events_of


@dataclass(frozen=True, slots=True)
class Walk:
    """The clause, the variables in the order of the pattern, and the ranks of the events."""

    clause: AfterMatch
    variables: Sequence[str]
    ranks: Sequence[int]


def kept(
    matches: Iterable[Binding],
    clause: AfterMatch | None,
    variables: Sequence[str],
    ranks: Sequence[int],
) -> list[Binding]:
    """Walk the matches in their order, keeping those that the ones kept before allow."""
    if clause is None or clause.mode is SkipMode.NO_SKIP:
        return list(matches)
    found: list[Binding] = []
    for match in sorted(matches, key=lambda match: order_of(match, variables)):
        if obstacle(match, found, Walk(clause, variables, ranks)) is None:
            found.append(match)
    return found


def order_of(match: Binding, variables: Sequence[str]) -> tuple[object, ...]:
    """By last event, first event, the sorted events, then variable by variable."""
    events = all_events(match)
    return events[-1], events[0], events, [comparable(match[name]) for name in variables]


def comparable(value: Value) -> tuple[object, ...]:
    """A key that orders values of one variable: unbound first, arrays lexicographically."""
    match value:
        case None:
            return (0,)
        case int():
            return (1, value)
        case tuple():
            return (1, tuple(comparable(item) for item in value))
        case _:
            raise AssertionError("a match is complete")


def obstacle(match: Binding, found: Sequence[Binding], walk: Walk) -> Binding | None:
    """Of the matches kept before, in their order, one that leaves no room for another match."""
    events = all_events(match)
    if walk.clause.mode is SkipMode.CONSUME:
        return next((o for o in found if not set(events).isdisjoint(all_events(o))), None)
    target = _target(found[-1], walk) if found else None
    if target is None:
        return next((other for other in found if all_events(other)[0] == events[0]), None)
    # After and not before are those of the order: the total order puts no event before another.
    first, behind = walk.ranks[events[0]], walk.ranks[target]
    free = first > behind if walk.clause.mode is SkipMode.PAST_LAST else first >= behind
    return None if free else found[-1]


def _target(last: Binding, walk: Walk) -> int | None:
    """The event to skip to; None skips like NEXT EVENT, as an unbound variable does."""
    clause = walk.clause
    if clause.mode is SkipMode.PAST_LAST:
        return all_events(last)[-1]
    if clause.variable is None:
        return None
    name = next(n for n in walk.variables if n.casefold() == clause.variable.key)
    events = sorted(events_of(last[name]))
    if not events:
        return None
    return events[0] if clause.mode is SkipMode.TO_FIRST else events[-1]
