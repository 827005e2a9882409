"""Conditions as merged runs see them: what they ask about, and which element runs."""

from __future__ import annotations

from dataclasses import dataclass

from kleene.language.expressions import (
    Aggregate,
    Attribute,
    Comparison,
    Expression,
    IndexKind,
)
from kleene.language.printer import print_expression
from kleene.language.traversal import walk
from kleene.program.columns import event_of
from kleene.program.layout import Layout
from kleene.program.merging.enumerates import Enumerates

RUNNING = frozenset({IndexKind.EACH, IndexKind.PREVIOUS, IndexKind.BEFORE, IndexKind.UP_TO})
NOT_FOR_THE_FIRST = frozenset({IndexKind.PREVIOUS, IndexKind.BEFORE})
_IN_TURN = frozenset({IndexKind.EACH, IndexKind.PREVIOUS})
_MERGED = frozenset({"count", "sum", "min", "max", "first", "last"})
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}


@dataclass(frozen=True)
class Clause:
    """A condition that filters have not decided."""

    number: int
    condition: Expression
    running: str | None
    """The variable of whose elements it holds one by one."""
    others: tuple[Attribute, ...]
    """What it asks about beside those: it can't be decided before all of that is known."""
    loop: int | None = None
    """The group of which it holds in each iteration."""
    inner: tuple[Attribute, ...] = ()
    """What it asks about in an iteration, and in the one before."""

    @property
    def not_for_the_first(self) -> bool:
        """Whether it holds for every element but the first."""
        return any(
            node.variable == self.running and not NOT_FOR_THE_FIRST.isdisjoint(node.indices)
            for node in walk(self.condition)
            if isinstance(node, Attribute)
        )

    def sides(self) -> tuple[Expression, str, Expression] | None:
        """Of a comparison of each element with what comes later: the element, sign, the rest."""
        match self.condition:
            case Comparison((left, right), (sign,)) if sign in _MIRRORED:
                pass
            case _:
                return None
        if self._is_of_element(left) and not self._names_running(right):
            return left, sign, right
        if self._is_of_element(right) and not self._names_running(left):
            return right, _MIRRORED[sign], left
        return None

    def _is_of_element(self, node: Expression) -> bool:
        found = event_of(node)
        return (
            found is not None
            and found.variable == self.running
            and found.indices == (IndexKind.EACH,)
        )

    def _names_running(self, node: Expression) -> bool:
        return any(
            isinstance(below, Attribute)
            and below.variable == self.running
            and not RUNNING.isdisjoint(below.indices)
            for below in walk(node)
        )


def clause_of(number: int, condition: Expression, layout: Layout) -> Clause:
    """A condition taken apart; Enumerates where runs can't decide it by registers."""
    text = print_expression(condition)
    attributes = [node for node in walk(condition) if isinstance(node, Attribute)]
    running: dict[str, None] = {}
    others: list[Attribute] = []
    inner: list[Attribute] = []
    for attribute in attributes:
        slot = layout.slot(attribute.variable)
        if slot.dimensions == 1 and not slot.array and _IN_TURN.issuperset(attribute.indices):
            inner.append(attribute)
        elif slot.dimensions > 1 or (slot.dimensions == 1 and not slot.array):
            raise Enumerates(f"{text} asks about many iterations of a group")
        elif not RUNNING.isdisjoint(attribute.indices):
            running[attribute.variable] = None
        else:
            others.append(attribute)
    loops = {layout.slot(attribute.variable).loops[0] for attribute in inner}
    if len(running) + len(loops) > 1:
        names = dict.fromkeys((*running, *(attribute.variable for attribute in inner)))
        raise Enumerates(f"{text} is about all pairs of {' and '.join(names)}")
    for node in walk(condition):
        if isinstance(node, Aggregate):
            _check_aggregate(node, text)
    one, loop = next(iter(running), None), next(iter(loops), None)
    return Clause(number, condition, one, tuple(others), loop, tuple(inner))


def _check_aggregate(node: Aggregate, text: str) -> None:
    if node.name not in _MERGED:
        why = "adds up in the order of events" if node.name == "avg" else "is the user's own"
        raise Enumerates(f"{text}: {node.name} {why}, so runs differ that select other elements")
    found = event_of(node.argument)
    if found is None:
        raise Enumerates(f"{text}: {node.name} is over values of several events")
