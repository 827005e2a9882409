"""How many matches a query can have, as the events of a window become more.

An upper bound from the structure alone: conditions only make matches fewer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from kleene.language.syntax import Strategy
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
    walk,
)


@dataclass(frozen=True, slots=True)
class Growth:
    """Up to `N · w^degree` matches of N events, w of them in a window; None: `N · 2^w`."""

    degree: int | None

    @property
    def exponential(self) -> bool:
        """Whether no power of w bounds the number."""
        return self.degree is None

    def __str__(self) -> str:
        match self.degree:
            case None:
                return "N · 2^w"
            case 0:
                return "N"
            case 1:
                return "N · w"
            case _:
                return f"N · w^{self.degree}"


def growth(query: LogicalQuery) -> Growth:
    """How the matches of a query can grow.

    Under skip-till-any every event of a match is chosen freely. Neighbours leave the beginning to
    choose, the length, and which of them belongs where. Skip-till-next-match takes what comes: the
    length is no choice, unless an event that a repetition could take may also end it.
    """
    match query.resolved.strategy:
        case Strategy.ANY:
            chosen = _events(query.pattern)
            return Growth(None if chosen is None else max(chosen - 1, 0))
        case Strategy.STRICT | Strategy.PARTITION:
            run = _run(query.pattern, apart=_are_apart(query))
            return Growth(None if run.ways is None else run.ways + run.open)
        case Strategy.NEXT:
            apart = _are_apart(query)
            run = _run(query.pattern, apart=apart)
            early = run.open and not apart and not _ends_open(query.pattern)
            return Growth(None if run.ways is None else run.ways + early)
        case _:
            assert_never(query.resolved.strategy)


def _events(node: Node) -> int | None:
    """How many events of a match are chosen, at most; None where that is not bounded."""
    match node:
        case Event():
            return 1
        case Kleene():
            return node.high
        case Seq() | And():
            return _sum([_events(part) for part in node.parts])
        case Or():
            counts = [_events(part) for part in node.parts]
            return None if None in counts else max(count for count in counts if count is not None)
        case Optional() | Extended():
            return _events(node.body)
        case Repeat():
            inside = _events(node.body)
            return None if node.high is None or inside is None else node.high * inside
        case Not():
            return 0
        case _:
            assert_never(node)


@dataclass(frozen=True, slots=True)
class _Run:
    """A part laid over m events in a row: in up to m^ways ways (None: 2^m).

    `open`: whether it takes any number of events; `size`: how many, if not.
    """

    ways: int | None
    open: bool
    size: int = 0


def _run(node: Node, *, apart: bool) -> _Run:
    """`apart`: an event fits one variable only, so that what it is decides where it belongs."""
    match node:
        case Event():
            return _Run(0, open=False, size=1)
        case Kleene():
            return _Run(0, open=node.high is None, size=node.high or 0)
        case Seq() | And():
            parts = [_run(part, apart=apart) for part in node.parts]
            return _together(parts, mixed=isinstance(node, And), apart=apart)
        case Or():
            parts = [_run(part, apart=apart) for part in node.parts]
            ways = [part.ways for part in parts]
            most = None if None in ways else max(way for way in ways if way is not None)
            return _Run(most, any(p.open for p in parts), max(p.size for p in parts))
        case Optional() | Extended():
            return _run(node.body, apart=apart)
        case Repeat():
            return _repeated(node, _run(node.body, apart=apart), apart=apart)
        case Not():
            return _Run(0, open=False)
        case _:
            assert_never(node)


def _together(parts: list[_Run], *, mixed: bool, apart: bool) -> _Run:
    """Parts in order meet at borders between those that are open; mixed ones lie anywhere."""
    opened = sum(part.open for part in parts)
    size = sum(part.size for part in parts)
    own = _sum([part.ways for part in parts])
    if own is None or apart:
        return _Run(own, opened > 0, size)
    if not mixed:
        return _Run(own + max(opened - 1, 0), opened > 0, size)
    if opened > 1:
        return _Run(None, open=True)
    return _Run(own + (size if opened else 0), opened > 0, size)


def _repeated(node: Repeat, body: _Run, *, apart: bool) -> _Run:
    """Iterations: where one ends and the next begins is open if the body is."""
    if body.ways is None:
        return body
    unclear = body.open and (not apart or not _has_landmark(node.body))
    if node.high is not None:
        borders = node.high - 1 if unclear else 0
        return _Run(node.high * body.ways + borders, body.open, node.high * body.size)
    swapped = not apart and any(isinstance(part, And | Or) for part in walk(node.body))
    return _Run(None if unclear or body.ways or swapped else 0, open=True)


def _has_landmark(node: Node) -> bool:
    """Whether every match of a node has an event that tells where it is."""
    match node:
        case Event():
            return True
        case Seq() | And():
            return any(map(_has_landmark, node.parts))
        case Or():
            return all(map(_has_landmark, node.parts))
        case Extended():
            return _has_landmark(node.body)
        case Kleene() | Optional() | Repeat() | Not():
            return False
        case _:
            assert_never(node)


def _ends_open(node: Node) -> bool:
    """Whether a repetition without an upper bound stands at the end, and goes on while it can."""
    match node:
        case Kleene():
            return node.high is None
        case Seq():
            positive = [part for part in node.parts if not isinstance(part, Not)]
            return _ends_open(positive[-1])
        case _:
            return False


def _are_apart(query: LogicalQuery) -> bool:
    """Whether no event fits two variables: they are of different types of one column."""
    types = [variable.type for variable in query.resolved.variables if variable.positive]
    defined = {definition.name for definition in query.resolved.definitions}
    alone = len(types) == 1
    return alone or (
        None not in types and len(set(types)) == len(types) and defined.isdisjoint(types)
    )


def _sum(counts: list[int | None]) -> int | None:
    return None if None in counts else sum(count for count in counts if count is not None)
