"""Which elements a reference picks, as matches take more or fewer of them (semantics 2)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import dropwhile

from kleene.language.expressions import Aggregate, Attribute, IndexKind
from kleene.language.indices import RANGES
from kleene.language.traversal import walk
from kleene.logical.algebra import (
    Event,
    Kleene,
    LogicalQuery,
    Node,
    Optional,
    Or,
    Repeat,
    parts_of,
)

Level = tuple[Node, IndexKind | None]
"""A node around a variable and, if it is a loop, the index that the reference has for it."""


def ranged(node: Aggregate) -> Attribute:
    """The reference whose elements an aggregate ranges over."""
    return next(
        found
        for found in walk(node.argument)
        if isinstance(found, Attribute) and not RANGES.isdisjoint(found.indices)
    )


def elsewhere(attribute: Attribute) -> bool:
    """Whether it picks by place, so that another element takes it where fewer are chosen."""
    return not {IndexKind.PREVIOUS, IndexKind.FIRST}.isdisjoint(attribute.indices)


def may_be_empty(attribute: Attribute, query: LogicalQuery) -> bool:
    """Whether a range may be without elements where the condition applies.

    Parts of a group that are absent leave it out; around the range they leave all unbound, and
    then the condition does not apply.
    """
    within = list(dropwhile(lambda level: level[1] not in RANGES, _levels(attribute, query)))
    return any(
        isinstance(node, Optional | Or)
        or (isinstance(node, Kleene | Repeat) and kind is IndexKind.ALL and node.low == 0)
        for node, kind in within
    )


def is_current(attribute: Attribute, query: LogicalQuery) -> bool:
    """Whether a range ends with the very element that `[i]` stands at."""
    if not attribute.indices or attribute.indices[-1] is not IndexKind.UP_TO:
        return False
    return not may_be_empty(attribute, query)


def _levels(attribute: Attribute, query: LogicalQuery) -> Iterator[Level]:
    """The nodes from the pattern down to a variable, with the index of each loop."""
    kinds = iter(attribute.indices)
    for node in _way(query.pattern, attribute.variable):
        yield node, next(kinds) if isinstance(node, Kleene | Repeat) else None


def _way(node: Node, variable: str) -> tuple[Node, ...]:
    """The nodes from one down to that of a variable; none if it is not below."""
    if isinstance(node, Event | Kleene):
        return (node,) if node.variable == variable else ()
    for part in parts_of(node):
        below = _way(part, variable)
        if below:
            return (node, *below)
    return ()
