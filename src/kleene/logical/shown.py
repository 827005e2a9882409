"""Expressions on a match as it is shown: what RETURN says of it (semantics 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kleene.language.expressions import Aggregate, Attribute, Expression, IndexKind
from kleene.language.traversal import walk
from kleene.logical.algebra import LogicalQuery
from kleene.logical.binding import Value, events_of
from kleene.logical.decide import aggregated
from kleene.logical.history import KnownRow, field
from kleene.logical.meaning import Match
from kleene.logical.values import evaluate


@dataclass(frozen=True, slots=True)
class Shown:
    """A match, and the rows of its events; what is unbound is null."""

    query: LogicalQuery
    rows: Sequence[KnownRow]
    match: Match

    def value(self, expression: Expression) -> object:
        """The value of an expression on the match."""
        return evaluate(expression, self._attribute, self._aggregate)

    def values(self, expression: Expression, variable: str) -> list[object]:
        """Its value for each event of an array variable."""
        ranged = (variable, (IndexKind.ALL,) * len(self.query.loops[variable]))
        events = events_of(self.match.binding[variable])
        return [self._at(expression, ranged, event) for event in events]

    def _attribute(self, node: Attribute) -> object:
        if not node.variable:  # a column of the partition: every event of the match has it
            return field(self.rows[self.match.anchor].row, node.path)
        return self._read(pick(self.match.binding[node.variable], node.indices), node)

    def _read(self, value: Value, node: Attribute) -> object:
        match value:
            case int():
                return field(self.rows[value].row, node.path)
            case tuple():
                return [self._read(item, node) for item in value]
            case _:
                return None

    def _aggregate(self, node: Aggregate) -> object:
        inside = (found for found in walk(node.argument) if isinstance(found, Attribute))
        ranged = next(found for found in inside if IndexKind.ALL in found.indices)
        events = events_of(pick(self.match.binding[ranged.variable], ranged.indices))
        range_ = (ranged.variable, ranged.indices)
        values = [self._at(node.argument, range_, event) for event in events]
        return aggregated(node.name, values, self.query.aggregates)

    def _at(
        self, expression: Expression, ranged: tuple[str, tuple[IndexKind, ...]], event: int
    ) -> object:
        """The value of an expression where what has a range means one of its events."""

        def attribute(node: Attribute) -> object:
            same = (node.variable, node.indices) == ranged
            return field(self.rows[event].row, node.path) if same else self._attribute(node)

        return evaluate(expression, attribute, self._aggregate)


def pick(value: Value, indices: Sequence[IndexKind]) -> Value:
    """What `b`, `b[1]` or `b[]` means in RETURN: an event, an array, or null."""
    for kind in indices:
        if kind is IndexKind.ALL or not isinstance(value, tuple):
            return value
        value = value[0] if value else None
    return value
