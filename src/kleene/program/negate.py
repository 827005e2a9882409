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
from kleene.program.columns import Unsupported
from kleene.program.compose import compose
from kleene.program.layout import Slot, leaves
from kleene.program.machine import BACKTRACK, GO_BACK, Machine, enclosing_negations, push
from kleene.program.places import NegationPlace, find_place
from kleene.program.source import Writer


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
    entry, enter = machine.state()
    loop = _own_loop(machine, place)
    if loop is None:
        none.put(f"st = {then}")
        _begin(machine, place, (inside, failed, then), enter)
        return entry
    turn = machine.register(f"q{loop}")
    testing, test = machine.state()
    enter.put(f"{turn} = 0", f"st = {testing}")
    with test.block(f"if {turn} >= {_iterations(machine, loop, place)}:"):
        test.put(f"st = {then}", "continue")
    _begin(machine, place, (inside, failed, failed), test)
    none.put(f"{turn} += 1", f"st = {testing}")
    return entry


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


def _own_loop(machine: Machine, place: NegationPlace) -> int | None:
    """The group whose iterations are gone through: those around negations outside are given."""
    around = enclosing_negations(place)
    given = find_place(machine.query.pattern, around[-1], machine.layout).loops if around else ()
    own = [loop for loop in place.loops if loop not in given]
    if len(own) > 1:
        raise Unsupported("a negation in a group in a group")
    return own[0] if own else None


def _iterations(machine: Machine, loop: int, place: NegationPlace) -> str:
    """The number of iterations of a group: the length of the array of one of its variables."""
    around = enclosing_negations(place)
    owner = around[-1].number if around else None
    slot = next(
        slot
        for slot in machine.layout.slots.values()
        if slot.negation == owner and slot.loops[:1] == (loop,)
    )
    return f"{'n' if slot.dimensions == 1 else 'w'}{slot.number}"


def _something(machine: Machine, part: Node, place: NegationPlace) -> str:
    """Whether the optional part around a negation binds something, in the iteration tested."""
    slots = [machine.layout.slot(leaf.variable) for leaf in leaves(part)]
    return " or ".join(_is_bound(slot, place.loops) for slot in slots)


def _is_bound(slot: Slot, loops: tuple[int, ...]) -> str:
    v = slot.number
    turn = tested(slot, loops)
    if not slot.dimensions:
        return f"r{v} >= 0"
    if turn is None:
        return f"n{v} > 0"
    return f"b{v}[{turn}] >= 0" if slot.dimensions == 1 else f"e{v}[{turn}] > s{v}[{turn}]"
