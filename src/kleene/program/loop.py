"""The body of a kernel: its states in a loop, and those that every kernel has.

    while True:
        if st == 5: …; st = 7; continue

A kernel stops where its output is full or its stack too small, and goes on with the next call: all
that it knows is read from `save` at the beginning and written there at the end.

It either writes its matches or counts them. A match is written variable by variable, an array of
arrays level by level: a count, that many counts, then the events. Where there are arrays, matches
are of different lengths: then the ends of the matches of a call stand at the end of `out`, in
reverse. A counting kernel writes the number of a partition and that of its matches, if it has any.
"""

from __future__ import annotations

from kleene.logical.algebra import And, Event, Kleene, Node, Seq
from kleene.program.layout import Slot
from kleene.program.machine import BACKTRACK, EMIT, NEXT_PARTITION, SNAPSHOT, Machine
from kleene.program.search import FAR
from kleene.program.source import Writer
from kleene.program.storage import count, counts, named

DONE, FULL, DEEP, LIMIT, WIDE = range(5)
"""What a call answers: all is done, the output is full, the stack is too small, a partition has
more matches than `limit`, or the buffers that grow are too small."""

PARTITION_AT, MOST, TOLD, RUNS, BUILT = 2, 4, 5, 6, 7
"""Where in `save` the number of the next partition, the limit, the matches written by a call, and
what a machine that tallies has bound stand: where it was written, and when its turn had come."""

_AT_THE_LEAF = 2
"""States that are compared one after the other."""


def saved_names(machine: Machine) -> list[str]:
    """What a kernel keeps from call to call."""
    bounds = [
        f"{end}{slot.number}" for slot in machine.layout.slots.values() for end in ("lo", "hi")
    ]
    own = ["st", "top", "part_at", "matches", "limit", "told", "runs", "built"]
    return [*own, *machine.plain, *machine.registers, *bounds]


def body(machine: Machine, entry: int, *, counts: bool) -> list[str]:
    """The lines of a kernel whose search in a partition begins in a state."""
    names = saved_names(machine)
    writer = Writer()
    writer.put(*(f"{name} = save[{n}]" for n, name in enumerate(names)))
    writer.put(
        "fill = 0", "told = 0", f"FRAME = {machine.frame}", f"FAR = {FAR}", f"answer = {DONE}"
    )
    with writer.block("while True:"):
        with writer.block("if top + 2 * FRAME > len(stk):"):
            writer.put(f"answer = {DEEP}", "break")
        _bisect(writer, sorted(_states(machine, entry, counts=counts).items()))
    writer.put(*(f"save[{n}] = {name}" for n, name in enumerate(names)))
    writer.put("return answer, fill")
    return _with_snapshots(writer.lines, machine.snapshot())


def _with_snapshots(lines: list[str], snapshot: list[str]) -> list[str]:
    found: list[str] = []
    for line in lines:
        indent, marker, _ = line.partition(SNAPSHOT)
        found += [indent + part for part in snapshot] if marker else [line]
    return found


def _bisect(writer: Writer, states: list[tuple[int, Writer]]) -> None:
    """A step costs the logarithm of the number of states."""
    if len(states) <= _AT_THE_LEAF:
        for number, state in states:
            with writer.block(f"if st == {number}:"):
                writer.put(*state.lines, "continue")
        return
    middle = len(states) // 2
    with writer.block(f"if st < {states[middle][0]}:"):
        _bisect(writer, states[:middle])
    with writer.block("else:"):
        _bisect(writer, states[middle:])


def _states(machine: Machine, entry: int, *, counts: bool) -> dict[int, Writer]:
    own = {
        BACKTRACK: _backtrack(machine),
        NEXT_PARTITION: _next_partition(machine, entry, counts=counts),
        EMIT: _count() if counts else _emit(machine.layout.shown),
    }
    return own | machine.states


def _backtrack(machine: Machine) -> Writer:
    """Take the newest choice; without one the partition is done."""
    writer = Writer()
    with writer.block("if top == 0:"):
        writer.put(f"st = {NEXT_PARTITION}", "continue")
    writer.put("top -= FRAME", "st = stk[top]", *machine.restoring())
    return writer


def _next_partition(machine: Machine, entry: int, *, counts: bool) -> Writer:
    """Go to a partition in which every variable that must be bound has candidates."""
    writer = Writer()
    if counts:
        with writer.block("if matches > 0:"):
            with writer.block("if fill + 2 > len(out):"):
                writer.put(f"answer = {FULL}", "break")
            writer.put("out[fill] = part_at - 1", "out[fill + 1] = matches", "fill += 2")
    writer.put("matches = 0")
    with writer.block("if part_at + 1 >= len(part):"):
        writer.put(f"answer = {DONE}", "break")
    writer.put("begin = part[part_at]", "finish = part[part_at + 1]", "part_at += 1")
    for slot in machine.layout.slots.values():
        v = slot.number
        writer.put(f"lo{v} = advance(p{v}, hi{v}, begin)", f"hi{v} = advance(p{v}, lo{v}, finish)")
    for name in _mandatory(machine.query.pattern):
        v = machine.layout.slot(name).number
        with writer.block(f"if lo{v} == hi{v}:"):
            writer.put("continue")
    writer.put(*(f"{name} = 0" for name in machine.registers))
    writer.put("after = -1", f"st = {entry}")
    return writer


def _mandatory(node: Node) -> list[str]:
    """Variables that every match binds; not all of them, but those that are cheap to know."""
    match node:
        case Event():
            return [node.variable]
        case Kleene() if node.low:
            return [node.variable]
        case Seq() | And():
            return [name for part in node.parts for name in _mandatory(part)]
        case _:
            return []


def _count() -> Writer:
    writer = Writer()
    _stop_at_limit(writer)
    writer.put("matches += 1", f"st = {BACKTRACK}")
    return writer


def _stop_at_limit(writer: Writer) -> None:
    with writer.block("if matches >= limit:"):
        writer.put(f"answer = {LIMIT}", "break")


def _emit(slots: list[Slot]) -> Writer:
    """Write the match, or leave it to the next call if there is no room: a match is not divided."""
    writer = Writer()
    _stop_at_limit(writer)
    arrays = any(slot.dimensions for slot in slots)
    sizes = [str(len(slots))]
    sizes += [f"max({held}, 0)" for slot in slots for held in counts(slot)]
    sizes += ["told + 1"] if arrays else []
    with writer.block(f"if fill + {' + '.join(sizes)} > len(out):"):
        writer.put(f"answer = {FULL}", "break")
    for slot in slots:
        _emit_variable(writer, slot)
    writer.put("told += 1")
    if arrays:
        writer.put("out[len(out) - told] = fill")
    writer.put("matches += 1", f"st = {BACKTRACK}")
    return writer


def _emit_variable(writer: Writer, slot: Slot) -> None:
    """An event, or a count and as many elements; null is -1, also as a count."""
    v = slot.number
    if slot.dimensions == 0:
        writer.put(f"out[fill] = r{v}", "fill += 1")
        return
    writer.put(f"out[fill] = {counts(slot)[-1]}", "fill += 1")
    for level in reversed(slot.rows):
        with writer.block(f"for x in range({count(slot, level)}):"):
            length = f"{named('e', slot, level)}[x] - {named('s', slot, level)}[x]"
            writer.put(f"out[fill] = {length}", "fill += 1")
    with writer.block(f"for z in range(n{v}):"):
        writer.put(f"out[fill] = b{v}[z]", "fill += 1")
