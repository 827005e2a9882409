"""skip_till_next_match: the pattern as an automaton (semantics 4).

A run is a configuration of the automaton. Each position of the order, that is all events of equal
order, replaces a run by its successors, if it has any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import assert_never

from kleene.language.expressions import Expression
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
from kleene.logical.binding import Binding
from kleene.logical.configuration import (
    Configuration,
    Fresh,
    Gathering,
    InAnd,
    InOptional,
    InOr,
    InRepeat,
    InSeq,
    Took,
    bound,
    complete,
)
from kleene.logical.decide import decide
from kleene.logical.history import HistoryEvent
from kleene.logical.negation import World

Wrap = Callable[[Configuration], Configuration]


@dataclass(frozen=True, slots=True)
class Move:
    """A successor of a component; `fills` where it was taken by what could be passed over."""

    to: Configuration
    fills: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One position of the order, and the test that a run must pass after taking from it."""

    events: tuple[HistoryEvent, ...]
    viable: Callable[[Configuration], bool]


def next_matches(
    pattern: Node, conditions: tuple[Expression, ...], world: World
) -> Iterator[Binding]:
    """The bindings that runs of the automaton yield, each run once, when nothing extends it."""
    positive = without_negations(pattern)
    runs: dict[Configuration, None] = {}
    for step in steps(conditions, world):
        following: dict[Configuration, None] = {}
        for run in runs:
            following.update(dict.fromkeys(successors(run, step) or [run]))
        following.update(dict.fromkeys(successors(Fresh(positive), step)))
        runs = following
    for run in runs:
        if complete(run):
            binding = bound(run, closed=True)
            if all(decide(c, binding, world.ground) for c in conditions):
                yield binding


def steps(conditions: tuple[Expression, ...], world: World) -> Iterator[Step]:
    """The positions of the order, one after the other."""

    def viable(run: Configuration) -> bool:
        binding = bound(run, closed=False)
        return world.fits_window(binding) and not any(
            decide(condition, binding, world.ground) is False for condition in conditions
        )

    for _, tied in groupby(world.candidates, key=lambda event: event.rank):
        yield Step(tuple(tied), viable)


def without_negations(node: Node) -> Node:
    """The positive part: negation is a filter on what it yields."""
    match node:
        case Event() | Kleene():
            return node
        case Seq() | And() | Or():
            kept = (part for part in node.parts if not isinstance(part, Not))
            return replace(node, parts=tuple(map(without_negations, kept)))
        case Optional() | Repeat() | Extended():
            return replace(node, body=without_negations(node.body))
        case Not():
            raise AssertionError("a pattern has a positive part")


def successors(run: Configuration, step: Step) -> list[Configuration]:
    """What a run becomes by the events of a position; nothing where it passes them by."""
    found: dict[Configuration, None] = {}
    for event in step.events:
        moves = _moves(run, event, step, lambda whole: whole)
        found.update(dict.fromkeys(move.to for move in moves))
    return list(found)


def _moves(at: Configuration, event: HistoryEvent, step: Step, wrap: Wrap) -> list[Move]:
    """The fitting transitions of a component; `wrap` puts a component into its whole run."""
    match at:
        case Fresh():
            return _first_moves(at.node, event, step, wrap)
        case Took():
            return []
        case Gathering():
            return _gather(at, event, step, wrap)
        case InSeq():
            return _moves_in_seq(at, event, step, wrap)
        case InAnd():
            return _moves_in_and(at, event, step, wrap)
        case InOr() | InOptional():
            moves = _moves(at.part, event, step, lambda part: wrap(replace(at, part=part)))
            return [Move(replace(at, part=move.to), move.fills) for move in moves]
        case InRepeat():
            return _moves_in_repeat(at, event, step, wrap)
        case _:
            assert_never(at)


def _first_moves(node: Node, event: HistoryEvent, step: Step, wrap: Wrap) -> list[Move]:
    match node:
        case Event():
            taken = Took(node, event.position)
            fits = event.is_of(node.type) and step.viable(wrap(taken))
            return [Move(taken)] if fits else []
        case Kleene():
            return _gather(Gathering(node, ()), event, step, wrap)
        case Seq():
            fresh = tuple(Fresh(part) for part in node.parts)
            return _enter_from(InSeq(node, fresh, -1), event, step, wrap)
        case And():
            fresh = tuple(Fresh(part) for part in node.parts)
            return _moves_in_and(InAnd(node, fresh), event, step, wrap)
        case Or():
            return [
                move
                for branch in range(len(node.parts))
                for move in _choose(node, branch, event, step, wrap)
            ]
        case Optional():
            moves = _moves(Fresh(node.body), event, step, lambda to: wrap(InOptional(node, to)))
            return [Move(InOptional(node, move.to), move.fills) for move in moves]
        case Repeat():
            return _moves_in_repeat(InRepeat(node, ()), event, step, wrap)
        case Not() | Extended():
            raise AssertionError("runs are of the positive part")
        case _:
            assert_never(node)


def _choose(node: Or, branch: int, event: HistoryEvent, step: Step, wrap: Wrap) -> list[Move]:
    moves = _moves(Fresh(node.parts[branch]), event, step, lambda to: wrap(InOr(node, branch, to)))
    return [Move(InOr(node, branch, move.to), move.fills) for move in moves]


def _gather(at: Gathering, event: HistoryEvent, step: Step, wrap: Wrap) -> list[Move]:
    """Staying in a Kleene variable: a sequence takes one event, a set all that fit, if tied."""
    node = at.node
    room = len(step.events) if node.high is None else node.high - len(at.events)

    def fits(other: HistoryEvent) -> bool:
        one = Gathering(node, (*at.events, other.position))
        return other.is_of(node.type) and step.viable(wrap(one))

    if room <= 0 or not fits(event):
        return []
    if node.sequence:
        return [Move(Gathering(node, (*at.events, event.position)))]
    tied = [other.position for other in step.events if fits(other)][:room]
    return [Move(Gathering(node, (*at.events, *tied)))]


def _moves_in_seq(at: InSeq, event: HistoryEvent, step: Step, wrap: Wrap) -> list[Move]:
    """Within the current part, or on to the next, unless the event fills what is passed over."""
    current = at.parts[at.current]
    inside = _moves(current, event, step, partial(_wrapped, at, at.current, wrap))
    found = [Move(_placed(at, at.current, move.to), move.fills) for move in inside]
    if complete(current) and not any(move.fills for move in inside):
        found.extend(_enter_from(at, event, step, wrap))
    return found


def _enter_from(at: InSeq, event: HistoryEvent, step: Step, wrap: Wrap) -> list[Move]:
    """The first part behind the current one that the event fits; empty ones are passed over."""
    for number in range(at.current + 1, len(at.parts)):
        moves = _moves(at.parts[number], event, step, partial(_wrapped, at, number, wrap))
        if moves:
            return [Move(_placed(at, number, move.to), fills=True) for move in moves]
        if not complete(at.parts[number]):
            break
    return []


def _moves_in_and(at: InAnd, event: HistoryEvent, step: Step, wrap: Wrap) -> list[Move]:
    """Each open place of a conjunction."""
    found = []
    for number, part in enumerate(at.parts):
        for move in _moves(part, event, step, partial(_wrapped, at, number, wrap)):
            fills = move.fills or isinstance(part, Fresh)
            found.append(Move(_placed(at, number, move.to), fills))
    return found


def _placed(at: InSeq | InAnd, number: int, part: Configuration) -> InSeq | InAnd:
    """A composite with one of its parts replaced; a sequence is then at that part."""
    parts = (*at.parts[:number], part, *at.parts[number + 1 :])
    return InSeq(at.node, parts, number) if isinstance(at, InSeq) else InAnd(at.node, parts)


def _wrapped(at: InSeq | InAnd, number: int, wrap: Wrap, part: Configuration) -> Configuration:
    return wrap(_placed(at, number, part))


def _moves_in_repeat(at: InRepeat, event: HistoryEvent, step: Step, wrap: Wrap) -> list[Move]:
    """Within the iteration under way, or into a new one."""
    found = []
    leaving = True
    if at.iterations:

        def stay(to: Configuration) -> InRepeat:
            return InRepeat(at.node, (*at.iterations[:-1], to))

        inside = _moves(at.iterations[-1], event, step, lambda to: wrap(stay(to)))
        found = [Move(stay(move.to), move.fills) for move in inside]
        leaving = complete(at.iterations[-1]) and not any(move.fills for move in inside)
    if leaving and (at.node.high is None or len(at.iterations) < at.node.high):

        def begin(to: Configuration) -> InRepeat:
            return InRepeat(at.node, (*at.iterations, to))

        first = _moves(Fresh(at.node.body), event, step, lambda to: wrap(begin(to)))
        found.extend(Move(begin(move.to)) for move in first)
    return found
