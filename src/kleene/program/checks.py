"""Conditions as checks in a machine: loops over the choices of indices, aggregates, the verdict."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from kleene.language.expressions import Aggregate, Attribute, Expression, IndexKind
from kleene.language.indices import RANGES
from kleene.language.traversal import walk
from kleene.program.columns import Columns, Unsupported
from kleene.program.conditions import AggregateCode, Translator, aggregate_code
from kleene.program.layout import Layout, Slot
from kleene.program.source import Writer

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

    def write(self, condition: Expression, writer: Writer) -> None:
        """Write statements that set `ok` to False if the condition is not met."""
        attributes = [node for node in walk(condition) if isinstance(node, Attribute)]
        self._choose(attributes, lambda inner: self._verdict(condition, attributes, inner), writer)

    def _choose(
        self, attributes: list[Attribute], then: Callable[[Writer], None], writer: Writer
    ) -> None:
        """A loop for each index that runs and is not that of the place."""
        for attribute in attributes:
            slot = self.layout.slot(attribute.variable)
            for level, kind in enumerate(self._kinds(attribute)):
                loop = slot.loops[level]
                if kind not in _RUNNING or loop in self.chosen:
                    continue
                if loop in self.current:
                    self.chosen[loop] = self.current[loop]
                    self._choose(attributes, then, writer)
                    return
                index = f"x{loop}"
                with writer.block(f"for {index} in range({self._running(slot, level)}):"):
                    self.chosen[loop] = index
                    self._choose(attributes, then, writer)
                    with writer.block("if not ok:"):
                        writer.put("break")
                return
        then(writer)

    def _kinds(self, attribute: Attribute) -> tuple[IndexKind, ...]:
        """The indices that are dimensions of the storage."""
        around = len(self.layout.slot(attribute.variable).around)
        if any(kind is not IndexKind.EACH for kind in attribute.indices[:around]):
            raise Unsupported("a negated event of another iteration")
        return attribute.indices[around:]

    def _running(self, slot: Slot, level: int) -> str:
        """The iterations that an index runs over."""
        return self._length(slot, level)

    def _length(self, slot: Slot, level: int) -> str:
        number = slot.number
        if level == 0:
            return f"n{number}" if slot.dimensions == 1 else f"w{number}"
        outer = self.chosen[slot.loops[0]]
        return f"e{number}[{outer}] - s{number}[{outer}]"

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
            slot = self.layout.slot(attribute.variable)
            kinds = self._kinds(attribute)
            for loop, kind in zip(slot.loops, kinds, strict=True):
                if kind in _NOT_FOR_THE_FIRST:
                    found[f"{self.chosen[loop]} > 0"] = None
            found.update(dict.fromkeys(self._present(slot, kinds)))
        return list(found)

    def _present(self, slot: Slot, kinds: tuple[IndexKind, ...]) -> list[str]:
        number = slot.number
        counted = slot is not self.binding
        guards = []
        if slot.dimensions == 1 and kinds[0] is IndexKind.FIRST and counted:
            guards.append(f"n{number} > 0")
        if slot.dimensions > 1 and kinds[0] is IndexKind.FIRST:
            guards.append(f"w{number} > 0")
        if slot.dimensions > 1 and kinds[1] is IndexKind.FIRST:
            outer = self._outer(slot, kinds[0])
            begun = f"e{number}[{outer}] > s{number}[{outer}]"
            guards.append(begun if counted else f"({outer} == w{number} - 1 or {begun})")
        if not RANGES.isdisjoint(kinds):
            return [*guards, *self._array_present(slot, kinds)]
        return [*guards, f"{self.position(slot, kinds)} >= 0"]

    def _array_present(self, slot: Slot, kinds: tuple[IndexKind, ...]) -> list[str]:
        number = slot.number
        if slot.dimensions == 1:
            return [f"n{number} >= 0"]
        guards = [f"w{number} >= 0"]
        if kinds[0] not in RANGES:
            outer = self._outer(slot, kinds[0])
            guards.append(f"e{number}[{outer}] >= s{number}[{outer}]")
        return guards

    def _outer(self, slot: Slot, kind: IndexKind) -> str:
        return self._index(slot.loops[0], kind)

    def _index(self, loop: int, kind: IndexKind) -> str:
        if kind is IndexKind.FIRST:
            return "0"
        return self.chosen[loop] + (" - 1" if kind is IndexKind.PREVIOUS else "")

    def position(self, slot: Slot, kinds: tuple[IndexKind, ...]) -> str:
        """The event that a reference to a single element means."""
        number = slot.number
        if not slot.dimensions:
            return f"r{number}"
        first = self._index(slot.loops[0], kinds[0])
        if slot.dimensions == 1:
            return f"b{number}[{first}]"
        return f"b{number}[s{number}[{first}] + {self._index(slot.loops[1], kinds[1])}]"

    def _decide(self, condition: Expression, writer: Writer) -> None:
        """The verdict, behind the aggregates that it looks at."""
        computed: dict[int, AggregateCode] = {}
        lines: list[tuple[str, ...]] = []

        def aggregate(node: Aggregate) -> tuple[str, str]:
            if id(node) not in computed:
                computed[id(node)], written = self._aggregate(node, len(computed))
                lines.append(written)
            return computed[id(node)].value, computed[id(node)].null

        translator = Translator(self.columns, self._event, aggregate, self._part)
        verdict = translator.is_true(condition)
        for number, written in enumerate(lines):
            if re.search(rf"\bg{number}[a-z]\b", verdict):
                writer.splice(written)
        with writer.block(f"if not ({verdict}):"):
            writer.put("ok = False")

    def _event(self, attribute: Attribute) -> str:
        return self.position(self.layout.slot(attribute.variable), self._kinds(attribute))

    def _part(self, attribute: Attribute) -> tuple[int, str, str]:
        slot = self.layout.slot(attribute.variable)
        return (slot.number, *self._range(slot, self._kinds(attribute)))

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

        def nested(_: Aggregate) -> tuple[str, str]:
            raise AssertionError("aggregates are not nested")

        code = aggregate_code(node, Translator(self.columns, position, nested), f"g{number}")
        buffer, start, end = self._part(ranged)
        writer = Writer()
        writer.splice(code.before)
        with writer.block(f"for z{number} in range({start}, {end}):"):
            writer.put(f"y{number} = b{buffer}[z{number}]")
            with writer.block(f"if y{number} >= 0:"):
                writer.splice(code.each)
        writer.splice(code.after)
        return code, tuple(writer.lines)

    def _range(self, slot: Slot, kinds: tuple[IndexKind, ...]) -> tuple[str, str]:
        """The part of the buffer that a range covers."""
        number = slot.number
        if slot.dimensions == 1:
            return "0", self._end(slot.loops[0], kinds[0], f"n{number}")
        outer = kinds[0]
        if outer in RANGES:
            return "0", self._flat_end(slot, outer)
        first = self._outer(slot, outer)
        start, end = f"s{number}[{first}]", f"e{number}[{first}]"
        match kinds[1]:
            case IndexKind.ALL:
                return start, end
            case IndexKind.BEFORE:
                return start, f"{start} + {self.chosen[slot.loops[1]]}"
            case _:
                return start, f"{start} + {self.chosen[slot.loops[1]]} + 1"

    def _end(self, loop: int, kind: IndexKind, whole: str) -> str:
        match kind:
            case IndexKind.ALL:
                return whole
            case IndexKind.BEFORE:
                return self.chosen[loop]
            case _:
                return f"{self.chosen[loop]} + 1"

    def _flat_end(self, slot: Slot, kind: IndexKind) -> str:
        number = slot.number
        match kind:
            case IndexKind.ALL:
                return f"n{number}"
            case IndexKind.BEFORE:
                return f"s{number}[{self.chosen[slot.loops[0]]}]"
            case _:
                last = self.chosen[slot.loops[0]]
                return f"max(s{number}[{last}], e{number}[{last}])"
