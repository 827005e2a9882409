"""The pattern as a tree, with each condition at the place where it is decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from kleene.explanation.decisions import Decision, Decisions, Spot, Within, place_decisions
from kleene.language.print_query import print_pattern, print_quantifier
from kleene.language.syntax import EventPattern, Name, Quantifier
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
    variables_of,
)
from kleene.program.order import Order
from kleene.program.points import Bind, Leave


@dataclass(frozen=True, slots=True)
class Branch:
    """A node of the pattern: what it looks for, what is decided at it, and its parts."""

    label: str
    remarks: tuple[str, ...] = ()
    decisions: tuple[Decision, ...] = ()
    parts: tuple[Branch, ...] = ()


def pattern_tree(query: LogicalQuery, order: Order, *, early: bool) -> Branch:
    """The pattern of a query; `early` where conditions are decided as soon as they can be."""
    planter = _Planter(query, place_decisions(query, order, early=early), order)
    root = planter.branch(query.pattern, 0)
    return replace(root, decisions=(*root.decisions, *planter.at(Within(None))))


@dataclass(frozen=True, slots=True)
class _Planter:
    """Hangs decisions on branches."""

    query: LogicalQuery
    decisions: Decisions
    order: Order

    def at(self, spot: Spot) -> tuple[Decision, ...]:
        return tuple(self.decisions.get(spot, ()))

    def branch(self, node: Node, depth: int, *remarks: str) -> Branch:
        """The branch of a node that `depth` groups enclose."""
        if self.order.number(node) is not None:
            remarks = (*remarks, "bound when the rest is there")
        match node:
            case Event() | Kleene():
                return self._leaf(node, remarks)
            case Seq():
                return self._list(node, depth, _places(node.parts), remarks)
            case And():
                anywhere = [_ANYWHERE if isinstance(part, Not) else "" for part in node.parts]
                return self._list(node, depth, anywhere, remarks)
            case Or():
                return self._list(node, depth, [""] * len(node.parts), remarks)
            case Optional(body=Event() as event):
                return self._leaf(event, remarks, Quantifier(0, 1, optional=True))
            case Optional():
                return Branch("?", _said(remarks), (), (self.branch(node.body, depth),))
            case Repeat():
                return self._group(node, depth, remarks)
            case Not():
                inside = (self.branch(node.body, depth),)
                return Branch("NOT", _said(remarks), self.at(Within(node.number)), inside)
            case Extended():
                return self.branch(node.body, depth, *remarks)
            case _:
                assert_never(node)

    def _list(
        self, node: Seq | And | Or, depth: int, places: list[str], remarks: Sequence[str]
    ) -> Branch:
        parts = zip(node.parts, places, strict=True)
        below = tuple(self.branch(part, depth, place) for part, place in parts)
        return Branch(type(node).__name__.upper(), _said(remarks), (), below)

    def _leaf(
        self, node: Event | Kleene, remarks: Sequence[str], quantifier: Quantifier | None = None
    ) -> Branch:
        variable = self.query.variables[node.variable]
        decisions = self.at(Bind(node.variable))
        kind = ""
        if isinstance(node, Kleene):
            quantifier = Quantifier(node.low, node.high)
            decisions += self.at(Leave(variable.loops[-1]))
            kind = "a sequence" if node.sequence else "a set"
        hidden = "hidden by EXISTS" if variable.hidden else ""
        declared = EventPattern(
            None if node.type is None else Name(node.type), Name(node.variable), quantifier
        )
        return Branch(print_pattern(declared), _said((kind, *remarks, hidden)), decisions)

    def _group(self, node: Repeat, depth: int, remarks: Sequence[str]) -> Branch:
        """A group; its loop is the one that its variables have at its depth."""
        some = next(variables_of(node.body))
        decisions = self.at(Leave(self.query.variables[some].loops[depth]))
        sign = print_quantifier(Quantifier(node.low, node.high))
        said = _said(("one iteration after the other", *remarks))
        return Branch(sign, said, decisions, (self.branch(node.body, depth + 1),))


_ANYWHERE = "anywhere in one window with them"


def _said(remarks: Sequence[str]) -> tuple[str, ...]:
    return tuple(filter(None, remarks))


def _places(parts: Sequence[Node]) -> list[str]:
    """For each part of a sequence where a negation stands in it; else nothing."""
    names = [list(variables_of(part)) for part in parts]
    found = []
    for number, part in enumerate(parts):
        before = next((n[-1] for n in reversed(names[:number]) if n), None)
        after = next((n[0] for n in names[number + 1 :] if n), None)
        found.append(_place(before, after) if isinstance(part, Not) else "")
    return found


def _place(before: str | None, after: str | None) -> str:
    if before is not None and after is not None:
        return f"between {before} and {after}"
    return f"after {before}" if after is None else f"before {after}"
