"""Contiguity: which gaps between the events of a match can still be filled (semantics 4).

Events are bound part by part, each part from its first event to its last. So what lies open before
an event can only be filled by later parts of an AND around it, and those have so much room.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import inf

from kleene.language.syntax import Strategy
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
    variables_of,
)
from kleene.program.source import Writer


def is_contiguous(strategy: Strategy) -> bool:
    """Whether the events of a match are neighbours."""
    return strategy in (Strategy.STRICT, Strategy.PARTITION)


def endless_first(node: Node) -> Node:
    """The pattern with the parts of each AND ahead that have no bound: others then fill gaps."""
    match node:
        case Event() | Kleene() | Not():
            return node
        case And():
            return And(tuple(sorted(map(endless_first, node.parts), key=room, reverse=True)))
        case Seq() | Or():
            return replace(node, parts=tuple(map(endless_first, node.parts)))
        case Optional() | Repeat() | Extended():
            return replace(node, body=endless_first(node.body))


def room(node: Node) -> float:
    """How many events a node binds at most."""
    match node:
        case Event():
            return 1
        case Kleene():
            return inf if node.high is None else node.high
        case Seq() | And():
            return sum(map(room, node.parts))
        case Or():
            return max(map(room, node.parts))
        case Optional() | Extended():
            return room(node.body)
        case Repeat():
            inside = room(node.body)
            return inside * (inf if node.high is None else node.high) if inside else 0
        case Not():
            return 0


@dataclass(frozen=True, slots=True)
class Gaps:
    """How many gaps there may be when an event of a variable is bound."""

    before: float
    """Before it: what later parts may fill."""
    behind: float
    """Behind it, where it is not the last: what its own part may fill as well."""


def gaps(node: Node, variable: str) -> Gaps:
    """The gaps that may be left around an event of a variable."""
    match node:
        case And():
            number = next(n for n, p in enumerate(node.parts) if variable in variables_of(p))
            inside = gaps(node.parts[number], variable)
            later = sum(map(room, node.parts[number + 1 :]))
            return Gaps(inside.before + later, room(node.parts[number]) + later)
        case Seq() | Or():
            part = next(p for p in node.parts if variable in variables_of(p))
            return gaps(part, variable)
        case Optional() | Repeat() | Extended():
            return gaps(node.body, variable)
        case Event() | Kleene() | Not():
            return Gaps(0, 0)


def distance(strategy: Strategy, low: str, high: str) -> str:
    """How many events later one is than another: of its partition, or of the whole input."""
    strict = strategy is Strategy.STRICT
    return f"place[{high}] - place[{low}]" if strict else f"{high} - {low}"


def write_gaps(writer: Writer, strategy: Strategy, around: Gaps) -> None:
    """Pass candidates `p` that leave more gaps than can be filled, in a loop over candidates."""
    rules: Iterable[tuple[float, str, str, str]] = (
        (around.before, "p > pmax", distance(strategy, "pmin", "p"), "break"),
        (around.behind, "p < pmin", distance(strategy, "p", "pmax"), "continue"),
    )
    for most, where, length, otherwise in rules:
        if most < inf:
            with writer.block(f"if cnt > 0 and {where} and {length} - cnt > {int(most)}:"):
                writer.put(otherwise)
