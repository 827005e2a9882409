"""What `kleene.why` says of bindings of random queries is what the denotation says, and true."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from random import Random
from typing import assert_never

import pytest

from kleene.language.printer import print_expression
from kleene.language.syntax import SkipMode, Strategy
from kleene.logical.after_match import Walk, obstacle, order_of
from kleene.logical.algebra import Not, variables_of, walk
from kleene.logical.binding import Binding, Value, all_events
from kleene.logical.decide import holds
from kleene.logical.denotation import matches, select, window
from kleene.logical.derive import derive
from kleene.logical.history import HistoryEvent, moment
from kleene.logical.negation import World, rejections
from kleene.runtime.limits import Limits
from kleene.verdict.judge import judge
from kleene.verdict.reasons import (
    Apart,
    Between,
    Displaced,
    Fails,
    Instead,
    Misshapen,
    NoTime,
    OutOfOrder,
    Reason,
    Rejected,
    TooFar,
    Twice,
    WrongType,
)
from kleene.verdict.scene import Input, Scene, renumbered
from kleene.verdict.verdict import Verdict
from support.generators import BATCH, PRECISE, Sample, sample_of

SMALL = replace(PRECISE, max_events=10, max_work=1_000)
PROFILES = (
    SMALL,
    replace(SMALL, strategies=(Strategy.ANY,), partitions=False, max_conditions=1),
    replace(SMALL, skip_modes=(SkipMode.NO_SKIP,), windows=(None, 8, 20)),
)
NESTED = replace(BATCH, max_variables=7, max_events=10, max_work=4_000, depth=4, negation_depth=4)
ROUND = int(os.environ.get("KLEENE_EXAMPLES", "300")) // 20


@dataclass(frozen=True)
class Court:
    """A sample with all that is known of it."""

    sample: Sample

    @cached_property
    def given(self) -> Input:
        return Input(self.sample.logical, self.sample.stream.table())

    @cached_property
    def scene(self) -> Scene:
        return self.given.scene(range(self.given.table.num_rows))

    @cached_property
    def names(self) -> list[str]:
        return list(variables_of(self.sample.logical.pattern))

    @cached_property
    def matches(self) -> set[tuple[Value, ...]]:
        """The matches that the denotation finds, hidden variables included."""
        return {self.key(match) for match in matches(self.sample.logical, self.scene.events)}

    def key(self, binding: Binding) -> tuple[Value, ...]:
        """A binding to positions, as one to rows."""
        return tuple(renumbered(binding[name], self.scene.numbers) for name in self.names)

    def world(self, event: HistoryEvent) -> World:
        """The partition of an event."""
        return self.scene.world(self.scene.beside(self.scene.numbers[event.position]))

    def bindings(self, random: Random) -> Iterator[dict[str, Value]]:
        """Matches, what could be laid over the events, and both with something changed."""
        found = sorted(self.matches, key=repr)
        laid = derive(self.sample.logical.pattern, self.scene.world(self.scene.events).material)
        shaped = [self.key(part.binding) for part in islice(laid, 300)]
        chosen = random.sample(found, min(3, len(found))) + random.sample(
            shaped, min(4, len(shaped))
        )
        for values in chosen:
            binding = dict(zip(self.names, values, strict=True))
            yield binding
            yield self._changed(binding, random)

    def _changed(self, binding: dict[str, Value], random: Random) -> dict[str, Value]:
        """The binding with another row for one of its events, whatever that comes to."""
        rows = all_events(binding)
        if not rows:
            return binding
        old, new = random.choice(rows), random.randrange(self.given.table.num_rows)
        changed = {row: new if row == old else row for row in rows}
        return {name: renumbered(value, changed) for name, value in binding.items()}


@pytest.mark.parametrize("seed", range(20))
def test_a_verdict_is_that_of_the_denotation(seed: int) -> None:
    for number in range(seed * ROUND, (seed + 1) * ROUND):
        check(Court(sample_of(number, PROFILES[number % len(PROFILES)])), Random(number))  # noqa: S311 - nothing secret


@pytest.mark.parametrize("seed", range(4))
def test_verdicts_of_negations_in_negations(seed: int) -> None:
    numbers = range(seed * 10 * ROUND, (seed + 1) * 10 * ROUND)
    nested = [s for s in (sample_of(number, NESTED) for number in numbers) if _is_nested(s)]
    assert nested
    for number, sample in enumerate(nested):
        check(Court(sample), Random(number))  # noqa: S311 - nothing secret


def _is_nested(sample: Sample) -> bool:
    """Whether there is a negation in a negation."""
    negated = [node.body for node in walk(sample.logical.pattern) if isinstance(node, Not)]
    return any(isinstance(node, Not) for body in negated for node in walk(body))


def check(court: Court, random: Random) -> None:
    for binding in court.bindings(random):
        verdict = judge(court.given, binding, Limits())
        known = tuple(verdict.binding.get(name) for name in court.names)
        assert verdict.is_match == (known in court.matches), (binding, str(verdict))
        assert str(verdict)
        if verdict.reason is not None:
            assert is_true(verdict.reason, verdict, court), (binding, str(verdict))


def is_true(reason: Reason, verdict: Verdict, court: Court) -> bool:
    """Whether what a reason says is so."""
    query, scene = court.sample.logical, court.scene
    time = query.resolved.shape.time[0]
    match reason:
        case NoTime():
            return moment(reason.event.event.columns[time]) is None
        case Misshapen():
            return not _can_be_laid(verdict, court)
        case WrongType():
            event = scene.events[scene.places[reason.event.event.row]]
            return reason.type not in event.known.types
        case Twice():
            return reason.first.event == reason.second.event and (
                reason.first.label != reason.second.label
            )
        case OutOfOrder():
            earlier, later = (
                scene.events[scene.places[bound.event.row]]
                for bound in (reason.earlier, reason.later)
            )
            tied = earlier.rank == later.rank
            laid = _can_be_laid(verdict, court)
            return earlier.rank >= later.rank and tied == reason.tied and not laid
        case Apart():
            keys = {
                scene.events[scene.places[bound.event.row]].known.partition
                for bound in reason.events
            }
            return None in keys if len(reason.events) == 1 else len(keys) > 1
        case TooFar():
            times = [
                scene.events[scene.places[bound.event.row]].time
                for bound in (reason.first, reason.last)
            ]
            return times[1] - times[0] >= window(query)  # type: ignore[operator]
        case Fails():
            asked = [c for c in query.conditions if print_expression(c) == reason.condition]
            placed = scene.placed(verdict.binding)
            return any(not holds(c, placed, scene.ground) for c in asked)
        case Between():
            return _lies_between(reason, court)
        case Instead():
            return _never_selected(reason, verdict, court)
        case Rejected():
            return _rejects(reason, verdict, court)
        case Displaced():
            return _leaves_no_room(reason, verdict, court)
        case _:
            assert_never(reason)


def _can_be_laid(verdict: Verdict, court: Court) -> bool:
    world = court.scene.world(
        [court.scene.events[event] for event in all_events(court.scene.placed(verdict.binding))]
    )
    asked = court.scene.placed(verdict.binding)
    parts = derive(court.sample.logical.pattern, world.material)
    return any(part.binding == asked and part.events for part in parts)


def _lies_between(reason: Between, court: Court) -> bool:
    """The event is between the two, and so many are; all of them neighbours of the strategy."""
    strict = reason.strategy is Strategy.STRICT
    row = reason.before.event.row
    neighbours = list(court.scene.events) if strict else court.scene.beside(row)
    rows = [court.scene.numbers[event.position] for event in neighbours]
    before, after = (rows.index(bound.event.row) for bound in (reason.before, reason.after))
    return rows[before + 1] == reason.event.row and after - before - 1 == reason.count


def _never_selected(reason: Instead, verdict: Verdict, court: Court) -> bool:
    """The strategy does not yield it; what the run took is of the type of its variable."""
    assert court.sample.logical.resolved.strategy is Strategy.NEXT
    asked = court.scene.placed(verdict.binding)
    world = court.world(court.scene.events[all_events(asked)[0]])
    types = {v.name: v.type for v in court.sample.logical.resolved.variables}
    fits = all(
        court.scene.events[court.scene.places[bound.event.row]].is_of(
            types[bound.label.split("[")[0]]
        )
        for bound in reason.took
    )
    return fits and asked not in select(court.sample.logical, world)


def _leaves_no_room(reason: Displaced, verdict: Verdict, court: Court) -> bool:
    """Of the matches kept before it is the one for which AFTER MATCH has no room for this one."""
    clause = court.sample.logical.resolved.after_match
    assert clause is not None
    walk = Walk(clause, court.names, [event.rank for event in court.scene.events])

    def place(match: Binding) -> tuple[object, ...]:
        return order_of(match, court.names)

    own = court.scene.placed(verdict.binding)
    kept = [dict(zip(court.names, values, strict=True)) for values in court.matches]
    beside = court.scene.beside(court.scene.numbers[all_events(own)[0]])
    before = [
        match
        for match in map(court.scene.placed, kept)
        if place(match) < place(own) and court.scene.events[all_events(match)[0]] in beside
    ]
    by = obstacle(own, sorted(before, key=place), walk)
    rows = sorted(court.scene.places[bound.event.row] for bound in reason.by)
    return by is not None and all_events(by) == rows


def _rejects(reason: Rejected, verdict: Verdict, court: Court) -> bool:
    asked = court.scene.placed(verdict.binding)
    world = court.world(court.scene.events[all_events(asked)[0]])
    assert reason.line.standing is not None
    added = [court.scene.places[bound.event.row] for bound in reason.line.standing.events]
    told = sorted({*all_events(asked), *added})
    found = rejections(asked, court.sample.logical.pattern, world)
    return any(all_events(extension) == told for extension in found)
