"""Resolved query to pattern algebra."""

from __future__ import annotations

from kleene.language import syntax
from kleene.language.resolved import ResolvedQuery, Variable
from kleene.logical.algebra import (
    And,
    Event,
    Kleene,
    LogicalQuery,
    Node,
    Not,
    Optional,
    Or,
    Repeat,
    Seq,
)


def build(resolved: ResolvedQuery) -> LogicalQuery:
    """The algebra of a query: flat sequences, every condition where it belongs."""
    conditions = tuple(c.condition for c in resolved.conjuncts if c.negation is None)
    return LogicalQuery(resolved, _node(resolved.pattern, resolved, 0), conditions)


def _node(pattern: syntax.Pattern, resolved: ResolvedQuery, depth: int) -> Node:
    """The node of a pattern that `depth` negations enclose."""
    match pattern:
        case syntax.EventPattern():
            return _event(pattern, _declared(pattern, resolved))
        case syntax.Seq():
            return Seq(_flattened(pattern, resolved, depth))
        case syntax.And():
            return And(tuple(_node(part, resolved, depth) for part in pattern.parts))
        case syntax.Or():
            return Or(tuple(_node(part, resolved, depth) for part in pattern.parts))
        case syntax.Repeat():
            body = _node(pattern.body, resolved, depth)
            if pattern.quantifier.optional:
                return Optional(body)
            return Repeat(body, pattern.quantifier.low, pattern.quantifier.high)
        case syntax.Not():
            number = _number(pattern, resolved, depth)
            belonging = (c.condition for c in resolved.conjuncts if c.negation == number)
            return Not(number, _node(pattern.body, resolved, depth + 1), tuple(belonging))
        case syntax.Exists() | syntax.Conditioned():
            return _node(pattern.body, resolved, depth)


def _flattened(pattern: syntax.Seq, resolved: ResolvedQuery, depth: int) -> tuple[Node, ...]:
    """A positive SEQ inside a SEQ is the same as its elements in place (semantics 2)."""
    nodes: list[Node] = []
    for part in pattern.parts:
        node = _node(part, resolved, depth)
        nodes.extend(node.parts if isinstance(node, Seq) else (node,))
    return tuple(nodes)


def _event(pattern: syntax.EventPattern, variable: Variable) -> Node:
    quantifier = pattern.quantifier
    if quantifier is None:
        return Event(variable.name, variable.type)
    if quantifier.optional:
        return Optional(Event(variable.name, variable.type))
    return Kleene(variable.name, variable.type, quantifier.low, quantifier.high, variable.sequence)


def _declared(pattern: syntax.EventPattern, resolved: ResolvedQuery) -> Variable:
    assert pattern.variable is not None, "resolution names every event"
    return resolved.variable(pattern.variable.text)


def _number(pattern: syntax.Not, resolved: ResolvedQuery, depth: int) -> int:
    """Every variable below a negation knows its number; resolution saw to it that there is one."""
    event = next(
        node for node in syntax.walk_patterns(pattern) if isinstance(node, syntax.EventPattern)
    )
    return _declared(event, resolved).negations[depth]
