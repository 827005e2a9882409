"""What is known of the elements of a repetition before subsets of them are walked.

Conditions that are decided when an element is bound, or when the repetition is left, by what they
ask about: an element alone, an element and the one before it, or more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kleene.language.expressions import Aggregate, Attribute, Comparison, Expression, IndexKind
from kleene.language.traversal import rebuild, walk
from kleene.logical.algebra import LogicalQuery
from kleene.optimizer.consistency import Consistency, classify
from kleene.program.layout import Layout, Slot
from kleene.program.order import Order

_PAIR = frozenset({IndexKind.EACH, IndexKind.PREVIOUS})
_EXTREMES = {">": "max", ">=": "max", "<": "min", "<=": "min"}


@dataclass(frozen=True, slots=True)
class Classed:
    """A condition and its consistency class."""

    condition: Expression
    consistency: Consistency


@dataclass(frozen=True, slots=True)
class Elements:
    """The conditions of a repetition by what they ask about."""

    passing: tuple[Expression, ...]
    """An element and what is bound where the repetition is written."""
    alone: tuple[Expression, ...]
    """An element and what is bound when its turn comes."""
    links: tuple[Expression, ...]
    """An element and the one before it."""
    early: bool
    """Whether all links ask only about what is bound where the repetition is written."""
    steps: tuple[Classed, ...]
    """An element and others before it, in whatever way."""
    ends: tuple[Expression, ...]
    """The last element alone."""
    wholes: tuple[Classed, ...]
    """All elements together."""


@dataclass(frozen=True, slots=True)
class Sorter:
    """Sorts the conditions of a repetition; without `linking` those on neighbours are steps."""

    query: LogicalQuery
    layout: Layout
    order: Order
    slot: Slot
    linking: bool

    def sorted(self, bound: Sequence[Expression], left: Sequence[Expression]) -> Elements:
        """Conditions that are decided when an element is bound, and when the repetition is left."""
        alone = [each for each in bound if self._kinds(each) == {IndexKind.EACH}]
        links = [
            link
            for link in (self._link(each) for each in bound if self.linking)
            if link is not None
        ]
        linked = [each for each in bound if self.linking and self._link(each) is not None]
        steps = [each for each in bound if each not in alone and each not in linked]
        ends = [each for each in left if self.linking and self._is_of_last(each)]
        return Elements(
            passing=tuple(filter(self._is_early, alone)),
            alone=tuple(each for each in alone if not self._is_early(each)),
            links=tuple(links),
            early=all(map(self._is_early, links)),
            steps=tuple(map(self._classed, steps)),
            ends=tuple(ends),
            wholes=tuple(self._classed_whole(each) for each in left if each not in ends),
        )

    def _classed(self, condition: Expression) -> Classed:
        return Classed(condition, classify(condition, self.query))

    def _classed_whole(self, condition: Expression) -> Classed:
        """Where each element is asked, one that does not meet the condition may be left out."""
        found = self._classed(condition)
        if self._kinds(condition) == {IndexKind.ALL}:
            return found
        return Classed(condition, replace(found.consistency, false=False))

    def _own(self, condition: Expression) -> list[Attribute]:
        nodes = (node for node in walk(condition) if isinstance(node, Attribute))
        return [node for node in nodes if node.variable == self.slot.name]

    def _kinds(self, condition: Expression) -> set[IndexKind]:
        """Which elements of the repetition a condition asks about."""
        return {kind for node in self._own(condition) for kind in node.indices}

    def _link(self, condition: Expression) -> Expression | None:
        """The condition as one on an element and the one before it, if it is one."""
        kinds = self._kinds(condition)
        if kinds in (_PAIR, {IndexKind.PREVIOUS}):
            return condition
        return self._of_extremes(condition)

    def _of_extremes(self, condition: Expression) -> Expression | None:
        """`b[i].x > max(b[..i-1].x)` for all elements says that each is above the one before.

        By induction: the greatest of those before is then the last of them, which is not null, for
        otherwise the condition would not have been met there.
        """
        match condition:
            case Comparison(operators=(operator,), operands=(value, Aggregate() as extreme)):
                pass
            case _:
                return None
        before = _of_the_one_before(extreme.argument, self.slot.name, IndexKind.BEFORE)
        if extreme.name != _EXTREMES.get(operator) or before is None:
            return None
        if before != _of_the_one_before(value, self.slot.name, IndexKind.EACH):
            return None
        return replace(condition, operands=(value, before))

    def _is_early(self, condition: Expression) -> bool:
        """Whether all else that a condition asks about is bound before, and as it is written."""
        nodes = (node for node in walk(condition) if isinstance(node, Attribute))
        others = [self.layout.slot(node.variable) for node in nodes]
        return all(
            slot is self.slot
            or (self.order.turn(slot.name) == 0 and slot.number < self.slot.number)
            for slot in others
        )

    def _is_of_last(self, condition: Expression) -> bool:
        """Whether only `last` looks at the repetition."""
        inside = [
            node
            for aggregate in walk(condition)
            if isinstance(aggregate, Aggregate) and aggregate.name == "last"
            for node in self._own(aggregate)
        ]
        whole = all(node.indices == (IndexKind.ALL,) for node in inside)
        return whole and len(inside) == len(self._own(condition))


def _of_the_one_before(value: Expression, variable: str, kind: IndexKind) -> Expression | None:
    """The value on the element before, if it is one of elements of that kind alone."""

    def moved(node: Expression) -> Expression:
        node = rebuild(node, moved)
        if isinstance(node, Attribute) and node.variable == variable:
            return replace(node, indices=(IndexKind.PREVIOUS,))
        return node

    own = [n for n in walk(value) if isinstance(n, Attribute) and n.variable == variable]
    if not own or any(node.indices != (kind,) for node in own):
        return None
    return moved(value)
