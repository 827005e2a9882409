"""A binding is judged: each thing that it can fail at in turn, on as few events as that needs."""

from __future__ import annotations

from typing import assert_never

from kleene.language.expressions import Attribute
from kleene.language.syntax import Strategy
from kleene.language.traversal import walk
from kleene.logical.algebra import Not, variables_of
from kleene.logical.binding import Binding, Value, all_events
from kleene.logical.denotation import window
from kleene.logical.negation import negations
from kleene.runtime.limits import Limits
from kleene.verdict.candidates import involved, kinds_below, kinds_of_positive, stretches
from kleene.verdict.complete import completed
from kleene.verdict.displaced import displaced
from kleene.verdict.game import Game, Line
from kleene.verdict.positive import positive_part
from kleene.verdict.reasons import Misfit, Reason, Rejected
from kleene.verdict.scene import Input, Interval, Scene
from kleene.verdict.strategies import Selection
from kleene.verdict.verdict import Verdict
from kleene.verdict.witness import Witnesses


def judge(given: Input, asked: Binding, limits: Limits) -> Verdict:
    """Whether a binding of the positive variables to rows is a match, and if not why."""
    witnesses = Witnesses(given.query.resolved, given.table)
    rows: dict[str, Value] = dict(asked)
    lines: tuple[Line, ...] = ()
    reason: Reason | None = None
    try:
        rows = completed(rows, given, witnesses)
        rows = positive_part(rows, given.scene(all_events(rows)), witnesses)
    except Misfit as misfit:
        reason = misfit.reason
    else:
        reason = _unselected(given, rows, witnesses)
        if reason is None:
            lines = _game(given, rows, witnesses)
            reason = next((Rejected(line) for line in lines if line.standing is not None), None)
        if reason is None:
            reason = displaced(given, rows, witnesses, limits)
    names = [name for name in variables_of(given.query.pattern) if name in rows]
    events = tuple(witnesses.all_of(names, rows))
    return Verdict(rows, events, reason, lines, _key_columns(given))


def _key_columns(given: Input) -> tuple[str, ...]:
    """The columns that are shown: time, ties, partition, and what conditions read."""
    resolved = given.query.resolved
    keys = (path[0] for path in resolved.partition_by)
    read = (
        node.path[0]
        for conjunct in resolved.conjuncts
        for node in walk(conjunct.condition)
        if isinstance(node, Attribute) and node.path
    )
    columns = dict.fromkeys((*resolved.shape.time, *resolved.shape.order_by, *keys, *read))
    return tuple(name for name in columns if name not in (resolved.shape.type, resolved.shape.id))


def _unselected(given: Input, rows: Binding, witnesses: Witnesses) -> Reason | None:
    """Why the strategy passes the binding over, if it does."""
    bound = all_events(rows)
    known = given.scene(bound)
    first, last = known.events[0], known.events[-1]
    match given.query.resolved.strategy:
        case Strategy.ANY:
            return None
        case Strategy.NEXT:
            extent = window(given.query)
            until = None if extent is None else first.time + extent  # type: ignore[operator]
            kinds = kinds_of_positive(given.query.pattern)
            scene = given.scene([*bound, *given.around((first.time, until), bound[0], kinds)])
            start = scene.events[min(scene.places[row] for row in bound)].rank
            later = [event for event in scene.beside(bound[0]) if event.rank >= start]
            return Selection(scene, scene.placed(rows), witnesses).instead(later)
        case Strategy.STRICT:
            scene = given.scene(given.around((first.time, last.time)))
            return Selection(scene, scene.placed(rows), witnesses).between(scene.events)
        case Strategy.PARTITION:
            scene = given.scene(given.around((first.time, last.time), bound[0]))
            neighbours = scene.beside(bound[0])
            return Selection(scene, scene.placed(rows), witnesses).between(neighbours)
        case _:
            assert_never(given.query.resolved.strategy)


def _game(given: Input, rows: Binding, witnesses: Witnesses) -> tuple[Line, ...]:
    """What each negation has against the binding, until one has something that stands."""
    bound = all_events(rows)
    known = given.scene(bound)
    intervals = stretches(known, known.placed(rows))
    lines: list[Line] = []
    for negation in negations(given.query.pattern):
        around = given.around(intervals[negation.number], bound[0], kinds_below(negation.body))
        scene = given.scene([*bound, *around])
        lines.append(_line(scene, rows, negation, intervals[negation.number], witnesses))
        if lines[-1].standing is not None:
            break
    return tuple(lines)


def _line(
    scene: Scene, rows: Binding, negation: Not, interval: Interval, witnesses: Witnesses
) -> Line:
    binding = scene.placed(rows)
    world = involved(scene, binding, negation, interval)
    game = Game(witnesses, scene.numbers, world.window is not None)
    return game.line(binding, scene.query.pattern, negation, world)
