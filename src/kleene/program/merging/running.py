"""Aggregates of a Kleene variable as registers, changed with each element."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kleene.language.expressions import Aggregate, IndexKind
from kleene.language.printer import print_expression
from kleene.program.columns import Columns, event_of, row_expression
from kleene.program.comparisons import holds
from kleene.program.conditions import Translator
from kleene.program.kinds import ColumnKind, natural_kind
from kleene.program.merging.enumerates import Enumerates
from kleene.program.merging.registers import MoveCode
from kleene.program.source import Writer
from kleene.program.text import FALSE, Operand, negation

_PARTS = {"count": ("g",), "sum": ("g", "h", "s")}
_SIGNS = {"min": "<", "max": ">"}


def at(columns: Columns, place: str) -> Translator:
    """Translates what is about the one event at a place."""

    def no_aggregate(node: Aggregate) -> Operand:
        raise AssertionError(node)

    return Translator(columns, lambda _: place, no_aggregate)


@dataclass(frozen=True)
class Running:
    """An aggregate over the elements so far.

    `g` is a count, or the event whose value it is; of a sum `s` is how many there are, one at most,
    and `g` and `h` are the sum in two parts, so that only the total overflows: g * 2^32 + h.
    """

    node: Aggregate
    number: int
    variable: str
    columns: Columns

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells aggregates apart, whichever elements they range over."""
        text = print_expression(row_expression(self.node.argument))
        return self.node.name, self.variable, text

    @property
    def initial(self) -> dict[str, int]:
        """The registers before there are elements."""
        names = [f"{letter}_{self.number}" for letter in _PARTS.get(self.node.name, ("g",))]
        return dict.fromkeys(names, 0 if self.node.name in _PARTS else -1)

    def update(self, code: MoveCode) -> None:
        """Another element comes, the event `e`."""
        g, h, s = (f"{letter}_{self.number}" for letter in "ghs")
        translator = at(self.columns, "e")
        null = translator.null(self.node.argument)
        writer = Writer()
        match self.node.name:
            case "count":
                writer.put(f"new_{g} = {g} + (0 if {null} else 1)")
            case "sum":
                value = translator.operand(self.node.argument).value
                low, high = Writer(), Writer()
                low.put(f"new_{h} = {h}")
                high.put(f"new_{g} = {g}")
                with low.block(f"if {negation(null)}:"):
                    low.put(f"new_{h} = ({h} + ({value} & {2**32 - 1})) & {2**32 - 1}")
                with high.block(f"if {negation(null)}:"):
                    carry = f"(({h} + ({value} & {2**32 - 1})) >> 32)"
                    high.put(f"new_{g} = {g} + ({value} >> 32) + {carry}")
                code.update(h, *low.lines)
                code.update(s, f"new_{s} = {s} if {null} else 1")
                writer = high
            case "first":
                writer.put(f"new_{g} = {g} if {g} >= 0 else of_{g}[e]")
            case "last":
                writer.put(f"new_{g} = of_{g}[e]")
            case name:
                writer.put(f"new_{g} = {g}")
                new = translator.operand(self.node.argument)
                old = at(self.columns, g).operand(self.node.argument)
                better = f"{g} < 0 or {holds(new, _SIGNS[name], old)}"
                with writer.block(f"if {negation(null)} and ({better}):"):
                    writer.put(f"new_{g} = of_{g}[e]")
        code.update(g, *writer.lines)

    def value(self, node: Aggregate, code: MoveCode) -> Operand:
        """The aggregate, over the elements before `e` or with it."""
        g, h, s = (f"{letter}_{self.number}" for letter in "ghs")
        if not _is_before(node):
            g, h, s = map(code.now, (g, h, s))
        match node.name:
            case "count":
                return Operand(g, FALSE, ColumnKind.INT)
            case "sum":
                null = f"({s} == 0 or total_overflows({g}, {h}))"
                return Operand(f"total({g}, {h})", null, ColumnKind.INT)
            case _:
                found = at(self.columns, g).operand(node.argument)
                return replace(found, null=f"({g} < 0 or {found.null})")


def _is_before(node: Aggregate) -> bool:
    found = event_of(node.argument)
    return found is not None and IndexKind.BEFORE in found.indices


def running_of(node: Aggregate, number: int, columns: Columns) -> Running:
    """The registers of an aggregate."""
    found = event_of(node.argument)
    assert found is not None, "clauses have looked at that"
    if node.name == "sum":
        translator = at(columns, "e")
        kinds = natural_kind(translator.type(node)), natural_kind(translator.type(node.argument))
        if kinds != (ColumnKind.INT, ColumnKind.INT):
            text = print_expression(node)
            raise Enumerates(f"{text} adds floats or decimals, so runs differ that add others")
    return Running(node, number, found.variable, columns)
