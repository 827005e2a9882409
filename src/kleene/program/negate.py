"""Negations: a search for an extension of the match found so far (semantics 3).

It runs like that of a pattern, on top of the choices that made the match. An extension drops its
own choices and goes back to those of the match, which is thereby given up; where none is found the
match goes on to its next negation. The registers of negation 7:

- `bar7`: where its choices begin on the stack,
- `bef7`: the rank that its events must stay before,
- `cn7`: how many events were bound before it, because an extension binds at least one,
- `q` and the number of a loop: the iteration that is tested, where it stands in a group.
"""

from __future__ import annotations

from kleene.logical.algebra import Node, Not
from kleene.logical.negation import negations
from kleene.program.between import stay_between, tested
from kleene.program.compose import compose
from kleene.program.layout import Slot, leaves
from kleene.program.machine import BACKTRACK, GO_BACK, Machine, enclosing_negations, push
from kleene.program.places import NegationPlace, find_place
from kleene.program.source import Writer
from kleene.program.storage import element, extent


def tests(machine: Machine, part: Node, then: int) -> int:
    """The state that tests the negations of a part, one after the other, and goes on."""
    for negation in reversed(list(negations(part))):
        then = _negation(machine, negation, then)
    return then


def _negation(machine: Machine, negation: Not, then: int) -> int:
    number = negation.number
    for name in ("bar", "bef", "cn"):
        machine.register(f"{name}{number}")
    place = find_place(machine.query.pattern, negation, machine.layout)
    inside = _extension(machine, place)
    failed, none = machine.state()
    loops = _own_loops(machine, place)
    entry, enter = machine.state()
    if not loops:
        none.put(f"st = {then}")
        _begin(machine, place, (inside, failed, then), enter)
        return entry
    turns = [machine.register(f"q{loop}") for loop in loops]
    testing = [machine.state() for _ in loops]
    enter.put(f"{turns[0]} = 0", f"st = {testing[0][0]}")
    for depth, (_, test) in enumerate(testing):
        with test.block(f"if {turns[depth]} >= {_iterations(machine, loops[: depth + 1], place)}:"):
            _go_on(depth - 1, turns, testing, then, test)
        if depth + 1 < len(loops):
            test.put(f"{turns[depth + 1]} = 0", f"st = {testing[depth + 1][0]}")
    _begin(machine, place, (inside, failed, failed), testing[-1][1])
    _go_on(len(loops) - 1, turns, testing, then, none)
    return entry


def _go_on(
    depth: int, turns: list[str], testing: list[tuple[int, Writer]], then: int, writer: Writer
) -> None:
    """To the next iteration of the group at a depth; outside of all groups nothing is left."""
    if depth < 0:
        writer.put(f"st = {then}", "continue")
    else:
        writer.put(f"{turns[depth]} += 1", f"st = {testing[depth][0]}", "continue")


def _extension(machine: Machine, place: NegationPlace) -> int:
    """The state that looks for an extension, which gives the match up when there is one."""
    negation = place.node
    side = machine.side(place, negation.body, negation.conditions)
    accept, accepted = machine.state()
    inside = compose(machine, negation.body, accept, side)
    found, give_up = machine.state()
    give_up.put(f"top = bar{negation.number}", f"st = {BACKTRACK}")
    with accepted.block(f"if cnt == cn{negation.number}:"):
        accepted.put(*GO_BACK)
    machine.require(side.rest, side, accepted)
    accepted.put(f"st = {tests(machine, negation.body, found)}")
    return inside


def _begin(
    machine: Machine, place: NegationPlace, states: tuple[int, int, int], writer: Writer
) -> None:
    """Go to the search between the neighbours; or on, where the part around it binds nothing.

    The states are the search, where it goes when it fails, and where to go without it.
    """
    number = place.node.number
    inside, failed, skipped = states
    if place.within is not None:
        with writer.block(f"if not ({_something(machine, place.within, place)}):"):
            writer.put(f"st = {skipped}", "continue")
    push(writer, failed)
    writer.put(f"bar{number} = top - FRAME", f"cn{number} = cnt")
    stay_between(place.before, place.after, f"bef{number}", writer)
    writer.put(f"st = {inside}")


def _own_loops(machine: Machine, place: NegationPlace) -> list[int]:
    """The groups whose iterations are gone through: those around negations outside are given."""
    around = enclosing_negations(place)
    given = find_place(machine.query.pattern, around[-1], machine.layout).loops if around else ()
    return [loop for loop in place.loops if loop not in given]


def _iterations(machine: Machine, loops: list[int], place: NegationPlace) -> str:
    """The iterations of the last group: the length of the array of one of its variables."""
    around = enclosing_negations(place)
    owner = around[-1].number if around else None
    slot = next(
        slot
        for slot in machine.layout.slots.values()
        if slot.negation == owner and slot.loops[: len(loops)] == tuple(loops)
    )
    return extent(slot, [f"q{loop}" for loop in loops[:-1]])


def _something(machine: Machine, part: Node, place: NegationPlace) -> str:
    """Whether the optional part around a negation binds something, in the iteration tested."""
    slots = [machine.layout.slot(leaf.variable) for leaf in leaves(part)]
    return " or ".join(_is_bound(slot, place.loops) for slot in slots)


def _is_bound(slot: Slot, loops: tuple[int, ...]) -> str:
    turns = tested(slot, loops)
    if len(turns) == slot.dimensions:
        event = f"b{slot.number}[{element(slot, turns)}]" if turns else f"r{slot.number}"
        return f"{event} >= 0"
    return f"{extent(slot, turns)} > 0"
