"""How far a pass must go: from a first event to the last that may be the last event of its matches.

Where a pattern begins and ends with single events, and these must be equal in something, few of the
events in a window can end a match that begins with a given one, or none: then there is no pass.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kleene.language.expressions import Comparison, Expression
from kleene.language.kinds import NUMBERS, kind_of
from kleene.logical.algebra import Event, Node, Seq
from kleene.program.columns import Columns, event_of
from kleene.program.kinds import ColumnKind, compared_kind
from kleene.program.merging.running import at
from kleene.program.text import FALSE, Operand

_COLUMN = re.compile(r"c(\d+)\[0\]")


@dataclass(frozen=True, slots=True)
class Side:
    """A column, and whether it has a mask of nulls."""

    number: int
    nullable: bool


@dataclass(frozen=True, slots=True)
class Reach:
    """The first and the last variable of a pattern, and the columns in which they are equal."""

    first: str
    last: str
    equal: tuple[tuple[Side, Side], ...]


def plan_reach(pattern: Node, conditions: Sequence[Expression], columns: Columns) -> Reach | None:
    """The ends of a pattern, if both are single events and it has conditions that join them."""
    match pattern:
        case Seq((Event(first), *_, Event(last))):
            pass
        case _:
            return None
    found = (_equal(condition, first, last, columns) for condition in conditions)
    equal = tuple(pair for pair in found if pair is not None)
    return Reach(first, last, equal) if equal else None


def _equal(
    condition: Expression, first: str, last: str, columns: Columns
) -> tuple[Side, Side] | None:
    match condition:
        case Comparison((left, right), ("=",)):
            pass
        case _:
            return None
    events = event_of(left), event_of(right)
    if events[0] is None or events[1] is None:
        return None
    if (events[0].variable, events[1].variable) == (last, first):
        left, right = right, left
    elif (events[0].variable, events[1].variable) != (first, last):
        return None
    translator = at(columns, "0")
    kind = compared_kind(translator.type(left), translator.type(right))
    if kind is ColumnKind.CODE and kind_of(translator.type(left)) in NUMBERS:
        return None  # these are compared in units, some of which are too long for a column
    return _side(translator.operand(left, kind)), _side(translator.operand(right, kind))


def _side(operand: Operand) -> Side:
    found = _COLUMN.fullmatch(operand.value)
    assert found is not None, "what reads one event is a column"
    return Side(int(found[1]), operand.null != FALSE)
