"""Parts of a pattern that are bound after the rest of it (paper 1, 5.1; `order`).

Where such a part is written the machine only notes that it is due. It is bound when its turn comes,
between those of its neighbours that are bound by then. The registers of part 2:

- `due2`: whether it was passed, so that it has to be bound;
- `til2`: the rank that its events stay before.
"""

from __future__ import annotations

from dataclasses import replace

from kleene.logical.algebra import Node
from kleene.program.between import stay_between
from kleene.program.compose import bound_part
from kleene.program.layout import leaves
from kleene.program.machine import Machine, Side
from kleene.program.places import Neighbour, neighbours_on, path_to


def postponed_parts(machine: Machine, then: int, side: Side) -> int:
    """The state that binds what was postponed, part after part, and goes on."""
    for number, part in reversed(list(enumerate(machine.order.postponed))):
        then = _postponed(machine, part, number, then, side)
    return then


def _postponed(machine: Machine, part: Node, number: int, then: int, side: Side) -> int:
    until = machine.register(f"til{number}")
    inside = bound_part(machine, part, then, replace(side, until=until))
    before, after = neighbours_on(path_to(machine.query.pattern, part), machine.layout)
    entry, enter = machine.state()
    with enter.block(f"if due{number} == 0:"):
        enter.put(f"st = {then}", "continue")
    known = _Known(machine, part)
    stay_between(filter(known, before), filter(known, after), until, enter)
    enter.put(f"st = {inside}")
    return entry


class _Known:
    """Which neighbours are bound before a part is."""

    def __init__(self, machine: Machine, part: Node) -> None:
        self._order = machine.order
        self._turn = machine.order.turn(next(leaves(part)).variable)

    def __call__(self, neighbour: Neighbour) -> bool:
        return self._order.turn(neighbour.slot.name) < self._turn
