"""Whether a strategy would select a binding; if not, which event is in the way (semantics 4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kleene.logical.binding import Binding, Open, Value, all_events, events_of
from kleene.logical.configuration import Configuration, Fresh, bound, complete
from kleene.logical.history import HistoryEvent
from kleene.logical.next_match import Step, steps, successors, without_negations
from kleene.verdict.reasons import Between, Instead
from kleene.verdict.scene import Scene
from kleene.verdict.witness import Bound, Witnesses, labelled


@dataclass(frozen=True)
class Selection:
    """A binding to positions of a scene, which a strategy is to select."""

    scene: Scene
    binding: Binding
    witnesses: Witnesses

    def between(self, neighbours: Sequence[HistoryEvent]) -> Between | None:
        """Contiguity: an event between two consecutive ones of the binding."""
        places = {event.position: place for place, event in enumerate(neighbours)}
        for before, after in pairwise(all_events(self.binding)):
            count = places[after] - places[before] - 1
            if count:
                lies = neighbours[places[before] + 1].position
                one = self.witnesses.of(self.scene.numbers[lies])
                strategy = self.scene.query.resolved.strategy
                return Between(self._bound(before), self._bound(after), one, count, strategy)
        return None

    def instead(self, candidates: Sequence[HistoryEvent]) -> Instead | None:
        """skip_till_next_match: where every run leaves the binding, and what it takes there.

        A run has at each position of the order what the binding has of it up to there, or it will
        never yield the binding; `candidates` begin with the position of its first event.
        """
        query = self.scene.query
        runs: list[Configuration] = []
        start = Fresh(without_negations(query.pattern))
        for number, step in enumerate(steps(query.conditions, self.scene.world(candidates))):
            before = runs or [start] if number == 0 else runs
            next_runs = [to for run in before for to in successors(run, step) or [run]]
            runs = [run for run in dict.fromkeys(next_runs) if self._agrees(run, step)]
            if not runs:
                return self._departure(step, next_runs)
        yielded = [bound(run, closed=True) for run in runs if complete(run)]
        return None if dict(self.binding) in yielded else Instead((), ())

    def _agrees(self, run: Configuration, step: Step) -> bool:
        rank = step.events[0].rank
        taken = bound(run, closed=False)
        return all(
            sorted(events_of(value)) == sorted(self._until(self.binding[name], rank))
            for name, value in taken.items()
        )

    def _until(self, value: Value, rank: int) -> Iterable[int]:
        return (e for e in events_of(value) if self.scene.events[e].rank <= rank)

    def _departure(self, step: Step, runs: Sequence[Configuration]) -> Instead:
        """What a run took at a position, and what the binding has in its place."""
        here = {event.position for event in step.events}
        wanted = dict(self._labelled(self.binding))
        for run in runs:
            taken = bound(run, closed=False)
            took = {label: e for label, e in self._labelled(taken) if e in here}
            other = {label: e for label, e in took.items() if wanted.get(label) != e}
            if other:
                instead = {label: wanted[label] for label in other if label in wanted}
                return Instead(self._told(instead), self._told(other))
        return Instead(self._told({n: e for n, e in wanted.items() if e in here}), ())

    def _labelled(self, binding: Binding) -> Iterator[tuple[str, int]]:
        for name, value in binding.items():
            yield from labelled(name, _closed(value))

    def _told(self, events: Mapping[str, int]) -> tuple[Bound, ...]:
        numbers = self.scene.numbers
        return tuple(self.witnesses.bound(label, numbers[e]) for label, e in events.items())

    def _bound(self, event: int) -> Bound:
        label = next(label for label, e in self._labelled(self.binding) if e == event)
        return self.witnesses.bound(label, self.scene.numbers[event])


def _closed(value: Value) -> Value:
    """A value as it is so far, arrays that may grow included."""
    match value:
        case Open(items=items) | (tuple() as items):
            return tuple(map(_closed, items))
        case _:
            return value
