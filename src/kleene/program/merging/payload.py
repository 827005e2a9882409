"""What is known of all paths to a configuration together: how many there are, and aggregates.

A number of paths is a count of `tables`, a sum of whole numbers its limbs and whether it has a
value; an extreme is the event that has it, or -1. So a payload is a row of whole numbers, and the
sum of two payloads tells of the paths of both.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import cached_property

from kleene.language.expressions import Arithmetic, Attribute, Expression, Negative
from kleene.language.kinds import Kind, kind_of
from kleene.language.measures import Measure
from kleene.language.printer import print_expression
from kleene.program.columns import Columns, event_of
from kleene.program.comparisons import holds
from kleene.program.merging.enumerates import Enumerates
from kleene.program.merging.running import at
from kleene.program.source import Writer
from kleene.program.tables import LIMBS, WORDS
from kleene.program.text import TRUE, negation

COUNT = Measure("count", None)
_SIGNS = {"min": "<", "max": ">"}
_EXACT = frozenset({Kind.INTEGER, Kind.DURATION})


@dataclass(frozen=True)
class Part:
    """A part of an aggregate in a payload: where its words begin, and what it is about."""

    measure: Measure
    start: int
    variable: str | None

    @property
    def width(self) -> int:
        """How many words there are."""
        match self.measure.name:
            case "count":
                return LIMBS
            case "sum":
                return WORDS + 1
            case _:
                return 1


@dataclass(frozen=True)
class Payload:
    """The words of a payload; the first are the number of paths."""

    parts: tuple[Part, ...]
    columns: Columns

    @cached_property
    def width(self) -> int:
        """How many words there are."""
        return sum(part.width for part in self.parts)

    def zero(self, array: str, start: str) -> list[str]:
        """Statements that write the payload of no path."""
        found = []
        for part in self.parts:
            nothing = -1 if part.measure.name in _SIGNS else 0
            words = range(part.start, part.start + part.width)
            found += [f"{array}[{start} + {word}] = {nothing}" for word in words]
        return found

    def one(self, array: str, start: str) -> list[str]:
        """That of the path that has bound nothing."""
        return [*self.zero(array, start), f"{array}[{start}] = 1"]

    def merge(self, into: str, place: str, more: str, start: str) -> list[str]:
        """Add the payload of other paths."""
        writer = Writer()
        for part in self.parts:
            to, source = f"{place} + {part.start}", f"{start} + {part.start}"
            match part.measure.name:
                case "count":
                    writer.put(f"add_count({into}, {to}, {more}, {source})")
                case "sum":
                    writer.put(f"add_sum({into}, {to}, {more}, {source})")
                    some = f"{into}[{to} + {WORDS}]"
                    writer.put(f"{some} = {some} | {more}[{source} + {WORDS}]")
                case _:
                    writer.put(f"other = {more}[{source}]")
                    with writer.block("if other >= 0:"):
                        self._write_extreme(part, f"{into}[{to}]", "other", writer)
        return writer.lines

    def copy(self, into: str, place: str, source: str, start: str) -> list[str]:
        """Copy a payload."""
        words = range(self.width)
        return [f"{into}[{place} + {word}] = {source}[{start} + {word}]" for word in words]

    def take(self, variable: str, array: str, start: str) -> list[str]:
        """All paths of a payload take the event `e`."""
        writer = Writer()
        for part in self.parts:
            argument = part.measure.argument
            if part.variable != variable or argument is None:
                continue
            translator = at(self.columns, "e")
            present = negation(translator.null(argument))
            with writer.block("if True:" if present == TRUE else f"if {present}:"):
                place = f"{array}, {start} + {part.start}"
                match part.measure.name:
                    case "count":
                        writer.put(f"add_count({place}, {array}, {start})")
                    case "sum":
                        value = translator.operand(argument).value
                        writer.put(f"add_product({place}, {array}, {start}, {value})")
                        writer.put(f"{array}[{start} + {part.start + WORDS}] = 1")
                    case _:
                        best = f"{array}[{start} + {part.start}]"
                        self._write_extreme(part, best, "e", writer)
        return writer.lines

    def _write_extreme(self, part: Part, best: str, new: str, writer: Writer) -> None:
        argument = part.measure.argument
        assert argument is not None, "an extreme is that of something"
        one, other = (at(self.columns, place).operand(argument) for place in (new, "known"))
        writer.put(f"known = {best}")
        with writer.block(f"if known < 0 or {holds(one, _SIGNS[part.measure.name], other)}:"):
            writer.put(f"{best} = {new}")


def plan_payload(measures: Sequence[Measure], columns: Columns, always: Container[str]) -> Payload:
    """The payload that tells such parts of aggregates; Enumerates where none does.

    `always` are the variables that every match binds.
    """
    parts: list[Part] = []
    start = 0
    for measure in (COUNT, *(each for each in measures if each != COUNT)):
        part = Part(measure, start, _variable(measure, always))
        parts.append(part)
        start += part.width
    return Payload(tuple(parts), columns)


def _variable(measure: Measure, always: Container[str]) -> str | None:
    """The variable whose events an aggregate over matches is about."""
    if measure.argument is None:
        return None
    text = f"{measure.name}({print_expression(measure.argument)})"
    found = event_of(measure.argument)
    if found is None or (measure.each is None and found.indices):
        raise Enumerates(f"{text} is of what each match has, not of single events")
    if not (found.variable in always or measure.each or _is_strict(measure.argument)):
        raise Enumerates(f"{text} may have a value where {found.variable} is not bound")
    if measure.name == "sum" and kind_of(measure.of) not in _EXACT:
        raise Enumerates(f"{text} adds doubles or decimals")
    return found.variable


def _is_strict(node: Expression) -> bool:
    """Whether an expression is surely null where its event is."""
    match node:
        case Attribute():
            return True
        case Negative():
            return _is_strict(node.operand)
        case Arithmetic():
            return _is_strict(node.left) or _is_strict(node.right)
        case _:
            return False
