"""Every way in which a pattern can be laid over events (semantics 2).

This is the structure of a pattern alone: types, order, distinctness, bounds of quantifiers.
Conditions, windows and strategies choose among its derivations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import assert_never

from kleene.logical.algebra import (
    And,
    Event,
    Extended,
    Kleene,
    Node,
    Not,
    Optional,
    Or,
    Repeat,
    Seq,
)
from kleene.logical.binding import Binding, Value, nothing, unbound
from kleene.logical.history import HistoryEvent

BEFORE_ALL = -1
"""A rank that every event comes after."""


@dataclass(frozen=True, slots=True)
class Part:
    """A derivation of part of a pattern: what it binds.

    `extensions` counts how often the negation being tried took part, `added` are the events that
    it brought along.
    """

    binding: dict[str, Value]
    events: frozenset[int] = frozenset()
    extensions: int = 0
    added: frozenset[int] = frozenset()

    @property
    def present(self) -> bool:
        """Whether the part binds something of its own; an extension alone makes nothing present."""
        return self.events != self.added


@dataclass(frozen=True, slots=True)
class Material:
    """What derivations are made of.

    `fixed` gives the events of variables that are bound already: of those, derivations only
    confirm the place. `extending` is the negation whose extensions are counted.
    """

    candidates: Sequence[HistoryEvent]
    ranks: Mapping[int, int]
    fixed: Binding = field(default_factory=dict)
    extending: int | None = None

    def of(self, variable: str, kind: str | None, after: int) -> list[int]:
        """The events that may be bound to a variable, all after a rank."""
        fixed = self.fixed.get(variable, ...)
        if fixed is ...:
            return [e.position for e in self.candidates if e.rank > after and e.is_of(kind)]
        return [fixed] if isinstance(fixed, int) and self.ranks[fixed] > after else []


def derive(node: Node, material: Material, after: int = BEFORE_ALL) -> Iterator[Part]:
    """The derivations of a node from events that come after a rank."""
    match node:
        case Event():
            for event in material.of(node.variable, node.type, after):
                yield Part({node.variable: event}, frozenset((event,)))
        case Kleene():
            yield from _collections(node, material, after)
        case Seq():
            yield from _sequences(node.parts, material, after)
        case And():
            yield from _conjunctions(node.parts, material, after)
        case Or():
            yield from _choices(node, material, after)
        case Optional():
            yield Part(nothing(node))
            yield from (part for part in derive(node.body, material, after) if part.present)
        case Repeat():
            yield from _iterations(node, material, after)
        case Extended():
            yield from _extensions(node, material, after)
        case Not():
            yield Part({})
        case _:
            assert_never(node)


def _collections(node: Kleene, material: Material, after: int) -> Iterator[Part]:
    """Sets listed in total order, or sequences, each element before the next."""
    fixed = material.fixed.get(node.variable, ...)
    if fixed is not ...:
        if isinstance(fixed, tuple) and all(material.ranks[_event(e)] > after for e in fixed):
            yield Part({node.variable: fixed}, frozenset(map(_event, fixed)))
        return
    candidates = material.of(node.variable, node.type, after)
    most = len(candidates) if node.high is None else min(node.high, len(candidates))
    for size in range(node.low, most + 1):
        for chosen in combinations(candidates, size):
            if not node.sequence or _strictly_ordered(chosen, material):
                yield Part({node.variable: chosen}, frozenset(chosen))


def _event(value: Value) -> int:
    assert isinstance(value, int)
    return value


def _strictly_ordered(events: Sequence[int], material: Material) -> bool:
    ranks = [material.ranks[event] for event in events]
    return all(left < right for left, right in pairwise(ranks))


def _sequences(parts: Sequence[Node], material: Material, after: int) -> Iterator[Part]:
    """The last event of one part before the first of the next; what binds nothing is passed."""
    if not parts:
        yield Part({})
        return
    for first in derive(parts[0], material, after):
        for rest in _sequences(parts[1:], material, _last_rank(first, material, after)):
            yield _joined(first, rest)


def _last_rank(part: Part, material: Material, otherwise: int) -> int:
    return max((material.ranks[event] for event in part.events), default=otherwise)


def _conjunctions(parts: Sequence[Node], material: Material, after: int) -> Iterator[Part]:
    """All parts over distinct events, interleaved or not."""
    if not parts:
        yield Part({})
        return
    for first in derive(parts[0], material, after):
        for rest in _conjunctions(parts[1:], material, after):
            if first.events.isdisjoint(rest.events):
                yield _joined(first, rest)


def _choices(node: Or, material: Material, after: int) -> Iterator[Part]:
    for branch in node.parts:
        others: dict[str, Value] = dict.fromkeys(unbound(node).keys() - unbound(branch).keys())
        for part in derive(branch, material, after):
            if part.present or not part.extensions:
                yield _joined(Part(others), part)


def _iterations(node: Repeat, material: Material, after: int) -> Iterator[Part]:
    """`low` to `high` iterations, each binding something, each wholly before the next."""
    names = tuple(unbound(node.body))
    for iterations in _runs(node, names, material, after, 0):
        arrays: dict[str, Value] = {
            name: tuple(part.binding[name] for part in iterations) for name in names
        }
        events = frozenset(event for part in iterations for event in part.events)
        added = frozenset(event for part in iterations for event in part.added)
        yield Part(arrays, events, sum(part.extensions for part in iterations), added)


def _runs(
    node: Repeat, names: tuple[str, ...], material: Material, after: int, done: int
) -> Iterator[tuple[Part, ...]]:
    """The ways in which iterations go on after `done` of them."""
    length = _fixed_length(names, material)
    if done >= node.low and (length is None or length == done):
        yield ()
    if done == node.high or (length is not None and length <= done):
        return
    inner = _at_iteration(names, material, done)
    for part in derive(node.body, inner, after):
        if part.present:
            last = _last_rank(part, material, after)
            for rest in _runs(node, names, material, last, done + 1):
                yield (part, *rest)


def _fixed_length(names: tuple[str, ...], material: Material) -> int | None:
    """The number of iterations, where it is given; -1 where the group is unbound."""
    for name in names:
        if name in material.fixed:
            value = material.fixed[name]
            return len(value) if isinstance(value, tuple) else -1
    return None


def _at_iteration(names: tuple[str, ...], material: Material, number: int) -> Material:
    given = {n: v for n in names if isinstance(v := material.fixed.get(n), tuple)}
    if not given:
        return material
    fixed = {**material.fixed, **{name: array[number] for name, array in given.items()}}
    return Material(material.candidates, material.ranks, fixed, material.extending)


def _extensions(node: Extended, material: Material, after: int) -> Iterator[Part]:
    yield Part(unbound(node.body))
    for part in derive(node.body, material, after):
        if part.events and node.number == material.extending:
            yield Part(part.binding, part.events, part.extensions + 1, part.events)
        elif part.present:
            yield part


def _joined(first: Part, second: Part) -> Part:
    return Part(
        {**first.binding, **second.binding},
        first.events | second.events,
        first.extensions + second.extensions,
        first.added | second.added,
    )
