"""Which elements of a Kleene variable a reference picks (semantics 2 and 3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from kleene.errors import IndexUseError
from kleene.language.expressions import Index, IndexKind, Reference
from kleene.language.functions import AGGREGATES
from kleene.language.printer import print_expression
from kleene.language.resolved import Variable
from kleene.language.variables import Place

ELEMENTS = frozenset({IndexKind.EACH, IndexKind.PREVIOUS, IndexKind.FIRST})
RANGES = frozenset({IndexKind.ALL, IndexKind.BEFORE, IndexKind.UP_TO})
_FREE = frozenset({IndexKind.FIRST, IndexKind.ALL})
"""What RETURN may pick: it has no index that runs."""

_COUNTS = ("no index", "one index", "two indices", "three indices")


def spelled(variable: str, kinds: Iterable[IndexKind], path: tuple[str, ...]) -> str:
    """A reference as it is written.

    >>> spelled("b", (IndexKind.EACH, IndexKind.PREVIOUS), ("price",))
    'b[i][j-1].price'
    """
    return print_expression(Reference(variable, tuple(map(Index, kinds)), path))


def shared_loops(variable: Variable, place: Place) -> int:
    """The loops around a variable whose current iteration a place stands in."""
    shared = 0
    for own, around in zip(variable.loops, place.loops, strict=False):
        if own != around:
            break
        shared += 1
    return shared


@dataclass(frozen=True, slots=True)
class Picking:
    """A reference to a variable, and where it stands: in an aggregate, in RETURN, at a pattern."""

    node: Reference
    variable: Variable
    place: Place
    aggregated: bool
    returned: bool

    def indices(self) -> tuple[IndexKind, ...]:
        """One index a loop: the loops around the place itself stand at their current iteration."""
        shared = shared_loops(self.variable, self.place)
        given = tuple(index.kind for index in self.node.indices)
        dimensions = len(self.variable.loops) - shared
        if len(given) > dimensions:
            raise self._too_many(dimensions)
        if dimensions and not given:
            raise self._missing()
        self._check_order(given)
        filled = given + self._filling(given, dimensions - len(given))
        allowed = _FREE if self.returned else ELEMENTS | RANGES if self.aggregated else ELEMENTS
        for kind in filled:
            if kind not in allowed:
                raise self._misplaced(kind)
        return (IndexKind.EACH,) * shared + filled

    def _check_order(self, given: tuple[IndexKind, ...]) -> None:
        """Elements may be picked in the current iteration only; a range ends the picking."""
        for level, (outer, inner) in enumerate(pairwise(given)):
            fixed = outer in (IndexKind.PREVIOUS, IndexKind.FIRST)
            many = outer in RANGES and inner is not IndexKind.ALL
            if many or (fixed and inner not in _FREE):
                every = self._written(*given[: level + 1], IndexKind.ALL)
                raise IndexUseError(
                    f"[{outer}] means all elements of many iterations, so only [] can follow"
                    if many
                    else "within an iteration other than [i] only [] and [1] can be asked for",
                    self.node.span,
                    f"as in {every}" if self.returned else f"as in {self._most(every)}",
                )

    def _filling(self, given: tuple[IndexKind, ...], missing: int) -> tuple[IndexKind, ...]:
        """Dimensions left out at the end: all elements, one by one outside of aggregates."""
        if not missing:
            return ()
        if self.aggregated or given[-1] in RANGES:
            return (IndexKind.ALL,) * missing
        if given[-1] is IndexKind.EACH:
            return (IndexKind.EACH,) * missing
        within = (IndexKind.ALL if self.returned else IndexKind.EACH,) * missing
        raise IndexUseError(
            f"{self.node.variable} is an array of arrays here: its elements have two indices",
            self.node.span,
            f"as in {self._written(*within, *given[-1:])}",
        )

    def _too_many(self, dimensions: int) -> IndexUseError:
        name, kinds = self.variable.name, (IndexKind.EACH,) * dimensions
        if self.returned:
            kinds = (IndexKind.ALL,) * dimensions
        hint = f"write {self._written(*kinds)}"
        if dimensions == 0 and self.variable.loops:
            hint = f"{hint}; conditions that relate iterations stand in WHERE"
        what = "one event" if not dimensions else "an array" + " of arrays" * (dimensions - 1)
        counts = _COUNTS[dimensions] if dimensions < len(_COUNTS) else f"{dimensions} indices"
        return IndexUseError(f"{name} is {what} here, which has {counts}", self.node.span, hint)

    def _missing(self) -> IndexUseError:
        every = self._written(IndexKind.ALL)
        if self.aggregated:
            hint = f"write {every} for all of them"
        elif self.returned:
            hint = self._array_hint(every)
        else:
            each = self._written(IndexKind.EACH)
            hint = f"write {each} for each of them, or an aggregate, as in {self._most(every)}"
        reason = f"{self.variable.name} binds many events: which of them?"
        return IndexUseError(reason, self.node.span, hint, *self._call_hint())

    def _call_hint(self) -> tuple[str, ...]:
        """`b.count`, `b.price.max`: what other languages write behind a dot."""
        *path, last = self.node.path or ("",)
        if last.casefold() not in AGGREGATES:
            return ()
        values = spelled(self.node.variable, (IndexKind.ALL,), tuple(path))
        call = f"{last.casefold()}({values})"
        return (f"if a function is meant, it stands before its values: {call}",)

    def _misplaced(self, kind: IndexKind) -> IndexUseError:
        name, every = self.node.variable, self._written(IndexKind.ALL)
        if self.returned:
            reason = f"[{kind}] runs over the elements, and a returned value has no index that runs"
            hint = f"write {every} for all of them" if self.aggregated else self._array_hint(every)
        else:
            reason = f"{name}[{kind}] is many values: an aggregate makes one of them"
            each = self._written(IndexKind.EACH)
            hint = f"as in {self._most(self._written(kind))}, or {each} for each element"
        return IndexUseError(reason, self.node.span, hint)

    def _written(self, *kinds: IndexKind) -> str:
        return spelled(self.node.variable, kinds, self.node.path)

    def _most(self, values: str) -> str:
        """An aggregate over values, or over whole events."""
        return f"{'max' if self.node.path else 'count'}({values})"

    def _array_hint(self, every: str) -> str:
        return f"write {every} for the array, or an aggregate: {self._most(every)}"
