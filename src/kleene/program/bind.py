"""Events and Kleene variables: candidates in order, and what rules them out."""

from __future__ import annotations

from math import inf

from kleene.logical.algebra import And, Event, Kleene, LogicalQuery, Node, walk
from kleene.program.layout import Slot
from kleene.program.machine import BACKTRACK, Machine, Side, enclosing_negations, push
from kleene.program.neighbours import gaps, is_contiguous, write_gaps
from kleene.program.points import Bind, Leave
from kleene.program.source import Writer
from kleene.program.storage import close_array, holds, length, open_array, vacancy


def event(machine: Machine, node: Event, then: int, side: Side) -> int:
    """The state that binds one event, each candidate in turn."""
    slot = machine.layout.slot(node.variable)
    v = slot.number
    trying, body = machine.state()
    entry, enter = machine.state()
    first_candidate(machine, slot, side, enter)
    push(enter, trying, "lo", f"hi{v}")
    enter.put(f"st = {BACKTRACK}")
    _next_candidate(machine, slot, side, body)
    with body.block("if ok:"):
        if slot.dimensions:
            body.put(f"n{v} += 1")
        take(machine, side, body)
        body.put(f"st = {then}")
    return entry


def kleene(machine: Machine, node: Kleene, then: int, side: Side) -> int:
    """The states that bind elements: each array comes before those that begin with it.

    Deciding leaves the variable, and makes a choice to extend it before it does.
    """
    slot = machine.layout.slot(node.variable)
    v = slot.number
    extending, extend = machine.state()
    deciding, decide = machine.state()
    leaving, leave = machine.state()
    entry, enter = machine.state()
    open_array(enter, slot, slot.dimensions - 1)
    first_candidate(machine, slot, side, enter)
    enter.put("nxt = lo", f"st = {deciding}")
    count = f"({length(slot)})" if slot.dimensions > 1 else length(slot)
    with decide.block("if True:" if node.high is None else f"if {count} < {node.high}:"):
        push(decide, extending, "nxt", f"hi{v}")
    decide.put(f"st = {leaving} if {count} >= {node.low} else {BACKTRACK}")
    _next_candidate(machine, slot, side, extend)
    with extend.block("if ok:"):
        extend.put(f"n{v} += 1")
        take(machine, side, extend)
        following = f"first_after(p{v}, i, hi{v}, rank, after)" if node.sequence else "i"
        extend.put(f"nxt = {following}", f"st = {deciding}")
    close_array(leave, slot, slot.dimensions - 1)
    machine.require(side.timed.get(Leave(slot.loops[-1]), ()), side, leave)
    leave.put(f"st = {then}")
    return entry


def first_candidate(machine: Machine, slot: Slot, side: Side, writer: Writer) -> None:
    """`lo`: behind what comes before, or inside of the window where nothing does."""
    v = slot.number
    writer.put(f"lo = first_after(p{v}, lo{v}, hi{v}, rank, {_earliest(machine, slot, side)})")
    if side.until is not None and machine.query.resolved.window is not None:
        with writer.block("if after < 0 and cnt > 0:"):
            writer.put(f"lo = first_within(p{v}, lo, hi{v}, time, time[pmax], window)")


def _earliest(machine: Machine, slot: Slot, side: Side) -> str:
    """The rank that candidates come after; where neighbours are bound, those too early do not."""
    if side.place is not None or not is_contiguous(machine.query.resolved.strategy):
        return "after"
    behind = gaps(machine.query.pattern, slot.name).behind
    if not 0 < behind < inf:
        return "after"
    return f"max(after, rank[max(0, pmax - cnt - {int(behind)})] - 1) if cnt > 0 else after"


def _next_candidate(machine: Machine, slot: Slot, side: Side, writer: Writer) -> None:
    """Go through candidates until one fits; then `ok`, and its choice is still on the stack."""
    writer.put("i = stk[top + 1]", "end = stk[top + 2]", f"st = {BACKTRACK}", "ok = False")
    with writer.block("while i < end:"):
        writer.put(f"p = p{slot.number}[i]", "i += 1")
        rule_out(machine, slot, side, writer)
        writer.put(f"{vacancy(slot)} = p", "ok = True")
        current = side.current
        if slot.array:
            current[slot.loops[-1]] = length(slot)
        machine.check(side.timed.get(Bind(slot.name), ()), current, writer, slot)
        with writer.block("if ok:"):
            writer.put("stk[top + 1] = i", "top += FRAME", "break")


def rule_out(machine: Machine, slot: Slot, side: Side, writer: Writer) -> None:
    """What needs no condition: what follows, the window, events of other variables."""
    if side.until is not None:
        with writer.block(f"if rank[p] >= {side.until}:"):
            writer.put("break")
    leave_window(machine, writer)
    strategy = machine.query.resolved.strategy
    if side.place is None and is_contiguous(strategy):
        write_gaps(writer, strategy, gaps(machine.query.pattern, slot.name))
    for rival in rivals(machine, slot, side):
        with writer.block(f"if {holds(rival, 'p')}:"):
            writer.put("continue")


def leave_window(machine: Machine, writer: Writer) -> None:
    """Pass candidates `p` before the window of what is bound, and stop behind it."""
    if machine.query.resolved.window is None:
        return
    with writer.block("if cnt > 0:"):
        with writer.block("if p > pmax:"), writer.block("if time[p] - time[pmin] >= window:"):
            writer.put("break")
        with writer.block("elif p < pmin and time[pmax] - time[p] >= window:"):
            writer.put("continue")


def rivals(machine: Machine, slot: Slot, side: Side) -> list[Slot]:
    """The variables bound before that may have been offered the same event.

    Those are in other parts of an AND: what a SEQ binds lies behind `after`.
    """
    slots = machine.layout.slots
    around = _negations_under_way(side)

    def turn(one: Slot) -> tuple[int, int]:
        return machine.order.turn(one.name), one.number

    return [
        slots[name]
        for name in _beside(machine.query.pattern, slot.name)
        if slots[name].negation in around
        and _may_share(machine.query, name, slot.name)
        and (slots[name].negation != side.number or turn(slots[name]) < turn(slot))
    ]


def _may_share(query: LogicalQuery, one: str, other: str) -> bool:
    """Whether an event may fit two variables: the column of types has one value for each event."""
    kinds = {query.variables[one].type, query.variables[other].type}
    defined = {definition.name for definition in query.resolved.definitions}
    return len(kinds) == 1 or None in kinds or not defined.isdisjoint(kinds)


def _beside(pattern: Node, variable: str) -> dict[str, None]:
    """The variables that an AND has in other parts than this one."""
    found: dict[str, None] = {}
    for node in walk(pattern):
        if isinstance(node, And):
            parts = [_variables(part) for part in node.parts]
            if any(variable in part for part in parts):
                for part in parts:
                    found.update({} if variable in part else part)
    return found


def _variables(node: Node) -> dict[str, None]:
    return {below.variable: None for below in walk(node) if isinstance(below, Event | Kleene)}


def _negations_under_way(side: Side) -> set[int | None]:
    """Those whose variables are bound while a side is searched; None is the positive part."""
    found: set[int | None] = {None, side.number}
    if side.place is not None:
        found |= {negation.number for negation in enclosing_negations(side.place)}
    return found


def take(machine: Machine, side: Side, writer: Writer) -> None:
    """An event is bound: what comes next lies behind it, and the window spans it."""
    if machine.tallies and side.place is None:
        writer.put("runs += 1" if side.until is None else "built += 1")
    writer.put("after = rank[p]")
    with writer.block("if cnt == 0:"):
        writer.put("pmin = p", "pmax = p")
    with writer.block("else:"):
        with writer.block("if p < pmin:"):
            writer.put("pmin = p")
        with writer.block("if p > pmax:"):
            writer.put("pmax = p")
    writer.put("cnt += 1")
