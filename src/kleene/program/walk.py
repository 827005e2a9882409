"""Subsets of the candidates of a postponed repetition, one after the other (paper 1, 5.1).

Each subset comes before those that begin with it, like in `bind.kleene`. Elements are named by
their number among the candidates. Conditions that are known to hold are not decided again. By the
method of paths an element is only tried where a match may come of it:

- links lead to those alone that meet the conditions on neighbours, and on to an end;
- a condition on all elements that subsets meet where all do is decided as elements come: where it
  is not met, it is not met by more elements either;
- one that is met by all where a subset meets it is decided on all that may still come: where these
  do not meet it, no fewer do. Once met it is not decided again: `met3` has a bit for each such
  condition, for each number of elements.

The candidate of the last element is `last3`.
"""

from __future__ import annotations

from collections.abc import Sequence

from kleene.logical.algebra import Kleene
from kleene.program.bind import leave_window, take
from kleene.program.elements import Classed
from kleene.program.gather import (
    MOST_BITS,
    Repetition,
    choose_candidates,
    delimit_candidates,
    gather_at_turn,
    gather_more,
    gather_where_written,
    repetition,
)
from kleene.program.links import END, declare_links, forget_links, link_chosen, link_gathered
from kleene.program.machine import BACKTRACK, GO_BACK, Machine, Side, push
from kleene.program.source import Writer


def passed_repetition(machine: Machine, node: Kleene, then: int, side: Side) -> int:
    """The state that goes past a repetition where it is written, with its candidates gathered."""
    unit = repetition(machine, node, side)
    if not unit.anchored:
        return then
    gathering, gather = machine.state()
    gather_where_written(unit, gather)
    if unit.links_early:
        forget_links(unit, gather)
    gather.put(f"st = {then}")
    return gathering


def walked_repetition(machine: Machine, node: Kleene, then: int, side: Side) -> int:
    """The states that bind the elements of a repetition when its turn has come."""
    unit = repetition(machine, node, side)
    v = unit.v
    extending, extend = machine.state()
    deciding, decide = machine.state()
    leaving, leave = machine.state()
    choosing, choose = machine.state()
    if unit.paths:
        declare_links(unit)
    if unit.between:
        gather_more(unit, choose)
    if unit.links_early:
        link_gathered(unit, choose)
    if unit.known:
        delimit_candidates(unit, choose)
        choose.put(f"nxt = skip{v}")
    else:
        _choose(unit, choose)
        choose.put("nxt = 0")
    choose.put(f"n{v} = 0", f"lim = used{v}", f"st = {deciding}")
    more = "nxt < lim" if node.high is None else f"nxt < lim and n{v} < {node.high}"
    with decide.block(f"if {more}:"):
        push(decide, extending, "nxt", "lim")
    decide.put(f"st = {leaving} if n{v} >= {node.low} else {BACKTRACK}")
    _extend(unit, extend, deciding)
    _leave(unit, leave)
    leave.put(f"st = {then}")
    if unit.anchored:
        return choosing
    gathering, gather = machine.state()
    gather_at_turn(unit, gather)
    gather.put(f"st = {choosing}")
    return gathering


def _choose(unit: Repetition, writer: Writer) -> None:
    choose_candidates(unit, writer)
    if unit.graph and unit.paths:
        link_chosen(unit, writer)
    if _rising(unit):
        unit.machine.buffer(f"met{unit.v}")
        writer.put(f"met{unit.v}[0] = 0")


def _next_candidate(unit: Repetition, writer: Writer) -> None:
    """`u`: the candidate that a choice has come to, by its place or by a link to it."""
    v, linked = unit.v, bool(unit.elements.links)
    place = "i" if unit.known else f"use{v}[i]"
    if not linked:
        writer.put(f"u = {place}", "i += 1", f"p = cand{v}[u]")
        return
    with writer.block(f"if n{v} == 0 or wide{v} != 0:"):
        writer.put(f"u = {place}", "i += 1")
    with writer.block("else:"):
        if unit.known:
            writer.put(f"u = succ{v}[i]", f"i = then{v}[i]")
            with writer.block(f"if u >= used{v}:"):
                writer.put("break")
        else:
            writer.put(f"u = next{v}[i]", "i += 1")
    writer.put(f"p = cand{v}[u]")


def _continue_behind(unit: Repetition, writer: Writer) -> None:
    """The candidates that may come next: those linked to, or all that follow."""
    v = unit.v
    writer.put("nxt = i", f"lim = used{v}")
    if unit.elements.links:
        first, end = (f"from{v}[u]", f"links{v}")
        if not unit.known:
            first, end = f"head{v}[u]", f"tail{v}[u]"
        with writer.block(f"if wide{v} == 0:"):
            writer.put(f"nxt = {first}", f"lim = {end}")
        with writer.block("else:"):
            writer.put(f"nxt = {'u' if unit.known else f'spot{v}[u]'} + 1")


def _extend(unit: Repetition, writer: Writer, deciding: int) -> None:
    """The next element that fits; its choice stays on the stack if there are others."""
    v, linked = unit.v, bool(unit.elements.links)
    writer.put("i = stk[top + 1]", "end = stk[top + 2]", f"st = {BACKTRACK}", "ok = False")
    with writer.block("while i < end:"):
        _next_candidate(unit, writer)
        if not unit.closed:
            leave_window(unit.machine, writer)
        if unit.paths and unit.node.low > 1:
            reached = f"reach{v}[u]" if unit.graph else f"used{v} - i + 1"
            with writer.block(f"if n{v} + {reached} < {unit.node.low}:"):
                writer.put("continue")
        if unit.node.sequence:
            unlinked = f"n{v} > 0 and wide{v} != 0" if linked else f"n{v} > 0"
            with writer.block(f"if {unlinked} and rank[p] <= rank[b{v}[n{v} - 1]]:"):
                writer.put("continue")
        writer.put(f"b{v}[n{v}] = p", "ok = True")
        _decide(unit, writer)
        with writer.block("if ok:"):
            with writer.block("if i < end:"):
                writer.put("stk[top + 1] = i", "top += FRAME")
            writer.put("break")
    with writer.block("if ok:"):
        writer.put(f"last{v} = u", f"n{v} += 1")
        take(unit.machine, unit.side, writer)
        _continue_behind(unit, writer)
        writer.put(f"st = {deciding}")


def _decide(unit: Repetition, writer: Writer) -> None:
    """What is decided when an element comes."""
    v, machine, current = unit.v, unit.machine, unit.current(f"n{unit.v}")
    if unit.elements.links:
        with writer.block(f"if wide{v} != 0:"):
            machine.check(unit.elements.links, current, writer, unit.slot)
    for bit, step in enumerate(unit.elements.steps):
        safe = step.consistency.true and bit < MOST_BITS
        with writer.block(f"if ok and safe{v}[u] & {1 << bit} == 0:" if safe else "if ok:"):
            machine.check((step.condition,), current, writer, unit.slot)
    for bit, whole in _falling(unit):
        with writer.block(f"if ok and sure{v} & {1 << bit} == 0:"):
            writer.put(f"n{v} += 1")
            machine.check((whole.condition,), unit.side.current, writer)
            writer.put(f"n{v} -= 1")
    rising = _rising(unit)
    if rising:
        writer.put(f"met = met{v}[n{v}]")
        for bit, whole in rising:
            with writer.block(f"if ok and met & {1 << bit} == 0:"):
                _decide_what_may_come(unit, whole, bit, writer)
        writer.put(f"met{v}[n{v} + 1] = met")


def _decide_what_may_come(unit: Repetition, whole: Classed, bit: int, writer: Writer) -> None:
    """Whether the elements with the new one meet a condition, or else with all that may follow."""
    v, machine = unit.v, unit.machine
    writer.put(f"size = n{v}", f"n{v} = size + 1")
    machine.check((whole.condition,), unit.side.current, writer)
    with writer.block("if ok:"):
        writer.put(f"met |= {1 << bit}")
    with writer.block("else:"):
        with writer.block(f"for at in range({_place(unit)} + 1, used{v}):"):
            writer.put(f"b{v}[n{v}] = cand{v}[use{v}[at]]", f"n{v} += 1")
        writer.put("ok = True")
        machine.check((whole.condition,), unit.side.current, writer)
    writer.put(f"n{v} = size")


def _place(unit: Repetition) -> str:
    """Where the new element stands among those that are chosen."""
    return f"spot{unit.v}[u]" if unit.elements.links else "i - 1"


def _leave(unit: Repetition, writer: Writer) -> None:
    """What is decided of all elements; most of it is known unless there are none."""
    v, machine, elements = unit.v, unit.machine, unit.elements
    known = {bit for bit, _ in (*_falling(unit), *_rising(unit))}
    writer.put("ok = True")
    if unit.node.low == 0:
        with writer.block(f"if n{v} == 0:"):
            conditions = [whole.condition for whole in elements.wholes]
            machine.check((*elements.ends, *conditions), unit.side.current, writer)
    with writer.block(f"if n{v} > 0:"):
        if elements.ends:
            writer.put(f"ok = safe{v}[last{v}] & {END} != 0")
        for bit, _ in _rising(unit):
            writer.put(f"ok = ok and met{v}[n{v}] & {1 << bit} != 0")
        for bit, whole in enumerate(elements.wholes):
            if bit not in known:
                safe = whole.consistency.true and bit < MOST_BITS
                with writer.block(f"if ok and sure{v} & {1 << bit} == 0:" if safe else "if ok:"):
                    machine.check((whole.condition,), unit.side.current, writer)
    with writer.block("if not ok:"):
        writer.put(*GO_BACK)


def _falling(unit: Repetition) -> Sequence[tuple[int, Classed]]:
    """The conditions on all elements that fewer meet too."""
    wholes = enumerate(unit.elements.wholes[:MOST_BITS])
    found = [(bit, whole) for bit, whole in wholes if whole.consistency.true]
    return found if unit.paths else []


def _rising(unit: Repetition) -> Sequence[tuple[int, Classed]]:
    """The conditions on all elements that more meet too."""
    wholes = enumerate(unit.elements.wholes[:MOST_BITS])
    found = ((bit, w) for bit, w in wholes if w.consistency.false and not w.consistency.true)
    return list(found) if unit.paths else []
