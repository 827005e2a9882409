"""Variables that a binding leaves out, where there is one event that they can be."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import assert_never

from kleene.errors import NOWHERE, InputError
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
from kleene.logical.binding import Binding, Value, all_events
from kleene.logical.decide import holds
from kleene.verdict.candidates import reach
from kleene.verdict.positive import positive_part
from kleene.verdict.reasons import Misfit, Misshapen
from kleene.verdict.scene import Input, Scene
from kleene.verdict.witness import Witnesses, listing

MOST_TRIED = 10_000
"""Choices of events for variables that are left out; where there are more, they must be named."""
_MOST_LISTED = 3


def completed(binding: Binding, given: Input, witnesses: Witnesses) -> dict[str, Value]:
    """The binding with the events that every match has and that it leaves out.

    What may be unbound is unbound where it is left out.
    """
    open_ = [node for node in _required(given.query.pattern) if node.variable not in binding]
    if not open_:
        return dict(binding)
    names = [node.variable for node in open_]
    rows = all_events(binding)
    if not rows:
        raise InputError("a binding names at least one event")
    known = given.scene(rows)
    if len(known.events) < len(rows):
        return dict(binding)
    interval = reach(known, known.placed(binding))
    around = given.around(interval, rows[0], {node.type for node in open_})
    scene = given.scene([*rows, *around])
    choices = [_candidates(node, scene, rows[0]) for node in open_]
    if prod(map(len, choices)) > MOST_TRIED:
        raise _many(names, [])
    tried = ({**binding, **dict(zip(names, c, strict=True))} for c in product(*choices))
    fitting = [one for one in tried if _fits(one, scene, witnesses)]
    match fitting:
        case [only]:
            return only
        case [] if all(len(found) == 1 for found in choices):
            return {**binding, **{name: only for name, (only,) in zip(names, choices, strict=True)}}
        case []:
            said = f"no event can be {listing(names, 'or')} here, where it is left out"
            raise Misfit(Misshapen(tuple(names), said))
        case _:
            told = (witnesses.all_of(names, one) for one in fitting[:_MOST_LISTED])
            raise _many(names, [", ".join(map(str, events)) for events in told])


def _required(node: Node) -> Iterator[Event]:
    """The events that every match binds."""
    match node:
        case Event():
            yield node
        case Seq() | And():
            for part in node.parts:
                yield from _required(part)
        case Kleene() | Or() | Optional() | Repeat() | Not() | Extended():
            return
        case _:
            assert_never(node)


def _candidates(node: Event, scene: Scene, row: int) -> list[int]:
    own = scene.query.own_conditions[node.variable]
    return [
        scene.numbers[event.position]
        for event in scene.beside(row)
        if event.is_of(node.type)
        and all(holds(c, {node.variable: event.position}, scene.ground) for c in own)
    ]


def _fits(binding: Binding, scene: Scene, witnesses: Witnesses) -> bool:
    try:
        positive_part(binding, scene, witnesses)
    except Misfit:
        return False
    return True


def _many(names: list[str], told: list[str]) -> InputError:
    hint = f"such as {'; '.join(told)}" if told else "name it, as the others"
    reason = f"there are several events that {listing(names)} could be: name one"
    return InputError(reason, NOWHERE, hint)
