"""The candidates of a postponed repetition, before subsets of them are walked (paper 1, 5.2).

They are gathered from where the repetition is written, if something is bound by then, so that all
that follows shares them: no further than to what follows, if that is bound before the repetition.
Else they are gathered at its turn. Then those are chosen that may be elements, and conditions of a
consistency class are decided on all of them at once. Names of variable 3:

- `come3`: the next event to look at;
- `cand3`: the candidates, `have3` of them; others are named by their number among these;
- `use3`: those that are chosen, `used3` of them; where these are known to be all from `skip3` on,
  `used3` is the end of them;
- `safe3`: for each of them a bit for each condition that is not to be decided again;
- `sure3`: a bit for each condition on all elements that holds for any subset of those chosen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from kleene.logical.algebra import And, Event, Kleene, Node, Or, Seq
from kleene.optimizer.methods import Method
from kleene.program.bind import first_candidate, leave_window, rivals, rule_out
from kleene.program.elements import Elements, Sorter
from kleene.program.layout import Slot
from kleene.program.machine import GO_BACK, Machine, Side
from kleene.program.order import Order, binds
from kleene.program.places import path_to
from kleene.program.points import Bind, Leave
from kleene.program.source import Writer

MOST_BITS = 60
"""Conditions that have a bit; any more are decided each time."""


@dataclass(frozen=True)
class Repetition:
    """A postponed repetition whose candidates are gathered."""

    machine: Machine
    node: Kleene
    side: Side
    slot: Slot
    elements: Elements
    anchored: bool
    """Whether something is bound where it is written."""
    closed: bool
    """Whether something is bound on a side of it: then its candidates are in one window."""
    between: bool
    """Whether something is bound on either side of it, before it where it is written."""

    @property
    def v(self) -> int:
        """The number of the variable."""
        return self.slot.number

    @property
    def paths(self) -> bool:
        """Whether only elements are tried of which a match comes."""
        return self.machine.method is Method.PATHS

    @property
    def graph(self) -> bool:
        """Whether some elements lead to no end."""
        return bool(self.elements.links or self.elements.ends)

    @property
    def known(self) -> bool:
        """Whether nothing is left to ask of candidates but whether they lie between neighbours."""
        elements = self.elements
        classed = (each.consistency for each in (*elements.steps, *elements.wholes))
        plain = not (elements.alone or elements.ends or any(c.true or c.false for c in classed))
        linked = not elements.links or (elements.early and self.node.low <= 1)
        free = not rivals(self.machine, self.slot, self.side)
        return self.paths and self.anchored and self.closed and plain and linked and free

    @property
    def links_early(self) -> bool:
        """Whether links are drawn where the repetition is written."""
        return bool(self.elements.links) and self.anchored and self.elements.early

    def current(self, index: str) -> dict[int, str]:
        """The source text of the current iteration of each loop."""
        return {**self.side.current, self.slot.loops[-1]: index}


def is_gathered(machine: Machine, node: Kleene) -> bool:
    """Whether the candidates of a repetition are gathered before subsets of them are walked.

    Something has to be bound by then, or all events would be candidates of one subset.
    """
    methods = {Method.EARLY_FILTERS, Method.PATHS}
    if machine.method not in methods or machine.order.number(node) is None:
        return False
    return _is_bounded(machine, node, (Seq, And))


def repetition(machine: Machine, node: Kleene, side: Side) -> Repetition:
    """What is gathered for a repetition, and its names."""
    slot = machine.layout.slot(node.variable)
    sorter = Sorter(
        machine.query, machine.layout, machine.order, slot, machine.method is Method.PATHS
    )
    bound, left = (side.timed.get(p, ()) for p in (Bind(slot.name), Leave(slot.loops[-1])))
    elements = sorter.sorted(bound, left)
    v = slot.number
    machine.keep("lim", f"last{v}", f"come{v}", f"have{v}", f"used{v}")
    machine.buffer(f"cand{v}")
    anchored, closed = _is_anchored(machine, node), _is_bounded(machine, node, (Seq,))
    between = _is_between(machine, node)
    unit = Repetition(machine, node, side, slot, elements, anchored, closed, between)
    if unit.known:
        machine.keep(f"skip{v}")
    else:
        machine.keep(f"sure{v}")
        machine.buffer(f"use{v}", f"safe{v}")
    return unit


def gather_where_written(unit: Repetition, writer: Writer) -> None:
    """Gather what follows, and go back if that is too little: the rest is not even looked for.

    Before that, what must follow the repetition must have a candidate.
    """
    machine, v = unit.machine, unit.v
    for slot in _following(unit):
        _expect(machine, slot, writer)
    _seek(machine, unit.slot, writer)
    writer.put(f"come{v} = lo", f"have{v} = 0")
    enough = f" and have{v} < {unit.node.low}" if unit.between else ""
    with writer.block(f"while come{v} < hi{v}{enough}:"):
        writer.put(f"p = p{v}[come{v}]", f"come{v} += 1")
        leave_window(machine, writer)
        _keep_candidate(unit, writer)
    if unit.node.low:
        with writer.block(f"if have{v} < {unit.node.low}:"):
            writer.put(*GO_BACK)
        writer.put(f"after = max(after, rank[cand{v}[{unit.node.low - 1}]])")


def gather_at_turn(unit: Repetition, writer: Writer) -> None:
    """Gather what lies between the neighbours."""
    v = unit.v
    first_candidate(unit.machine, unit.slot, unit.side, writer)
    writer.put(f"have{v} = 0")
    with writer.block(f"for i in range(lo, hi{v}):"):
        writer.put(f"p = p{v}[i]")
        rule_out(unit.machine, unit.slot, unit.side, writer)
        _keep_candidate(unit, writer)


def gather_more(unit: Repetition, writer: Writer) -> None:
    """Gather on, up to what follows."""
    v = unit.v
    with writer.block(f"while come{v} < hi{v} and rank[p{v}[come{v}]] < {unit.side.until}:"):
        writer.put(f"p = p{v}[come{v}]", f"come{v} += 1")
        _keep_candidate(unit, writer)


def delimit_candidates(unit: Repetition, writer: Writer) -> None:
    """All that lie between the neighbours are chosen, and in one window with what is bound by now.

    What has been bound since they were gathered may have moved the window, at either end of it.
    """
    v = unit.v
    writer.put(
        f"skip{v} = first_after(cand{v}, 0, have{v}, rank, after)",
        f"used{v} = first_after(cand{v}, skip{v}, have{v}, rank, {unit.side.until} - 1)",
    )
    if unit.machine.query.resolved.window is not None:
        early = f"time[pmax] - time[cand{v}[skip{v}]] >= window"
        with writer.block(f"while skip{v} < used{v} and {early}:"):
            writer.put(f"skip{v} += 1")
        late = f"time[cand{v}[used{v} - 1]] - time[pmin] >= window"
        with writer.block(f"while skip{v} < used{v} and {late}:"):
            writer.put(f"used{v} -= 1")
    with writer.block(f"if used{v} - skip{v} < {unit.node.low}:"):
        writer.put(*GO_BACK)


def choose_candidates(unit: Repetition, writer: Writer) -> None:
    """Choose those that may be elements, each beside all that are chosen before it."""
    v, elements = unit.v, unit.elements
    writer.put(f"used{v} = 0")
    with writer.block(f"for u in range(have{v}):"):
        writer.put(f"p = cand{v}[u]")
        with writer.block("if rank[p] <= after:"):
            writer.put("continue")
        rule_out(unit.machine, unit.slot, unit.side, writer)
        writer.put(f"b{v}[used{v}] = p", "ok = True", "bits = 0")
        current = unit.current(f"used{v}")
        unit.machine.check(elements.alone, current, writer, unit.slot)
        for bit, step in enumerate(elements.steps[:MOST_BITS]):
            if not step.consistency.true and not step.consistency.false:
                continue
            with writer.block("if ok:"):
                unit.machine.check((step.condition,), current, writer, unit.slot)
                if step.consistency.true:
                    with writer.block("if ok:"):
                        writer.put(f"bits |= {1 << bit}")
                if not step.consistency.false:
                    writer.put("ok = True")
        with writer.block("if ok:"):
            writer.put(f"safe{v}[u] = bits", f"use{v}[used{v}] = u", f"used{v} += 1")
    with writer.block(f"if used{v} < {unit.node.low}:"):
        writer.put(*GO_BACK)
    _decide_wholes(unit, writer)


def _decide_wholes(unit: Repetition, writer: Writer) -> None:
    """Conditions on all elements, decided on all that are chosen."""
    v = unit.v
    writer.put(f"sure{v} = 0", f"n{v} = used{v}")
    for bit, whole in enumerate(unit.elements.wholes[:MOST_BITS]):
        if not whole.consistency.true and not whole.consistency.false:
            continue
        writer.put("ok = True")
        unit.machine.check((whole.condition,), unit.side.current, writer)
        if whole.consistency.true:
            with writer.block("if ok:"):
                writer.put(f"sure{v} |= {1 << bit}")
        if whole.consistency.false:
            with writer.block("if not ok:"):
                writer.put(*GO_BACK)


def _keep_candidate(unit: Repetition, writer: Writer) -> None:
    v = unit.v
    writer.put("ok = True")
    if unit.elements.passing:
        writer.put(f"b{v}[0] = p")
        unit.machine.check(unit.elements.passing, unit.current("0"), writer, unit.slot)
    with writer.block("if ok:"):
        writer.put(f"cand{v}[have{v}] = p", f"have{v} += 1")


def _expect(machine: Machine, slot: Slot, writer: Writer) -> None:
    """Go back unless an event that must follow can."""
    f = slot.number
    _seek(machine, slot, writer)
    over = f"lo == hi{f}"
    if machine.query.resolved.window is not None:
        over += f" or time[p{f}[lo]] - time[pmin] >= window"
    with writer.block(f"if {over}:"):
        writer.put(*GO_BACK)


def _seek(machine: Machine, slot: Slot, writer: Writer) -> None:
    """`lo`: the first candidate behind what is bound, not far from where it was last time."""
    v = slot.number
    machine.keep(f"seen{v}")
    writer.put(f"lo = first_from(p{v}, seen{v}, lo{v}, hi{v}, rank, after)", f"seen{v} = lo")


def _following(unit: Repetition) -> Iterator[Slot]:
    """The events that come behind a repetition in every match, and are bound before it."""
    for _, after in _siblings(unit.machine, unit.node, (Seq,)):
        for other in after:
            if isinstance(other, Event) and unit.machine.order.number(other) is None:
                yield unit.machine.layout.slot(other.variable)


def _is_anchored(machine: Machine, node: Kleene) -> bool:
    """Whether something is surely bound when a machine comes to where a repetition is written."""
    return any(
        _binds_by(machine.order, other, 0)
        for before, _ in _siblings(machine, node, (Seq, And))
        for other in before
    )


def _is_bounded(machine: Machine, node: Kleene, around: tuple[type, ...]) -> bool:
    """Whether something beside a repetition is surely bound before its turn."""
    turn = machine.order.turn(node.variable)
    return any(
        _binds_by(machine.order, other, turn - 1)
        for before, after in _siblings(machine, node, around)
        for other in (*before, *after)
    )


def _is_between(machine: Machine, node: Kleene) -> bool:
    """Whether what is before a repetition is bound where it is written, and what is after too."""
    turn = machine.order.turn(node.variable)
    found = list(_siblings(machine, node, (Seq,)))
    return any(
        _binds_by(machine.order, other, 0) for before, _ in found for other in before
    ) and any(_binds_by(machine.order, other, turn - 1) for _, after in found for other in after)


def _siblings(
    machine: Machine, node: Kleene, around: tuple[type, ...]
) -> Iterator[tuple[tuple[Node, ...], tuple[Node, ...]]]:
    """What is written before and after a repetition in the lists of some kinds around it."""
    for parent, part in pairwise(path_to(machine.query.pattern, node)):
        if isinstance(parent, Seq | And) and isinstance(parent, around):
            place = next(n for n, other in enumerate(parent.parts) if other is part)
            yield parent.parts[:place], parent.parts[place + 1 :]


def _binds_by(order: Order, node: Node, turn: int) -> bool:
    """Whether a part surely binds an event at a turn or before."""
    number = order.number(node)
    if number is not None:
        return number < turn and binds(node)
    match node:
        case Event():
            return True
        case Seq() | And():
            return any(_binds_by(order, part, turn) for part in node.parts)
        case Or():
            return all(_binds_by(order, part, turn) for part in node.parts)
        case _:
            return False
