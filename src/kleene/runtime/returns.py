"""RETURN, column by column: expressions on matches, from columns of what the matches bind.

Where matches are grouped, an expression may have a value for each event of an array variable.

What reads the events of a match, an attribute or an aggregate, becomes a column with a row for each
match. What is left of an expression is then one on a row, as conditions on one event are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from kleene.language.expressions import Aggregate, Attribute, Expression, IndexKind
from kleene.language.traversal import rebuild, walk
from kleene.language.types import type_of
from kleene.language.user_aggregates import signatures
from kleene.logical.algebra import LogicalQuery
from kleene.runtime.bindings import Bound, Matches, Positions, owners
from kleene.runtime.gather import Values
from kleene.runtime.rows import Rows
from kleene.runtime.segments import Segments, aggregated

_ROW = "row"


class Returns:
    """Expressions on matches, taken apart once for all batches."""

    def __init__(
        self, expressions: Sequence[Expression], query: LogicalQuery, values: Values
    ) -> None:
        self._query, self._values = query, values
        self._functions = signatures(query.resolved.aggregates)
        self._leaves: dict[Expression, str] = {}
        self._expressions = [self._taken_apart(expression) for expression in expressions]

    def columns(self, matches: Matches) -> list[pa.Array]:
        """The values of each expression for each match."""
        named = {_ROW: pa.nulls(len(matches))}
        for leaf, name in self._leaves.items():
            named[name] = self._leaf(leaf, matches)
        rows = Rows(pa.table(named), {})
        return [rows.array(expression) for expression in self._expressions]

    def of_events(self, matches: Matches, each: str) -> tuple[list[pa.Array], Positions]:
        """Their values for each event of an array variable, and the number of its match."""
        events = matches.bound[each].flat()
        own = owners(events.levels[0].offsets)
        named = {_ROW: pa.nulls(len(own))}
        for leaf, name in self._leaves.items():
            if isinstance(leaf, Attribute) and (leaf.variable, _is_range(leaf)) == (each, True):
                named[name] = self._values.at(events.positions, leaf.path)
            else:
                named[name] = self._leaf(leaf, matches).take(pa.array(own))
        rows = Rows(pa.table(named), {})
        return [rows.array(expression) for expression in self._expressions], own

    def _taken_apart(self, node: Expression) -> Expression:
        """The expression with a column in place of all that reads events."""
        if isinstance(node, Attribute | Aggregate):
            name = self._leaves.setdefault(node, f"{_ROW}{len(self._leaves)}")
            return Attribute("", (), (name,), type_of(node, self._functions))
        return rebuild(node, self._taken_apart)

    def _leaf(self, leaf: Expression, matches: Matches) -> pa.Array:
        if isinstance(leaf, Attribute) and not leaf.variable:
            return self._values.at(matches.part[matches.partition], leaf.path)
        if isinstance(leaf, Attribute):
            return self._values.gathered(picked(leaf, matches.bound), leaf.path)
        assert isinstance(leaf, Aggregate)
        return self._aggregate(leaf, matches)

    def _aggregate(self, node: Aggregate, matches: Matches) -> pa.Array:
        ranged = _range_of(node)
        events = picked(ranged, matches.bound).flat()
        offsets = events.levels[0].offsets
        if node.name == "count" and ranged == node.argument and not ranged.path:
            return pa.array(np.diff(offsets))
        values = self._argument(node.argument, ranged, matches, events.positions, offsets)
        type_ = type_of(node, self._functions)
        return aggregated(node.name, Segments(values, offsets), type_, self._query.aggregates)

    def _argument(
        self,
        node: Expression,
        ranged: Attribute,
        matches: Matches,
        positions: Positions,
        offsets: Positions,
    ) -> pa.Array:
        """The argument of an aggregate for each of its events; other variables stay as they are."""
        if node == ranged:
            return self._values.at(positions, ranged.path)
        named = {_ROW: pa.nulls(len(positions))}
        leaves: dict[Expression, str] = {}

        def column(found: Expression) -> Expression:
            if not isinstance(found, Attribute):
                return rebuild(found, column)
            name = leaves.setdefault(found, f"{_ROW}{len(leaves)}")
            return Attribute("", (), (name,), found.type)

        argument = column(node)
        for found, name in leaves.items():
            assert isinstance(found, Attribute)
            if (found.variable, found.indices) == (ranged.variable, ranged.indices):
                named[name] = self._values.at(positions, found.path)
            else:
                single = picked(found, matches.bound).positions[owners(offsets)]
                named[name] = self._values.at(single, found.path)
        return Rows(pa.table(named), {}).array(argument)


def picked(node: Attribute, bound: Mapping[str, Bound]) -> Bound:
    """What `b`, `b[1]` or `b[]` means: an event of each match, or an array of them."""
    found = bound[node.variable]
    for kind in node.indices:
        if kind is IndexKind.ALL:
            break
        found = found.first()
    return found


def _range_of(node: Aggregate) -> Attribute:
    """The attribute whose events an aggregate is about: there is one such range in it."""
    return next(
        found for found in walk(node.argument) if isinstance(found, Attribute) and _is_range(found)
    )


def _is_range(node: Attribute) -> bool:
    return IndexKind.ALL in node.indices
