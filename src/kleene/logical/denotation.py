"""The meaning of a query, executed as it is written down: slow, direct, and obviously right.

Every other way of evaluating is compared with this one. Nothing here is clever on purpose.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa

from kleene.language.expressions import Duration
from kleene.language.syntax import Strategy
from kleene.logical.after_match import kept
from kleene.logical.algebra import LogicalQuery, variables_of
from kleene.logical.binding import Binding, all_events
from kleene.logical.decide import Ground, holds
from kleene.logical.derive import derive
from kleene.logical.history import HistoryEvent, Time
from kleene.logical.negation import World, survives
from kleene.logical.next_match import next_matches


def matches(query: LogicalQuery, events: Sequence[HistoryEvent]) -> list[Binding]:
    """The matches among all events of an input, before EXISTS and output (semantics 2 to 4)."""
    ground = Ground(events, query.loops, query.aggregates)
    variables = list(variables_of(query.pattern))
    ranks = [event.rank for event in events]
    found: list[Binding] = []
    for candidates in partitions(events):
        world = World(candidates, ground, window(query))
        selected = [m for m in select(query, world) if survives(m, query.pattern, world)]
        found.extend(kept(selected, query.resolved.after_match, variables, ranks))
    return found


def partitions(events: Sequence[HistoryEvent]) -> list[list[HistoryEvent]]:
    """The events of each partition; those with a null key are in none (semantics 1)."""
    found: dict[tuple[object, ...], list[HistoryEvent]] = {}
    for event in events:
        if event.known.partition is not None:
            found.setdefault(event.known.partition, []).append(event)
    return list(found.values())


def window(query: LogicalQuery) -> Time | None:
    """The window in the numbers in which times are kept: 0.7 of doubles is the double 0.7."""
    extent = query.resolved.window
    if isinstance(extent, Duration):
        return extent.microseconds
    floating = pa.types.is_floating(query.resolved.shape.time_type)
    return float(extent) if extent is not None and floating else extent


def select(query: LogicalQuery, world: World) -> Iterable[Binding]:
    """What the positive part yields under the strategy of the query (semantics 4)."""
    match query.resolved.strategy:
        case Strategy.ANY:
            return any_matches(query, world)
        case Strategy.NEXT:
            found = next_matches(query.pattern, query.conditions, world)
            return distinct(found, list(variables_of(query.pattern)))
        case Strategy.STRICT:
            return (m for m in any_matches(query, world) if contiguous(m, world.ground.events))
        case Strategy.PARTITION:
            return (m for m in any_matches(query, world) if contiguous(m, world.candidates))


def any_matches(query: LogicalQuery, world: World) -> Iterator[Binding]:
    """Every binding that meets structure, window and conditions (semantics 2)."""
    parts = derive(query.pattern, world.material)
    bindings = (part.binding for part in parts if part.events)
    for binding in distinct(bindings, list(variables_of(query.pattern))):
        if world.fits_window(binding) and all(
            holds(condition, binding, world.ground) for condition in query.conditions
        ):
            yield binding


def distinct(bindings: Iterable[Binding], variables: Sequence[str]) -> Iterator[Binding]:
    """Two matches are the same iff their bindings are (semantics 2, Binding)."""
    seen = set()
    for binding in bindings:
        key = tuple(binding[name] for name in variables)
        if key not in seen:
            seen.add(key)
            yield binding


def contiguous(binding: Binding, neighbours: Sequence[HistoryEvent]) -> bool:
    """Whether consecutive events of the match are neighbours in the total order (semantics 4)."""
    places = {event.position: place for place, event in enumerate(neighbours)}
    taken = [places[event] for event in all_events(binding)]
    return taken[-1] - taken[0] == len(taken) - 1
