"""The pattern algebra: what a resolved query asks for, with each condition where it belongs.

Compared with the syntax tree, sequences are flat, inline conditions and EXISTS have moved to
where they are decided, and every negation carries the conditions that belong to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import assert_never

from kleene.language.expressions import Attribute, Expression, IndexKind
from kleene.language.resolved import ResolvedQuery, Variable
from kleene.language.traversal import walk as walk_expression
from kleene.language.user_aggregates import UserAggregate


@dataclass(frozen=True, slots=True)
class Event:
    """One event, bound to a variable."""

    variable: str
    type: str | None


@dataclass(frozen=True, slots=True)
class Kleene:
    """A set or, where conditions relate its elements, a sequence of `low` to `high` events."""

    variable: str
    type: str | None
    low: int
    high: int | None
    sequence: bool


@dataclass(frozen=True, slots=True)
class Seq:
    """One part after the other."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class And:
    """All parts, over distinct events, in any order."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """One of the branches."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Optional:
    """The body, or nothing."""

    body: Node


@dataclass(frozen=True, slots=True)
class Repeat:
    """`low` to `high` iterations of the body, each wholly before the next."""

    body: Node
    low: int
    high: int | None


@dataclass(frozen=True, slots=True)
class Not:
    """No match of the body here; `number` identifies the negation within its query."""

    number: int
    body: Node
    conditions: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Extended:
    """A negation with its `!` taken off: it may bind its body here, or nothing (semantics 3)."""

    number: int
    body: Node


Node = Event | Kleene | Seq | And | Or | Optional | Repeat | Not | Extended


@dataclass(frozen=True)
class LogicalQuery:
    """A query as algebra: the pattern, and the conditions on its positive part."""

    resolved: ResolvedQuery
    pattern: Node
    conditions: tuple[Expression, ...]

    @cached_property
    def variables(self) -> dict[str, Variable]:
        """The variables by their declared names, in the order of the pattern."""
        return {variable.name: variable for variable in self.resolved.variables}

    @cached_property
    def aggregates(self) -> dict[str, UserAggregate]:
        """The aggregates that the user brought along, by name."""
        return {found.name.casefold(): found for found in self.resolved.aggregates}

    @cached_property
    def own_conditions(self) -> dict[str, tuple[Expression, ...]]:
        """For each variable the conditions that each of its events meets by itself."""
        found: dict[str, list[Expression]] = {name: [] for name in self.variables}
        inner = (node for node in walk(self.pattern) if isinstance(node, Not))
        owners = {None: self.conditions} | {node.number: node.conditions for node in inner}
        for owner, conditions in owners.items():
            for condition in conditions:
                name = _only_variable(condition)
                if (
                    name is not None
                    and next(reversed(self.variables[name].negations), None) == owner
                ):
                    found[name].append(condition)
        return {name: tuple(conditions) for name, conditions in found.items()}

    @cached_property
    def loops(self) -> dict[str, tuple[int, ...]]:
        """The loops around each variable, outermost first."""
        return {name: variable.loops for name, variable in self.variables.items()}


def _only_variable(condition: Expression) -> str | None:
    """The variable that a condition is about, if it is about each of its events apart."""
    found = {
        (node.variable, node.indices)
        for node in walk_expression(condition)
        if isinstance(node, Attribute)
    }
    if len(found) != 1:
        return None
    name, indices = found.pop()
    return name if all(kind is IndexKind.EACH for kind in indices) else None


def parts_of(node: Node) -> tuple[Node, ...]:
    """The nodes directly below a node."""
    match node:
        case Event() | Kleene():
            return ()
        case Seq() | And() | Or():
            return node.parts
        case Optional() | Repeat() | Not() | Extended():
            return (node.body,)
        case _:
            assert_never(node)


def walk(node: Node) -> Iterator[Node]:
    """A node and everything below it, parents first, left to right."""
    yield node
    for part in parts_of(node):
        yield from walk(part)


def variables_of(node: Node) -> Iterator[str]:
    """The variables that a match of the node binds: all but the negated ones."""
    match node:
        case Event() | Kleene():
            yield node.variable
        case Not():
            return
        case _:
            for part in parts_of(node):
                yield from variables_of(part)
