"""Whether a binding can be laid over a pattern; if not, the first thing that is wrong with it.

What `kleene.logical.derive` generates is recognised here, node by node.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import assert_never

from kleene.language.print_query import print_quantifier
from kleene.language.syntax import Quantifier
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
from kleene.logical.binding import Value, events_of, nothing, nullable, unbound
from kleene.verdict.reasons import Misfit, Misshapen, OutOfOrder, Twice, WrongType
from kleene.verdict.scene import Scene
from kleene.verdict.witness import Witnesses, labelled, listing

Given = Mapping[str, Value]


@dataclass(frozen=True)
class Laid:
    """Part of a binding in its place: values as a match has them, and the events with labels."""

    binding: dict[str, Value]
    events: tuple[tuple[str, int], ...] = ()


def laid(given: Given, scene: Scene, witnesses: Witnesses) -> dict[str, Value]:
    """The binding to positions as a match has it; a Misfit where it cannot be laid."""
    _distinct(given, scene, witnesses)
    found = _Layer(given, scene, witnesses, "").lay(scene.query.pattern)
    if not found.events:
        raise Misfit(Misshapen((), "it binds no event, and every match binds one"))
    return found.binding


def _distinct(given: Given, scene: Scene, witnesses: Witnesses) -> None:
    """An event never takes two places in one match (semantics 2)."""
    seen: dict[int, str] = {}
    for name, value in given.items():
        for label, event in labelled(name, value):
            if event in seen:
                row = scene.numbers[event]
                first = witnesses.bound(seen[event], row)
                raise Misfit(Twice(first, witnesses.bound(label, row)))
            seen[event] = label


@dataclass(frozen=True)
class _Layer:
    """Lays what is given over nodes; `at` is the iteration of the groups around them: [2][1]."""

    given: Given
    scene: Scene
    witnesses: Witnesses
    at: str

    def lay(self, node: Node) -> Laid:
        match node:
            case Event():
                return self._event(node)
            case Kleene():
                return self._collection(node)
            case Seq():
                return self._one_after_the_other([self.lay(part) for part in node.parts])
            case And():
                return _together([self.lay(part) for part in node.parts])
            case Or():
                return self._choice(node)
            case Optional():
                return self.lay(node.body) if self._present(node) else Laid(unbound(node))
            case Repeat():
                return self._iterations(node)
            case Not():
                return Laid({})
            case Extended():
                raise AssertionError("bindings are of the positive part")
            case _:
                assert_never(node)

    def _present(self, node: Node) -> bool:
        return any(map(self._bound, unbound(node)))

    def _event(self, node: Event) -> Laid:
        event = self.given.get(node.variable)
        label = node.variable + self.at
        if not isinstance(event, int):
            raise Misfit(Misshapen((node.variable,), f"{label} is unbound"))
        self._typed(label, event, node.type)
        return Laid({node.variable: event}, ((label, event),))

    def _typed(self, label: str, event: int, kind: str | None) -> None:
        if not self.scene.events[event].is_of(kind):
            assert kind is not None, "every event has the type of ANY"
            raise Misfit(WrongType(self.witnesses.bound(label, self.scene.numbers[event]), kind))

    def _collection(self, node: Kleene) -> Laid:
        elements = sorted(events_of(self.given.get(node.variable)))
        if node.sequence:
            elements = list(events_of(self.given.get(node.variable)))
        label = node.variable + self.at
        _counted(label, node.variable, len(elements), "event", node)
        events = tuple((f"{label}[{n}]", event) for n, event in enumerate(elements, 1))
        for name, event in events:
            self._typed(name, event, node.type)
        if node.sequence:
            for earlier, later in pairwise(events):
                self._ordered((earlier,), (later,))
        return Laid({node.variable: tuple(elements)}, events)

    def _ordered(
        self, before: Sequence[tuple[str, int]], behind: Sequence[tuple[str, int]]
    ) -> None:
        """The last event of what stands before lies before the first of what stands behind."""
        if not before or not behind:
            return
        ranks = self.scene.events
        last = max(before, key=lambda event: ranks[event[1]].rank)
        first = min(behind, key=lambda event: ranks[event[1]].rank)
        if ranks[last[1]].rank >= ranks[first[1]].rank:
            numbers = self.scene.numbers
            earlier = self.witnesses.bound(last[0], numbers[last[1]])
            later = self.witnesses.bound(first[0], numbers[first[1]])
            tied = ranks[last[1]].rank == ranks[first[1]].rank
            raise Misfit(OutOfOrder(earlier, later, tied))

    def _one_after_the_other(self, parts: Sequence[Laid]) -> Laid:
        before: tuple[tuple[str, int], ...] = ()
        for part in parts:
            self._ordered(before, part.events)
            before += part.events
        return _together(parts)

    def _choice(self, node: Or) -> Laid:
        others = unbound(node)
        taken = [branch for branch in node.parts if self._present(branch)]
        if len(taken) > 1:
            names = [next(n for n in unbound(b) if self._bound(n)) for b in taken]
            said = f"{listing(names)} are in different branches of an OR: a match binds one branch"
            raise Misfit(Misshapen(tuple(names), said))
        if taken:
            found = self.lay(taken[0])
            return Laid({**others, **found.binding}, found.events)
        empty = [branch for branch in node.parts if nullable(branch)]
        if not empty:
            names = [next(iter(unbound(branch))) for branch in node.parts]
            said = f"no branch of an OR is bound: neither {' nor '.join(names)}"
            raise Misfit(Misshapen(tuple(names), said))
        # Of branches that may be empty the one that is said to be; the first, where none is.
        branch = max(empty, key=lambda b: any(self.given.get(n) == () for n in unbound(b)))
        return Laid({**others, **nothing(branch)})

    def _bound(self, name: str) -> bool:
        return _first(self.given.get(name))

    def _iterations(self, node: Repeat) -> Laid:
        names = list(unbound(node))
        arrays = {n: v if isinstance(v := self.given.get(n), tuple) else () for n in names}
        count = max(map(len, arrays.values()))
        _counted(names[0] + self.at, names[0], count, "iteration", node)
        for name, array in arrays.items():
            if array and len(array) != count:
                said = f"{name} has {_many(len(array), 'iteration')} where the group has {count}"
                raise Misfit(Misshapen((name,), said))
        found = [self._iteration(node, names, arrays, number) for number in range(count)]
        whole = self._one_after_the_other(found)
        binding: dict[str, Value] = {n: tuple(part.binding[n] for part in found) for n in names}
        return Laid(binding, whole.events)

    def _iteration(
        self, node: Repeat, names: list[str], arrays: dict[str, tuple[Value, ...]], number: int
    ) -> Laid:
        values = {n: arrays[n][number] if arrays[n] else None for n in names}
        at = f"{self.at}[{number + 1}]"
        found = _Layer(values, self.scene, self.witnesses, at).lay(node.body)
        if not found.events:
            said = f"iteration {number + 1} of {listing(names)} binds nothing"
            raise Misfit(Misshapen(tuple(names), said))
        return found


def _first(value: Value) -> bool:
    return next(events_of(value), None) is not None


def _together(parts: Sequence[Laid]) -> Laid:
    binding = {name: value for part in parts for name, value in part.binding.items()}
    return Laid(binding, tuple(event for part in parts for event in part.events))


def _counted(label: str, variable: str, count: int, what: str, node: Kleene | Repeat) -> None:
    if count < node.low or (node.high is not None and count > node.high):
        sign = print_quantifier(Quantifier(node.low, node.high))
        said = f"{label} has {_many(count, what)}, and the pattern asks for {sign}"
        raise Misfit(Misshapen((variable,), said))


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
