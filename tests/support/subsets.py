"""Verdicts on random bindings, and on smaller ones that take some of their elements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from kleene.language.expressions import Attribute, Expression
from kleene.language.traversal import walk
from kleene.logical.algebra import (
    Event,
    Kleene,
    LogicalQuery,
    Node,
    Not,
    Optional,
    Or,
    Repeat,
    parts_of,
    variables_of,
)
from kleene.logical.binding import Value, unbound
from kleene.logical.decide import Ground, _choices, _decide_instance
from kleene.logical.history import HistoryEvent, KnownRow, Row

Path = tuple[int, ...]
"""The iterations of a loop and of those around it."""
_MOST = 4


def ground(query: LogicalQuery, rows: Sequence[Row]) -> Ground:
    """The rows as events, in their order."""
    events = [
        HistoryEvent(n, n, n, KnownRow(n, row, (), frozenset(), (), ()))
        for n, row in enumerate(rows)
    ]
    return Ground(events, query.loops, query.aggregates)


@dataclass(frozen=True)
class Drawn:
    """Random bindings of a query to some events, whatever their order, and smaller ones of them."""

    query: LogicalQuery
    ground: Ground
    random: Random
    _candidates: dict[str, list[int]] = field(default_factory=dict)

    def verdicts(self, condition: Expression) -> Iterator[tuple[bool | None, bool | None]]:
        """The verdict on a binding and on a smaller one, for each choice of indices of both."""
        attributes = [node for node in walk(condition) if isinstance(node, Attribute)]
        large = self.binding(self.query.pattern)
        choices = list(_choices(attributes, {}, large, self.ground))
        for _ in range(6):
            kept = self.kept(large)
            small = {
                name: _picked(value, self.query.loops[name], kept, ())
                for name, value in large.items()
            }
            for chosen in choices:
                places = _places(chosen, self.query, kept)
                if places is not None:
                    yield tuple(  # type: ignore[misc]
                        _decide_instance(condition, attributes, indices, binding, self.ground)
                        for binding, indices in ((large, chosen), (small, places))
                    )

    def binding(self, node: Node) -> dict[str, Value]:
        """A binding of a node; each event meets the conditions that are on it alone."""
        match node:
            case Event():
                return {node.variable: self.event(node.variable)}
            case Kleene():
                size = self.random.randint(min(node.low, 1), _MOST)
                return {node.variable: tuple(self.event(node.variable) for _ in range(size))}
            case Optional() if self.random.random() < 0.5:
                return unbound(node)
            case Or():
                return {**unbound(node), **self.binding(self.random.choice(node.parts))}
            case Repeat():
                size = self.random.randint(min(node.low, 1), _MOST - 1)
                found = [self.binding(node.body) for _ in range(size)]
                return {name: tuple(each[name] for each in found) for name in variables_of(node)}
            case Not():
                return {}
            case _:
                return {k: v for part in parts_of(node) for k, v in self.binding(part).items()}

    def event(self, variable: str) -> int:
        return self.random.choice(self.candidates(variable))

    def candidates(self, variable: str) -> list[int]:
        """The events that meet what is asked of each event of a variable alone."""
        if variable not in self._candidates:
            self._candidates[variable] = self._meeting(variable)
        return self._candidates[variable]

    def _meeting(self, variable: str) -> list[int]:
        found = [event.position for event in self.ground.events]
        for condition in self.query.own_conditions[variable]:
            attributes = [node for node in walk(condition) if isinstance(node, Attribute)]
            loops = self.query.loops[variable]
            found = [
                event
                for event in found
                if _decide_instance(
                    condition,
                    attributes,
                    dict.fromkeys(loops, 0),
                    {variable: _wrapped(event, len(loops))},
                    self.ground,
                )
            ]
        return found

    def kept(self, binding: Mapping[str, Value]) -> dict[tuple[int, Path], Path]:
        """Which iterations of each loop a smaller binding keeps, in each of those around it."""
        lows = dict(_lows(self.query.pattern, self.query, 0))
        kept: dict[tuple[int, Path], Path] = {}
        for name, value in binding.items():
            for place, length in _lengths(value, self.query.loops[name], ()):
                if place not in kept:
                    least = min(lows[place[0]], 1, length)
                    size = self.random.randint(least, length)
                    kept[place] = tuple(sorted(self.random.sample(range(length), size)))
        return kept


def _wrapped(event: int, dimensions: int) -> Value:
    return event if dimensions == 0 else (_wrapped(event, dimensions - 1),)


def _lows(node: Node, query: LogicalQuery, depth: int) -> Iterator[tuple[int, int]]:
    """The loops below a node, and how many iterations each has at least."""
    match node:
        case Kleene():
            yield query.loops[node.variable][-1], node.low
        case Repeat():
            yield query.loops[next(variables_of(node.body))][depth], node.low
            yield from _lows(node.body, query, depth + 1)
        case Not():
            return
        case _:
            for part in parts_of(node):
                yield from _lows(part, query, depth)


def _lengths(
    value: Value, loops: Sequence[int], path: Path
) -> Iterator[tuple[tuple[int, Path], int]]:
    if loops and isinstance(value, tuple):
        yield (loops[0], path), len(value)
        for index, item in enumerate(value):
            yield from _lengths(item, loops[1:], (*path, index))


def _picked(
    value: Value, loops: Sequence[int], kept: Mapping[tuple[int, Path], Path], path: Path
) -> Value:
    if not loops or not isinstance(value, tuple):
        return value
    places = kept[loops[0], path]
    return tuple(_picked(value[place], loops[1:], kept, (*path, place)) for place in places)


def _places(
    chosen: Mapping[int, int], query: LogicalQuery, kept: Mapping[tuple[int, Path], Path]
) -> dict[int, int] | None:
    """Where the chosen iterations are in the smaller binding; None if one is not there."""
    found = {}
    around = {
        loop: loops[:level] for loops in query.loops.values() for level, loop in enumerate(loops)
    }
    for loop, index in chosen.items():
        places = kept[loop, tuple(chosen[outer] for outer in around[loop])]
        if index not in places:
            return None
        found[loop] = places.index(index)
    return found
