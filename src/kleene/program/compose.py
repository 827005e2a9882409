"""Operators: the states of a pattern from the states of its parts.

Patterns are written from the end: a part is given the state to go on to, and gives the one that
enters it.
"""

from __future__ import annotations

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
    walk,
)
from kleene.program.bind import event, kleene
from kleene.program.gather import is_gathered
from kleene.program.layout import leaves
from kleene.program.machine import BACKTRACK, Machine, Side, push
from kleene.program.points import Leave
from kleene.program.source import Writer
from kleene.program.storage import clear, close_array, is_array, open_array, unbind
from kleene.program.walk import passed_repetition, walked_repetition


def compose(machine: Machine, node: Node, then: int, side: Side) -> int:
    """The state that enters a node; when the node is done it goes on to `then`."""
    number = machine.order.number(node)
    if number is not None:
        return _passed(machine, node, number, then, side)
    return bound_part(machine, node, then, side)


def _passed(machine: Machine, node: Node, number: int, then: int, side: Side) -> int:
    """Note that a postponed part has to be bound: its arrays are there, without elements yet."""
    if isinstance(node, Kleene) and is_gathered(machine, node):
        then = passed_repetition(machine, node, then, side)
    passing, writer = machine.state()
    writer.put(f"{machine.register(f'due{number}')} = 1")
    for leaf in leaves(node):
        slot = machine.layout.slot(leaf.variable)
        if slot.dimensions:
            clear(writer, slot)
    writer.put(f"st = {then}")
    return passing


def bound_part(machine: Machine, node: Node, then: int, side: Side) -> int:
    """The state that enters a node whose turn it is."""
    match node:
        case Event():
            return event(machine, node, then, side)
        case Kleene() if is_gathered(machine, node):
            return walked_repetition(machine, node, then, side)
        case Kleene():
            return kleene(machine, node, then, side)
        case Seq():
            for part in reversed(node.parts):
                then = compose(machine, part, then, side)
            return then
        case And():
            return _conjunction(machine, node, then, side)
        case Or():
            return _disjunction(machine, node, then, side)
        case Optional():
            return _optional(machine, node, then, side)
        case Repeat():
            return _repeat(machine, node, then, side)
        case Not():
            return then
        case Extended():
            raise AssertionError("negations are searched for by themselves")
        case _:
            assert_never(node)


def _conjunction(machine: Machine, node: And, then: int, side: Side) -> int:
    """Each part begins where the whole does; what follows comes after the last of all parts."""
    number = machine.next_state
    start, latest = machine.register(f"ae{number}"), machine.register(f"aw{number}")
    done, finish = machine.state()
    finish.put(f"after = max(after, {latest})", f"st = {then}")
    following = compose(machine, node.parts[-1], done, side)
    for part in reversed(node.parts[:-1]):
        between, writer = machine.state()
        writer.put(f"{latest} = max(after, {latest})", f"after = {start}", f"st = {following}")
        following = compose(machine, part, between, side)
    entry, enter = machine.state()
    enter.put(f"{start} = after", f"{latest} = after", f"st = {following}")
    return entry


def _disjunction(machine: Machine, node: Or, then: int, side: Side) -> int:
    """Each part in turn, the others unbound.

    Parts that may leave all their variables unbound are then one match: only the first may.
    """
    before = machine.register(f"co{machine.next_state}")
    choosing, choose = machine.state()
    vacant = [number for number, part in enumerate(node.parts) if _may_be_vacant(part)]
    entries = []
    for number, part in enumerate(node.parts):
        following = then
        if number in vacant[1:]:
            following, check = machine.state()
            arrays = [_array(machine, leaf.variable, side) for leaf in leaves(part)]
            something = (f"cnt > {before}", *filter(None, arrays), *_due(machine, part))
            other = " or ".join(something)
            check.put(f"st = {then} if {other} else {BACKTRACK}")
        entries.append(compose(machine, part, following, side))
    choose.put("i = stk[top + 1]")
    with choose.block(f"if i + 1 < {len(entries)}:"):
        choose.put("stk[top + 1] = i + 1", "top += FRAME")
    for number, entry in enumerate(entries):
        with choose.block(f"{'if' if number == 0 else 'elif'} i == {number}:"):
            for part in (*node.parts[:number], *node.parts[number + 1 :]):
                _unbind(machine, part, side, choose)
            choose.put(f"st = {entry}")
    entry, enter = machine.state()
    enter.put(f"{before} = cnt")
    push(enter, choosing)
    enter.put(f"st = {BACKTRACK}")
    return entry


def _array(machine: Machine, variable: str, side: Side) -> str | None:
    slot = machine.layout.slot(variable)
    return is_array(slot, side.entered(slot))


def _may_be_vacant(node: Node) -> bool:
    """Whether a node may leave all its variables null: not even empty arrays."""
    match node:
        case Event() | Kleene() | Repeat():
            return False
        case Optional() | Not() | Extended():
            return True
        case Seq() | And():
            return all(map(_may_be_vacant, node.parts))
        case Or():
            return any(map(_may_be_vacant, node.parts))
        case _:
            assert_never(node)


def _optional(machine: Machine, node: Optional, then: int, side: Side) -> int:
    """With at least one event, then without: a body that binds nothing is no other match."""
    before = machine.register(f"co{machine.next_state}")
    absent, skip = machine.state()
    _unbind(machine, node.body, side, skip)
    skip.put(f"st = {then}")
    present, done = machine.state()
    something = " or ".join((f"cnt > {before}", *_due(machine, node.body)))
    done.put(f"st = {then} if {something} else {BACKTRACK}")
    inside = compose(machine, node.body, present, side)
    entry, enter = machine.state()
    push(enter, absent)
    enter.put(f"{before} = cnt", f"st = {inside}")
    return entry


def _due(machine: Machine, body: Node) -> list[str]:
    """Whether something is yet to be bound of a part: what was passed and postponed is."""
    numbers = map(machine.order.number, walk(body))
    return [f"due{number} != 0" for number in numbers if number is not None]


def _unbind(machine: Machine, node: Node, side: Side, writer: Writer) -> None:
    for leaf in leaves(node):
        slot = machine.layout.slot(leaf.variable)
        unbind(writer, slot, side.entered(slot))


def _repeat(machine: Machine, node: Repeat, then: int, side: Side) -> int:
    """Iterations one after the other, like the elements of a Kleene sequence.

    One that binds nothing is none.
    """
    loop = machine.layout.group_loops[id(node)]
    count, before = machine.register(f"k{loop}"), machine.register(f"cr{loop}")
    beginning, begin = machine.state()
    deciding, decide = machine.state()
    leaving, leave = machine.state()
    ended, end = machine.state()
    inside = compose(machine, node.body, ended, side.inside(loop))
    entry, enter = machine.state()
    slots = [machine.layout.slot(leaf.variable) for leaf in leaves(node.body)]
    for slot in slots:
        open_array(enter, slot, side.entered(slot))
    enter.put(f"{count} = 0", f"st = {deciding}")
    with decide.block("if True:" if node.high is None else f"if {count} < {node.high}:"):
        push(decide, beginning)
    decide.put(f"st = {leaving} if {count} >= {node.low} else {BACKTRACK}")
    begin.put(f"{count} += 1", f"{before} = cnt", f"st = {inside}")
    end.put(f"st = {deciding} if cnt > {before} else {BACKTRACK}")
    for slot in slots:
        close_array(leave, slot, side.entered(slot))
    machine.require(side.timed.get(Leave(loop), ()), side, leave)
    leave.put(f"st = {then}")
    return entry
