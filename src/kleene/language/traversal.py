"""Walking and rebuilding expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from kleene.language.expressions import (
    Aggregate,
    Arithmetic,
    Attribute,
    Call,
    Case,
    Cast,
    Comparison,
    Conjunction,
    Disjunction,
    Expression,
    Inversion,
    Like,
    Literal,
    MatchCount,
    Membership,
    Negative,
    NullTest,
    Range,
    Reference,
    SameKey,
    Subscript,
)


def children(node: Expression) -> tuple[Expression, ...]:
    """The expressions directly below a node, in the order of the text."""
    match node:
        case Literal() | Reference() | MatchCount() | SameKey() | Attribute():
            return ()
        case Aggregate():
            return (node.argument,)
        case Negative() | Inversion() | NullTest() | Cast():
            return (node.operand,)
        case Subscript():
            return (node.operand, node.index)
        case Arithmetic():
            return (node.left, node.right)
        case Comparison() | Conjunction() | Disjunction():
            return node.operands
        case Membership():
            return (node.operand, *node.items)
        case Range():
            return (node.operand, node.low, node.high)
        case Like():
            return (node.operand, node.pattern)
        case Case():
            pairs = tuple(part for branch in node.branches for part in branch)
            subject = () if node.subject is None else (node.subject,)
            otherwise = () if node.otherwise is None else (node.otherwise,)
            return (*subject, *pairs, *otherwise)
        case Call():
            return node.arguments


def walk(node: Expression) -> Iterator[Expression]:
    """A node and everything below it, parents first."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        pending.extend(reversed(children(current)))


def flattened(condition: Expression) -> list[Expression]:
    """The conjuncts of a condition, whatever parentheses they stood in."""
    found: list[Expression] = []
    pending: list[Expression] = [condition]
    while pending:
        current = pending.pop()
        if isinstance(current, Conjunction):
            pending.extend(reversed(current.operands))
        else:
            found.append(current)
    return found


def rebuild(node: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The node with `change` applied to each of its children."""
    match node:
        case Literal() | Reference() | MatchCount() | SameKey() | Attribute():
            return node
        case Aggregate():
            return replace(node, argument=change(node.argument))
        case Negative() | Inversion() | NullTest() | Cast():
            return replace(node, operand=change(node.operand))
        case Subscript():
            return replace(node, operand=change(node.operand), index=change(node.index))
        case Arithmetic():
            return replace(node, left=change(node.left), right=change(node.right))
        case Comparison() | Conjunction() | Disjunction():
            return replace(node, operands=tuple(map(change, node.operands)))
        case Membership():
            items = tuple(map(change, node.items))
            return replace(node, operand=change(node.operand), items=items)
        case Range():
            low, high = change(node.low), change(node.high)
            return replace(node, operand=change(node.operand), low=low, high=high)
        case Like():
            return replace(node, operand=change(node.operand), pattern=change(node.pattern))
        case Case():
            return replace(
                node,
                subject=None if node.subject is None else change(node.subject),
                branches=tuple((change(when), change(then)) for when, then in node.branches),
                otherwise=None if node.otherwise is None else change(node.otherwise),
            )
        case Call():
            return replace(node, arguments=tuple(map(change, node.arguments)))
