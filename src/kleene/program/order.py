"""The order in which a machine binds the parts of a pattern.

It binds the pattern as it is written, but passes by the parts that are postponed; then it binds
these, one after the other, each between its neighbours that are bound already. Any order can be
said that way: what is to come first is what is not postponed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import assert_never

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


@dataclass(frozen=True)
class Order:
    """The parts that wait until the rest of the pattern is bound, in the order of their turns."""

    postponed: tuple[Node, ...] = ()

    def number(self, node: Node) -> int | None:
        """The number of a postponed part; None if it is bound where it is written."""
        return next((n for n, part in enumerate(self.postponed) if part is node), None)

    def turn(self, variable: str) -> int:
        """When a variable is bound: 0 with what is not postponed, then a turn for each part."""
        return self._turns.get(variable, 0)

    @cached_property
    def _turns(self) -> dict[str, int]:
        return {
            name: number
            for number, part in enumerate(self.postponed, start=1)
            for name in variables_of(part)
        }


AS_WRITTEN = Order()


def may_wait(node: Node) -> Iterator[Node]:
    """The parts of a pattern that can be postponed, parents first.

    Those within a group come with each iteration. One within an optional part has to bind
    something whenever it is passed, because that is what makes the optional part present.
    """
    yield from _may_wait(node, surely=False)


def _may_wait(node: Node, *, surely: bool) -> Iterator[Node]:
    if isinstance(node, Not):
        return
    if not surely or binds(node):
        yield node
    match node:
        case Event() | Kleene() | Repeat():
            return
        case Seq() | And() | Or():
            for part in node.parts:
                yield from _may_wait(part, surely=surely)
        case Optional():
            yield from _may_wait(node.body, surely=True)
        case Extended():
            raise AssertionError("negations are searched for by themselves")
        case _:
            assert_never(node)


def binds(node: Node) -> bool:
    """Whether a part binds at least one event."""
    match node:
        case Event():
            return True
        case Kleene() | Repeat():
            return node.low > 0
        case Seq() | And():
            return any(map(binds, node.parts))
        case Or():
            return all(map(binds, node.parts))
        case Optional() | Not() | Extended():
            return False
        case _:
            assert_never(node)


def outermost_repetitions(node: Node) -> Iterator[Kleene | Repeat]:
    """The repetitions that can be postponed and are within no other, as they are written."""
    return (part for part in may_wait(node) if isinstance(part, Kleene | Repeat))
