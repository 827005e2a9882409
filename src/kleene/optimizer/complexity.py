"""Complexity classes (paper 1): of deciding whether there is a match, and of finding all matches.

The first is figure 2 with the theorems of section 3; the second table 3, with l and k of the query
put in. What the table leaves out, repetitions under other strategies, follows from `growth`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from kleene.language.expressions import Aggregate, Attribute, IndexKind
from kleene.language.syntax import Strategy
from kleene.language.traversal import walk
from kleene.logical.algebra import (
    And,
    Event,
    Extended,
    Kleene,
    LogicalQuery,
    Node,
    Not,
    Optional,
    Or,
    Repeat,
    Seq,
)
from kleene.logical.algebra import walk as walk_nodes
from kleene.optimizer.growth import growth


@dataclass(frozen=True, slots=True)
class Complexity:
    """A class, and what puts a query into it."""

    name: str
    reason: str

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}"


def descriptive_class(query: LogicalQuery) -> Complexity:
    """The class of deciding whether there is a match (figure 2).

    A repetition with an upper bound is short for a choice of sequences.
    """
    if not any(_is_open(node) for node in walk_nodes(query.pattern)):
        return Complexity("AC⁰", "no unbounded repetition, so first-order logic says it (3.2)")
    relation = _relation(query)
    if relation is None:
        reason = "repetitions whose elements are not related, of finitely many values (theorem 3.1)"
        return Complexity("regular", reason)
    match _strategy(query):
        case Strategy.STRICT | Strategy.PARTITION:
            return Complexity("NC¹", f"{relation} among neighbours (theorem 3.2)")
        case Strategy.NEXT:
            return Complexity("DSPACE[log n]", f"{relation} under skip-till-next (theorem 3.3)")
        case Strategy.ANY:
            return Complexity("NSPACE[log n]", f"{relation} under skip-till-any (theorem 3.4)")


def _is_open(node: Node) -> bool:
    return isinstance(node, Kleene | Repeat) and node.high is None


def _strategy(query: LogicalQuery) -> Strategy:
    """With imprecise time it is always skip-till-any (section 4)."""
    return Strategy.ANY if query.resolved.shape.imprecise else query.resolved.strategy


def _relation(query: LogicalQuery) -> str | None:
    """What relates the elements of repetitions to each other."""
    conditions = list(query.conditions)
    for node in walk_nodes(query.pattern):
        conditions += node.conditions if isinstance(node, Not) else ()
    nodes = [node for condition in conditions for node in walk(condition)]
    if any(isinstance(node, Aggregate) for node in nodes):
        return "repetition with aggregates"
    indices = {kind for node in nodes if isinstance(node, Attribute) for kind in node.indices}
    if not indices.isdisjoint({IndexKind.PREVIOUS, IndexKind.FIRST}):
        return "repetition with related elements"
    return None


def runtime_class(query: LogicalQuery) -> Complexity:
    """The class in W, the window, of finding all matches with a run for each (table 3)."""
    size = _size(query.pattern)
    imprecise = query.resolved.shape.imprecise
    if _strategy(query) is not Strategy.ANY:
        return _of_few_runs(query)
    runs = [f"((RW)^{size.singles + 1} - 1)/(RW - 1)"] if size.singles else []
    subsets = [f"2^({_times(size.repeated)}RW)"] if size.repeated else []
    cost = f"(c_r + U^{_points(query, size)} · c_m)" if imprecise else "c_r"
    formula = " · ".join([*runs, *subsets, cost])
    if size.repeated:
        row = (5 if _correlated(query) else 4) if imprecise else 3
        return Complexity("exponential in W", f"{formula} (table 3, row {row})")
    if size.singles > 1 or imprecise:
        place = "section 4" if imprecise else "table 3, row 2"
        return Complexity("polynomial in W", f"{formula} ({place})")
    return Complexity("linear in W", "RW · c_r (table 3, row 1)")


def _of_few_runs(query: LogicalQuery) -> Complexity:
    """Neighbours, and what comes next: a run for each beginning, unless there is a choice left."""
    degree = growth(query).degree
    if degree is None:
        return Complexity("exponential in W", "2^(RW) · c_r: what a repetition takes is a choice")
    if degree > 0:
        return Complexity(
            "polynomial in W", f"(RW)^{degree + 1} · c_r: where parts end is a choice"
        )
    kleene = any(_is_open(node) for node in walk_nodes(query.pattern))
    place = "table 3, row 1" + (": no choice is left" if kleene else "")
    return Complexity("linear in W", f"RW · c_r ({place})")


def _points(query: LogicalQuery, size: _Size) -> str:
    """Events whose possible times are enumerated, to compute a confidence (section 4)."""
    if not size.repeated or not _correlated(query):
        return str(size.singles)
    return f"({size.singles} + {_times(size.repeated)}RW)"


def _times(factor: int) -> str:
    return "" if factor == 1 else str(factor)


def _correlated(query: LogicalQuery) -> bool:
    """Whether the elements of a repetition must be in an order."""
    return any(
        isinstance(node, Repeat) or (isinstance(node, Kleene) and node.sequence)
        for node in walk_nodes(query.pattern)
    )


@dataclass(frozen=True, slots=True)
class _Size:
    """Components of a pattern: l - k that bind one event each, k that bind any number of them."""

    singles: int = 0
    repeated: int = 0

    def __add__(self, other: _Size) -> _Size:
        return _Size(self.singles + other.singles, self.repeated + other.repeated)

    def times(self, number: int) -> _Size:
        return _Size(self.singles * number, self.repeated * number)


def _size(node: Node) -> _Size:
    """The components of the longest match; a bounded repetition has as many as it may have."""
    match node:
        case Event():
            return _Size(1)
        case Kleene():
            return _Size(repeated=1) if node.high is None else _Size(node.high)
        case Seq() | And():
            return sum(map(_size, node.parts), _Size())
        case Or():
            return max(map(_size, node.parts), key=lambda size: (size.repeated, size.singles))
        case Optional() | Extended():
            return _size(node.body)
        case Repeat():
            inside = _size(node.body)
            if node.high is None:
                return _Size(repeated=inside.singles + inside.repeated)
            return inside.times(node.high)
        case Not():
            return _Size()
        case _:
            assert_never(node)
