"""Configurations of the automaton: how far each component of a pattern is (semantics 4).

A configuration is shaped like the pattern, with the events that a run has bound so far.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from kleene.logical.algebra import And, Event, Kleene, Node, Optional, Or, Repeat, Seq
from kleene.logical.binding import PENDING, Open, Value, nothing, nullable, unbound


@dataclass(frozen=True, slots=True)
class Fresh:
    """A component that has taken no event."""

    node: Node


@dataclass(frozen=True, slots=True)
class Took:
    """A single event, bound."""

    node: Event
    event: int


@dataclass(frozen=True, slots=True)
class Gathering:
    """A Kleene variable with the events that it has."""

    node: Kleene
    events: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class InSeq:
    """A sequence: one configuration a part, of which those behind `current` are fresh."""

    node: Seq
    parts: tuple[Configuration, ...]
    current: int


@dataclass(frozen=True, slots=True)
class InAnd:
    """A conjunction: one configuration a part."""

    node: And
    parts: tuple[Configuration, ...]


@dataclass(frozen=True, slots=True)
class InOr:
    """A choice that was made."""

    node: Or
    branch: int
    part: Configuration


@dataclass(frozen=True, slots=True)
class InOptional:
    """An optional part that is there."""

    node: Optional
    part: Configuration


@dataclass(frozen=True, slots=True)
class InRepeat:
    """A group: its iterations, the last of which is under way."""

    node: Repeat
    iterations: tuple[Configuration, ...]


Configuration = Fresh | Took | Gathering | InSeq | InAnd | InOr | InOptional | InRepeat


def complete(at: Configuration) -> bool:
    """Whether a component may end here."""
    match at:
        case Fresh():
            return nullable(at.node)
        case Took():
            return True
        case Gathering():
            return len(at.events) >= at.node.low
        case InSeq():
            return all(map(complete, at.parts[at.current :]))
        case InAnd():
            return all(map(complete, at.parts))
        case InOr() | InOptional():
            return complete(at.part)
        case InRepeat():
            return complete(at.iterations[-1]) and len(at.iterations) >= at.node.low
        case _:
            assert_never(at)


def bound(at: Configuration, *, closed: bool) -> dict[str, Value]:
    """The binding of a component; `closed` where the run has left it and it can't change."""
    match at:
        case Fresh() if closed:
            return nothing(at.node)
        case Fresh():
            return dict.fromkeys(unbound(at.node), PENDING)
        case Took():
            return {at.node.variable: at.event}
        case Gathering():
            return {at.node.variable: at.events if closed else Open(at.events)}
        case InSeq():
            return {
                name: value
                for number, part in enumerate(at.parts)
                for name, value in bound(part, closed=closed or number < at.current).items()
            }
        case InAnd():
            parts = (bound(part, closed=closed) for part in at.parts)
            return {name: value for part in parts for name, value in part.items()}
        case InOr():
            others = unbound(at.node)
            return {**others, **bound(at.part, closed=closed)}
        case InOptional():
            return bound(at.part, closed=closed)
        case InRepeat():
            return _bound_group(at, closed=closed)
        case _:
            assert_never(at)


def _bound_group(at: InRepeat, *, closed: bool) -> dict[str, Value]:
    last = len(at.iterations) - 1
    rows = [bound(part, closed=closed or n < last) for n, part in enumerate(at.iterations)]
    arrays = {name: tuple(row[name] for row in rows) for name in unbound(at.node)}
    return {name: items if closed else Open(items) for name, items in arrays.items()}
