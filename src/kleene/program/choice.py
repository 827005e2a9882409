"""By which method a kernel finds matches, and why."""

from __future__ import annotations

from dataclasses import dataclass

from kleene.language.syntax import Strategy
from kleene.logical.algebra import LogicalQuery, Node
from kleene.optimizer.methods import Method
from kleene.program.columns import Unsupported
from kleene.program.order import AS_WRITTEN, Order, outermost_repetitions


@dataclass(frozen=True, slots=True)
class Choice:
    """A method, and why it is taken."""

    method: Method
    reason: str


def choose(query: LogicalQuery, asked: Method | None) -> Choice:
    """The method that was asked for, if the query has it, or that which suits it best."""
    why_not = _why_nothing_waits(query)
    if asked is Method.NFA:
        return Choice(asked, _ASKED)
    if asked is not None:
        if why_not:
            raise Unsupported(f"{asked} is for repetitions that can wait: {why_not}")
        return Choice(asked, _ASKED)
    if why_not:
        return Choice(Method.NFA, why_not)
    return Choice(Method.PATHS, "repetitions can wait, and then no subset is walked in vain")


_ASKED = "the option evaluation asks for it"


def _why_nothing_waits(query: LogicalQuery) -> str:
    if query.resolved.strategy is not Strategy.ANY:
        return f"{query.resolved.strategy} does not choose freely"
    if not any(outermost_repetitions(query.pattern)):
        return "no repetition here waits for anything"
    return ""


def order_of(pattern: Node, choice: Choice) -> Order:
    """The order in which a method binds a pattern."""
    if choice.method is Method.NFA:
        return AS_WRITTEN
    return Order(tuple(outermost_repetitions(pattern)))
