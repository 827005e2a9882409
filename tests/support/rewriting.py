"""Queries rewritten: what laws compare a query with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count

from kleene.language.expressions import Literal
from kleene.language.syntax import (
    And,
    Conditioned,
    EventPattern,
    Exists,
    Name,
    Not,
    Or,
    Pattern,
    Query,
    Repeat,
    Seq,
    walk_patterns,
)
from kleene.language.variables import declare


def rewritten(node: Pattern, change: Callable[[Pattern], Pattern]) -> Pattern:
    """The pattern with a change applied to each of its nodes, children first."""
    match node:
        case EventPattern():
            return change(node)
        case Seq() | And() | Or():
            parts = tuple(rewritten(part, change) for part in node.parts)
            return change(replace(node, parts=parts))
        case Not() | Repeat() | Exists() | Conditioned():
            return change(replace(node, body=rewritten(node.body, change)))


def with_pattern(query: Query, change: Callable[[Pattern], Pattern]) -> Query:
    """The query with a change applied to each node of its pattern, whose events all have names."""
    named, _ = declare(query.pattern)
    return replace(query, pattern=rewritten(named, change))


def nested(node: Pattern) -> Pattern:
    """The first two parts of a SEQ in a SEQ of their own."""
    if not isinstance(node, Seq) or len(node.parts) < 3:
        return node
    return Seq((Seq(node.parts[:2]), *node.parts[2:]))


def flattened(node: Pattern) -> Pattern:
    """The parts of a SEQ inside a SEQ in its place."""
    if not isinstance(node, Seq):
        return node
    parts: list[Pattern] = []
    for part in node.parts:
        parts.extend(part.parts if isinstance(part, Seq) else (part,))
    return Seq(tuple(parts))


def reversed_parts(*kinds: type[And | Or]) -> Callable[[Pattern], Pattern]:
    """The parts of nodes of these kinds from the last to the first."""

    def change(node: Pattern) -> Pattern:
        if isinstance(node, And | Or) and isinstance(node, kinds):
            return replace(node, parts=node.parts[::-1])
        return node

    return change


def with_impossible(place: int) -> Callable[[Pattern], Pattern]:
    """The negation of what can't occur, in every SEQ and AND."""
    numbers = count()

    def change(node: Pattern) -> Pattern:
        if not isinstance(node, Seq | And):
            return node
        event = EventPattern(None, Name(f"never{next(numbers)}"))
        never = Conditioned(event, (Literal(value=False),))
        at = place % (len(node.parts) + 1)
        return replace(node, parts=(*node.parts[:at], Not(never), *node.parts[at:]))

    return change


def contains(query: Query, *kinds: type[Pattern]) -> bool:
    """Whether a node of one of these kinds is in the pattern."""
    return any(isinstance(node, kinds) for node in walk_patterns(query.pattern))
