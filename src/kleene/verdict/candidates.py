"""Which events a negation can be about: by the place that it has, and by its conditions.

Whatever is left out is in no extension, at no level: an extension lies between the neighbours of
its negation, fits into a window with the binding, and each of its events meets the conditions that
ask about that event and the binding alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from kleene.language.expressions import Attribute, Expression, IndexKind
from kleene.language.traversal import walk
from kleene.logical.algebra import (
    And,
    Event,
    Extended,
    Kleene,
    LogicalQuery,
    Node,
    Not,
    Optional,
    Or,
    Repeat,
    Seq,
    variables_of,
)
from kleene.logical.algebra import walk as walk_nodes
from kleene.logical.binding import Binding, Value, all_events, events_of
from kleene.logical.decide import holds
from kleene.logical.denotation import window
from kleene.logical.history import HistoryEvent, Time
from kleene.logical.negation import World, negations
from kleene.verdict.scene import Interval, Scene


def reach(scene: Scene, binding: Binding) -> Interval:
    """The times at which an event can be in one window with a binding."""
    extent = window(scene.query)
    if extent is None:
        return None, None
    times = [scene.events[event].time for event in all_events(binding)]
    return max(times) - extent, min(times) + extent  # type: ignore[operator]


def stretches(scene: Scene, binding: Binding) -> dict[int, Interval]:
    """For each negation of the pattern, by its number, the times between which it can be met."""
    pattern = scene.query.pattern
    return dict(_Stretcher(scene, binding).below(pattern, reach(scene, binding)))


@dataclass(frozen=True)
class _Stretcher:
    scene: Scene
    binding: Binding

    def below(self, node: Node, around: Interval) -> Iterator[tuple[int, Interval]]:
        match node:
            case Not():
                yield node.number, around
            case Event() | Kleene():
                return
            case Seq():
                for place, part in enumerate(node.parts):
                    before = self._times(node.parts[:place])
                    behind = self._times(node.parts[place + 1 :])
                    yield from self.below(part, _narrowed(around, before, behind))
            case And() | Or():
                for part in node.parts:
                    yield from self.below(part, around)
            case Optional() | Extended():
                yield from self.below(node.body, around)
            case Repeat():  # which iteration it is about is not asked
                for negation in negations(node.body):
                    yield negation.number, around
            case _:
                assert_never(node)

    def _times(self, parts: Sequence[Node]) -> list[Time]:
        names = [name for part in parts for name in variables_of(part)]
        events = (event for name in names for event in events_of(self.binding[name]))
        return [self.scene.events[event].time for event in events]


def _narrowed(around: Interval, before: list[Time], behind: list[Time]) -> Interval:
    low, high = around
    lows = before if low is None else [*before, low]
    highs = behind if high is None else [*behind, high]
    return max(lows, default=None), min(highs, default=None)


def involved(scene: Scene, binding: Binding, negation: Not, interval: Interval) -> World:
    """The binding with the events that can be in an extension through a negation."""
    bound = set(all_events(binding))
    low, high = interval
    sieve = _Sieve(scene, binding, tuple(_wanted(scene.query, binding, negation)))
    some = scene.numbers[next(iter(bound))]
    candidates = [
        event
        for event in scene.beside(some)
        if event.position in bound
        or (
            (low is None or event.time >= low)
            and (high is None or event.time <= high)
            and sieve.lets_pass(event)
        )
    ]
    return scene.world(candidates)


@dataclass(frozen=True)
class _Wanted:
    """A variable below a negation, and conditions that each of its events meets."""

    node: Event | Kleene
    conditions: tuple[Expression, ...]


@dataclass(frozen=True)
class _Sieve:
    scene: Scene
    binding: Binding
    wanted: tuple[_Wanted, ...]

    def lets_pass(self, event: HistoryEvent) -> bool:
        return any(
            event.is_of(wanted.node.type)
            and all(
                holds(c, {**self.binding, wanted.node.variable: value}, self.scene.ground)
                for c in wanted.conditions
            )
            for wanted in self.wanted
            for value in [self._alone(wanted.node, event.position)]
        )

    def _alone(self, node: Event | Kleene, event: int) -> Value:
        return (event,) if isinstance(node, Kleene) else event


def _wanted(query: LogicalQuery, binding: Binding, negation: Not) -> Iterator[_Wanted]:
    owners = {node.number: node for node in walk_nodes(negation) if isinstance(node, Not)}
    for node in walk_nodes(negation.body):
        match node:
            case Event() | Kleene():
                # What an inner negation asks of it decides over moves of the inner one alone.
                owner = owners[query.variables[node.variable].negations[-1]]
                alone = (c for c in owner.conditions if _is_about(c, node, query, binding))
                yield _Wanted(node, tuple(alone))
            case _:
                pass


def _is_about(
    condition: Expression, node: Event | Kleene, query: LogicalQuery, binding: Binding
) -> bool:
    """Whether a condition asks about each event of a variable and the binding alone."""
    attributes = [part for part in walk(condition) if isinstance(part, Attribute)]
    own = [part.indices for part in attributes if part.variable == node.variable]
    each = (IndexKind.EACH,) if isinstance(node, Kleene) else ()
    outside = len(query.loops[node.variable]) == len(each)
    others = {part.variable for part in attributes} - {node.variable}
    return outside and bool(own) and others <= binding.keys() and set(own) == {each}


def kinds_below(node: Node) -> set[str | None]:
    """The types of event that a pattern names, negated ones included; None is whatever type."""
    return {part.type for part in walk_nodes(node) if isinstance(part, Event | Kleene)}


def kinds_of_positive(node: Node) -> set[str | None]:
    """The types of event that matches of a pattern are made of."""
    if isinstance(node, Seq | And | Or):
        positive = replace(node, parts=tuple(p for p in node.parts if not isinstance(p, Not)))
        return {kind for part in positive.parts for kind in kinds_of_positive(part)}
    if isinstance(node, Optional | Repeat | Extended):
        return kinds_of_positive(node.body)
    return kinds_below(node)
