"""Masked and unmasked forms of a pattern: moves of a game (paper 3, figures 3.7 and 3.8)."""

from __future__ import annotations

from typing import assert_never

from kleene.explanation.decisions import Decision
from kleene.explanation.tree import Branch
from kleene.language import syntax
from kleene.language.print_query import print_pattern
from kleene.language.printer import print_expression
from kleene.language.syntax import EventPattern, Name, Pattern, Quantifier
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
)
from kleene.logical.negation import negations, unmasked


def level_tree(query: LogicalQuery) -> Branch | None:
    """What is looked for, what rejects it, what excuses that, and so on; None without negation.

    The positive part has all negations masked. Below it stands a form for each negation, with
    its `!` taken off and its siblings deleted; what is negated inside is masked, and stands below.
    """
    if next(negations(query.pattern), None) is None:
        return None
    return Branch(f"find {spelled(query.pattern)}", (), (), _below(query.pattern, 1))


def _below(pattern: Node, level: int) -> tuple[Branch, ...]:
    return tuple(_level(unmasked(pattern, n), n, level) for n in negations(pattern))


def _level(form: Node, negation: Not, level: int) -> Branch:
    conditions = tuple(Decision("if", print_expression(c)) for c in negation.conditions)
    label = f"{_verb(level)} {spelled(form)}"
    return Branch(label, (f"level {level}",), conditions, _below(form, level + 1))


def _verb(level: int) -> str:
    return ("rejected by", "excused by")[(level - 1) % 2]


def spelled(node: Node) -> str:
    """A pattern with all negations in it masked, as text."""
    found = _masked(node)
    assert found is not None, "a pattern has a positive part"
    return print_pattern(found)


def _masked(node: Node) -> Pattern | None:
    """The pattern without its negations; None where nothing is left."""
    match node:
        case Event():
            return _event(node.type, node.variable, None)
        case Kleene():
            return _event(node.type, node.variable, Quantifier(node.low, node.high))
        case Seq() | And() | Or():
            return _list(node)
        case Optional(body=Event() as event):
            return _event(event.type, event.variable, Quantifier(0, 1, optional=True))
        case Optional():
            return _repeated(node.body, Quantifier(0, 1, optional=True))
        case Repeat():
            return _repeated(node.body, Quantifier(node.low, node.high))
        case Extended():
            return _masked(node.body)
        case Not():
            return None
        case _:
            assert_never(node)


def _event(kind: str | None, variable: str, quantifier: Quantifier | None) -> EventPattern:
    """An event as it is declared; a variable that is called like its type need not be written."""
    name = None if variable == kind and quantifier is None else Name(variable)
    return EventPattern(None if kind is None else Name(kind), name, quantifier)


def _list(node: Seq | And | Or) -> Pattern | None:
    parts = tuple(part for part in map(_masked, node.parts) if part is not None)
    match node:
        case _ if len(parts) <= 1:
            return parts[0] if parts else None
        case Seq():
            return syntax.Seq(parts)
        case And():
            return syntax.And(parts)
        case Or():
            return syntax.Or(parts)
        case _:
            assert_never(node)


def _repeated(body: Node, quantifier: Quantifier) -> Pattern | None:
    inner = _masked(body)
    return None if inner is None else syntax.Repeat(inner, quantifier)
