"""What a condition may name at its place, and how (semantics 2 and 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kleene.language.expressions import Index, IndexKind, Reference
from kleene.language.resolved import BranchStep, Variable
from kleene.language.variables import Place
from support.generators.drawing import Drawer

EACH, PREVIOUS, FIRST = IndexKind.EACH, IndexKind.PREVIOUS, IndexKind.FIRST
BEFORE, UP_TO, ALL = IndexKind.BEFORE, IndexKind.UP_TO, IndexKind.ALL


@dataclass(frozen=True, slots=True)
class Nameable:
    """A variable at a place: a single event there, or an array of so many dimensions."""

    name: str
    dimensions: int

    def reference(self, indices: Sequence[IndexKind], column: str | None) -> Reference:
        """`a.x`, `b[i].x`; the event itself without a column."""
        path = () if column is None else (column,)
        return Reference(self.name, tuple(map(Index, indices)), path)


def at_place(variable: Variable, place: Place) -> Nameable:
    """The variable as a place sees it: loops around both stand at their current iteration."""
    shared = 0
    for own, around in zip(variable.loops, place.loops, strict=False):
        if own != around:
            break
        shared += 1
    return Nameable(variable.name, len(variable.loops) - shared)


def nameable_inline(variables: Sequence[Variable], place: Place) -> list[Variable]:
    """What a condition written at a pattern may name: not what is negated or chosen elsewhere."""
    around = place.negations
    within = [v for v in variables if around[: len(v.negations)] == v.negations]
    return [v for v in within if _same_branches(v.branches, place.branches)]


def together(one: Variable, other: Variable) -> bool:
    """Whether a condition may name both: no OR and no pair of negations parts them."""
    shorter = min(len(one.negations), len(other.negations))
    if one.negations[:shorter] != other.negations[:shorter]:
        return False
    return _same_branches(one.branches, other.branches)


def _same_branches(one: Sequence[BranchStep], other: Sequence[BranchStep]) -> bool:
    choices = {step.choice: step.branch for step in one}
    return all(choices.get(step.choice, step.branch) == step.branch for step in other)


def element_of(drawer: Drawer, nameable: Nameable, *, relating: bool) -> tuple[IndexKind, ...]:
    """Indices that pick one element: `[i]`, or with `relating` also `[i-1]` and `[1]`."""
    depth = nameable.dimensions
    if depth == 0:
        return ()
    if not relating or drawer.chance(50):
        return (EACH,) * depth
    outer = drawer.number(0, depth - 1)
    return (EACH,) * outer + (drawer.one((PREVIOUS, FIRST)),) + (FIRST,) * (depth - outer - 1)


def range_of(drawer: Drawer, nameable: Nameable, *, relating: bool) -> tuple[IndexKind, ...]:
    """Indices that name several elements, for an aggregate: `[]`, `[..i-1]`, `[i][]`."""
    depth = nameable.dimensions
    outer = drawer.weighted({0: 3, drawer.number(0, depth - 1): 1})
    kinds = {ALL: 4, BEFORE: 2, UP_TO: 2} if relating else {ALL: 1}
    chosen = drawer.weighted(kinds)
    if relating and outer < depth - 1 and drawer.chance(15):
        chosen = drawer.one((PREVIOUS, FIRST))
    return (EACH,) * outer + (chosen,) + (ALL,) * (depth - outer - 1)
