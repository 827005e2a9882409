"""How much there may be to do for a pattern: an upper bound, before anything is evaluated."""

from __future__ import annotations

from collections.abc import Mapping
from math import comb, factorial

from kleene.language.syntax import (
    And,
    Conditioned,
    EventPattern,
    Exists,
    Not,
    Or,
    Pattern,
    Quantifier,
    Repeat,
    Seq,
    walk_patterns,
)


def work(pattern: Pattern, rows_of: Mapping[str | None, int]) -> int:
    """Derivations of the positive part, times those of what each negation may add to one.

    `rows_of` says how many rows have each type; that of ANY is None.
    """
    negations = [node.body for node in walk_patterns(pattern) if isinstance(node, Not)]
    added = sum(derivations(body, rows_of) for body in negations)
    return derivations(pattern, rows_of) * (1 + added)


def derivations(node: Pattern, rows_of: Mapping[str | None, int]) -> int:
    """In how many ways a pattern without its negations may be laid over the rows, at most."""
    match node:
        case EventPattern():
            return _events(node, rows_of)
        case Seq() | And():
            product = 1
            for part in node.parts:
                product *= max(1, derivations(part, rows_of))  # what fails late has cost as much
            return product
        case Or():
            return sum(derivations(part, rows_of) for part in node.parts)
        case Not():
            return 1
        case Exists() | Conditioned():
            return derivations(node.body, rows_of)
        case Repeat():
            body = derivations(node.body, rows_of)
            if node.quantifier.optional:
                return 1 + body
            iterations = _sizes(node.quantifier, rows_of[None])
            # Each iteration lies before the next: of any choice there is one order.
            return sum(-(-(body**size) // factorial(size)) for size in iterations)


def _events(node: EventPattern, rows_of: Mapping[str | None, int]) -> int:
    count = rows_of[None if node.type is None else node.type.text]
    if node.quantifier is None:
        return count
    if node.quantifier.optional:
        return 1 + count
    return sum(comb(count, size) for size in _sizes(node.quantifier, count))


def _sizes(quantifier: Quantifier, most: int) -> range:
    high = most if quantifier.high is None else min(quantifier.high, most)
    return range(quantifier.low, high + 1)
