"""Bindings: which events a match, or the beginning of one, has given to each variable.

An event is its position in the total order. A Kleene variable has a tuple, a variable of a group
a tuple with one element an iteration, nested as the loops are. None is unbound. A run that is not
yet finished also has variables that are PENDING, and arrays that are Open: they may still grow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from kleene.logical.algebra import (
    And,
    Event,
    Extended,
    Kleene,
    Node,
    Not,
    Optional,
    Or,
    Repeat,
    Seq,
)


@dataclass(frozen=True, slots=True)
class Pending:
    """A variable that a run may still bind."""


PENDING: Final = Pending()


@dataclass(frozen=True, slots=True)
class Open:
    """An array that a run may still extend."""

    items: tuple[Value, ...]


Value: TypeAlias = "int | tuple[Value, ...] | Open | Pending | None"
Binding: TypeAlias = Mapping[str, Value]


def events_of(value: Value) -> Iterator[int]:
    """The events in a value, in its order."""
    match value:
        case int():
            yield value
        case tuple():
            for item in value:
                yield from events_of(item)
        case Open():
            yield from events_of(value.items)
        case None | Pending():
            return


def all_events(binding: Binding) -> list[int]:
    """The events of a binding, in the total order."""
    return sorted(event for value in binding.values() for event in events_of(value))


def nothing(node: Node) -> dict[str, Value]:
    """What a node binds that binds nothing: an absent `?` is null, an empty `*` an empty array."""
    match node:
        case Event():
            return {node.variable: None}
        case Kleene():
            return {node.variable: ()}
        case Seq() | And():
            return {name: value for part in node.parts for name, value in nothing(part).items()}
        case Or():
            # A branch is taken even then: of those that may bind nothing the first.
            branch = next(filter(nullable, node.parts))
            return {**unbound(node), **nothing(branch)}
        case Optional() | Extended():
            return unbound(node)
        case Repeat():
            return dict.fromkeys(unbound(node), ())
        case Not():
            return {}


def nullable(node: Node) -> bool:
    """Whether a node may bind nothing."""
    match node:
        case Event():
            return False
        case Kleene() | Repeat():
            return node.low == 0
        case Seq() | And():
            return all(map(nullable, node.parts))
        case Or():
            return any(map(nullable, node.parts))
        case Optional() | Not() | Extended():
            return True


def unbound(node: Node) -> dict[str, Value]:
    """All variables below a node, unbound."""
    match node:
        case Event() | Kleene():
            return {node.variable: None}
        case Seq() | And() | Or():
            return {name: None for part in node.parts for name in unbound(part)}
        case Optional() | Repeat() | Extended():
            return unbound(node.body)
        case Not():
            return {}
