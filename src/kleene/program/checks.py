"""Conditions as checks in a machine: loops over the choices of indices, aggregates, the verdict."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from kleene.language.expressions import Aggregate, Attribute, Expression, IndexKind
from kleene.language.indices import RANGES
from kleene.language.traversal import walk
from kleene.program.columns import ALONE, Columns
from kleene.program.conditions import AggregateCode, Translator, aggregate_code
from kleene.program.layout import Layout, Slot
from kleene.program.source import Writer
from kleene.program.storage import bounds, count, counts, element, extent, first_event, named
from kleene.program.text import Operand

_RUNNING = frozenset({IndexKind.EACH, IndexKind.PREVIOUS, IndexKind.BEFORE, IndexKind.UP_TO})
_NOT_FOR_THE_FIRST = frozenset({IndexKind.PREVIOUS, IndexKind.BEFORE})


@dataclass
class Check:
    """One condition being written, at a place where some loops are at their current iteration."""

    layout: Layout
    columns: Columns
    current: dict[int, str]
    """The source text of the current iteration of each loop that the place is in."""
    binding: Slot | None = None
    """The variable whose next element is in its place but not yet counted."""
    chosen: dict[int, str] = field(default_factory=dict)
    free: set[int] = field(default_factory=set)
    """The loops that run although the place is at one of their iterations."""

    def write(self, condition: Expression, writer: Writer) -> None:
        """Write statements that set `ok` to False if the condition is not met."""
        attributes = [node for node in walk(condition) if isinstance(node, Attribute)]
        self._free(attributes)
        self._choose(attributes, lambda inner: self._verdict(condition, attributes, inner), writer)

    def _free(self, attributes: list[Attribute]) -> None:
        """Loops around a negation run where only other iterations of its events are asked for."""
        asked: dict[int, set[IndexKind]] = {}
        for attribute in attributes:
            for loop, kind in zip(self._slot(attribute).around, attribute.indices, strict=False):
                asked.setdefault(loop, set()).add(kind)
        self.free = {loop for loop, kinds in asked.items() if IndexKind.EACH not in kinds}

    def _choose(
        self, attributes: list[Attribute], then: Callable[[Writer], None], writer: Writer
    ) -> None:
        """A loop for each index that runs and is not that of the place."""
        for attribute in attributes:
            slot = self._slot(attribute)
            around = len(slot.around)
            for level, kind in enumerate(attribute.indices):
                loop = (*slot.around, *slot.loops)[level]
                if kind not in _RUNNING or loop in self.chosen:
                    continue
                if loop in self.current and loop not in self.free:
                    self.chosen[loop] = self.current[loop]
                    self._choose(attributes, then, writer)
                    return
                index = f"x{loop}"
                running = (
                    self._running(slot, level - around)
                    if level >= around
                    else self._iterations(loop)
                )
                with writer.block(f"for {index} in range({running}):"):
                    self.chosen[loop] = index
                    self._choose(attributes, then, writer)
                    with writer.block("if not ok:"):
                        writer.put("break")
                return
        then(writer)

    def _slot(self, attribute: Attribute) -> Slot:
        return self.layout.slot(attribute.variable)

    def _kinds(self, attribute: Attribute) -> tuple[IndexKind, ...]:
        """The indices that are dimensions of the storage."""
        return attribute.indices[len(self._slot(attribute).around) :]

    def _running(self, slot: Slot, level: int) -> str:
        """The iterations that an index runs over."""
        return self._length(slot, level)

    def _length(self, slot: Slot, level: int) -> str:
        return extent(slot, [self.chosen[loop] for loop in slot.loops[:level]])

    def _iterations(self, loop: int) -> str:
        """Those of the group around a negation: as many as a variable of the group has elements."""
        slot = next(slot for slot in self.layout.slots.values() if loop in slot.loops)
        return self._length(slot, slot.loops.index(loop))

    def _verdict(self, condition: Expression, attributes: list[Attribute], writer: Writer) -> None:
        guards = self._guards(attributes)
        if not guards:
            self._decide(condition, writer)
            return
        with writer.block(f"if {' and '.join(guards)}:"):
            self._decide(condition, writer)

    def _guards(self, attributes: list[Attribute]) -> list[str]:
        """What must be so for the condition to apply: not the first element, nothing unbound."""
        found: dict[str, None] = {}
        for attribute in attributes:
            slot = self._slot(attribute)
            loops = (*slot.around, *slot.loops)
            for loop, kind in zip(loops, attribute.indices, strict=True):
                if kind in _NOT_FOR_THE_FIRST:
                    found[f"{self.chosen[loop]} > 0"] = None
            found.update(dict.fromkeys(self._tested(slot, attribute.indices)))
            if RANGES.isdisjoint(attribute.indices[: len(slot.around)]):
                found.update(dict.fromkeys(self._present(slot, self._kinds(attribute))))
        return list(found)

    def _tested(self, slot: Slot, kinds: tuple[IndexKind, ...]) -> list[str]:
        """A negation has events in the iteration that is tested, and in no other."""
        found = []
        for loop, kind in zip(slot.around, kinds, strict=False):
            tested = self.current[loop]
            if kind in RANGES:
                break
            index = self._index(loop, kind)
            if index != tested:
                found.append(f"{index} == {tested}")
        return found

    def _present(self, slot: Slot, kinds: tuple[IndexKind, ...]) -> list[str]:
        guards: list[str] = []
        for level, kind in enumerate(kinds):
            if kind is IndexKind.FIRST:
                guards += self._begun(slot, kinds, level)
            if kind in RANGES:
                return [*guards, *self._array_present(slot, kinds[:level])]
        return [*guards, f"{self.position(slot, kinds)} >= 0"]

    def _begun(self, slot: Slot, kinds: tuple[IndexKind, ...], level: int) -> list[str]:
        """An array has a first element. One that is under way does not know its end yet."""
        coming = slot is self.binding and level == slot.dimensions - 1
        if not level:
            return [] if coming else [f"{counts(slot)[-1]} > 0"]
        rows = slot.dimensions - level
        place = element(slot, self._indices(slot, kinds[:level]))
        start, held = named("s", slot, rows), count(slot, rows)
        end = f"begin_of({start}, {held}, {count(slot, rows - 1)}, {place} + 1)"
        begun = f"{end} > {start}[{place}]"
        return [f"({place} == {held} - 1 or {begun})" if coming else begun]

    def _array_present(self, slot: Slot, kinds: tuple[IndexKind, ...]) -> list[str]:
        """An array within these indices is not null, nor are those around it."""
        guards = [f"{held} >= 0" for held in counts(slot)[-1:]]
        for level in range(1, len(kinds) + 1):
            start, end = bounds(slot, self._indices(slot, kinds[:level]))
            guards.append(f"{end} >= {start}")
        return guards

    def _indices(self, slot: Slot, kinds: Sequence[IndexKind]) -> list[str]:
        return [self._index(loop, kind) for loop, kind in zip(slot.loops, kinds, strict=False)]

    def _index(self, loop: int, kind: IndexKind) -> str:
        if kind is IndexKind.FIRST:
            return "0"
        return self.chosen[loop] + (" - 1" if kind is IndexKind.PREVIOUS else "")

    def position(self, slot: Slot, kinds: tuple[IndexKind, ...]) -> str:
        """The event that a reference to a single element means."""
        if not slot.dimensions:
            return f"r{slot.number}"
        return f"b{slot.number}[{element(slot, self._indices(slot, kinds))}]"

    def _decide(self, condition: Expression, writer: Writer) -> None:
        """The verdict, behind the aggregates that it looks at."""
        computed: dict[int, AggregateCode] = {}
        lines: list[tuple[str, ...]] = []

        def aggregate(node: Aggregate) -> Operand:
            if id(node) not in computed:
                computed[id(node)], written = self._aggregate(node, len(computed))
                lines.append(written)
            return computed[id(node)].result

        translator = Translator(self.columns, self._event, aggregate, self._part)
        verdict = translator.is_true(condition)
        for number, written in enumerate(lines):
            if re.search(rf"\bg{number}[a-z]\b", verdict):
                writer.splice(written)
        with writer.block(f"if not ({verdict}):"):
            writer.put("ok = False")

    def _event(self, attribute: Attribute) -> str:
        return self.position(self._slot(attribute), self._kinds(attribute))

    def _part(self, attribute: Attribute) -> tuple[int, str, str]:
        """The buffer that an attribute ranges over, and the part of it; -1 is one event alone."""
        slot = self._slot(attribute)
        covered = self._covered(slot, attribute.indices)
        if covered is None:
            return (slot.number, *self._range(slot, self._kinds(attribute)))
        if not slot.dimensions:
            return ALONE, f"(r{slot.number} if {covered} else -1)", "0"
        return slot.number, "0", f"({count(slot, 0)} if {covered} else 0)"

    def _aggregate(self, node: Aggregate, number: int) -> tuple[AggregateCode, tuple[str, ...]]:
        """A loop over the range of an aggregate."""
        ranged = next(
            found
            for found in walk(node.argument)
            if isinstance(found, Attribute) and not RANGES.isdisjoint(found.indices)
        )

        def position(attribute: Attribute) -> str:
            if (attribute.variable, attribute.indices) == (ranged.variable, ranged.indices):
                return f"y{number}"
            return self._event(attribute)

        def nested(_: Aggregate) -> Operand:
            raise AssertionError("aggregates are not nested")

        code = aggregate_code(node, Translator(self.columns, position, nested), f"g{number}")
        buffer, start, end = self._part(ranged)
        writer = Writer()
        writer.splice(code.before)
        covered = f"range({start}, {end})" if buffer != ALONE else "range(1)"
        with writer.block(f"for z{number} in {covered}:"):
            writer.put(f"y{number} = {f'b{buffer}[z{number}]' if buffer != ALONE else start}")
            with writer.block(f"if y{number} >= 0:"):
                writer.splice(code.each)
        writer.splice(code.after)
        return code, tuple(writer.lines)

    def _range(self, slot: Slot, kinds: tuple[IndexKind, ...]) -> tuple[str, str]:
        """The part of the buffer that a range covers."""
        level = next(level for level, kind in enumerate(kinds) if kind in RANGES)
        start, end = bounds(slot, self._indices(slot, kinds[:level]))
        inner = slot.dimensions - level - 1
        if kinds[level] is not IndexKind.ALL:
            index = self.chosen[slot.loops[level]]
            index += "" if kinds[level] is IndexKind.BEFORE else " + 1"
            end = index if start == "0" else f"{start} + {index}"
        elif start == "0":
            return "0", count(slot, 0)
        if inner and start != "0":
            start = first_event(slot, inner, start)
        return start, first_event(slot, inner, end)

    def _covered(self, slot: Slot, kinds: tuple[IndexKind, ...]) -> str | None:
        """Whether a range over the iterations around a negation covers the one that is tested."""
        for loop, kind in zip(slot.around, kinds, strict=False):
            if kind in RANGES:
                tested = self.current[loop]
                sign = {IndexKind.BEFORE: "<", IndexKind.UP_TO: "<="}.get(kind)
                return "True" if sign is None else f"{tested} {sign} {self.chosen[loop]}"
        return None
