"""Where a part of a pattern stands: what comes before it and after it (semantics 3)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from kleene.logical.algebra import Node, Not, Optional, Or, Repeat, Seq, parts_of
from kleene.program.layout import Layout, Slot, leaves


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A variable on one side of a part; `shared` are the loops around both.

    `inclusive`: whether the current iteration of the innermost shared loop counts too.
    """

    slot: Slot
    shared: tuple[int, ...]
    inclusive: bool


@dataclass(frozen=True, slots=True)
class NegationPlace:
    """A negation, the loops around it, its neighbours, and the part that must be there."""

    node: Not
    loops: tuple[int, ...]
    before: tuple[Neighbour, ...]
    after: tuple[Neighbour, ...]
    within: Node | None
    """The innermost optional part or branch around it: if that binds nothing it is not tested."""
    parents: tuple[Node, ...]


def path_to(root: Node, target: Node) -> tuple[Node, ...]:
    """The nodes from the root to a part of it, both included."""
    if root is target:
        return (root,)
    for part in parts_of(root):
        below = path_to(part, target)
        if below:
            return (root, *below)
    return ()


def find_place(root: Node, target: Not, layout: Layout) -> NegationPlace:
    """The place of a negation in the whole pattern, enclosing negations taken off."""
    path = path_to(root, target)
    loops = tuple(layout.group_loops[id(node)] for node in path if isinstance(node, Repeat))
    within: Node | None = None
    for node, child in pairwise(path):
        match node:
            case Optional():
                within = node.body
            case Or():
                within = child
            case Not():
                within = None
            case _:
                pass
    before, after = neighbours_on(path, layout)
    return NegationPlace(target, loops, before, after, within, path[:-1])


def neighbours_on(
    path: tuple[Node, ...], layout: Layout
) -> tuple[tuple[Neighbour, ...], tuple[Neighbour, ...]]:
    """The variables before the end of a path, and those after it."""
    before: list[Neighbour] = []
    after: list[Neighbour] = []
    loops: list[int] = []
    for node, child in pairwise(path):
        around = tuple(loops)
        match node:
            case Seq():
                index = next(i for i, part in enumerate(node.parts) if part is child)
                before += _neighbours(node.parts[:index], layout, around, inclusive=True)
                after += _neighbours(node.parts[index + 1 :], layout, around, inclusive=True)
            case Repeat():
                loops.append(layout.group_loops[id(node)])
                before += _neighbours((node.body,), layout, tuple(loops), inclusive=False)
                after += _neighbours((node.body,), layout, tuple(loops), inclusive=False)
            case _:
                pass
    return tuple(before), tuple(after)


def _neighbours(
    parts: tuple[Node, ...], layout: Layout, shared: tuple[int, ...], *, inclusive: bool
) -> list[Neighbour]:
    return [
        Neighbour(layout.slot(leaf.variable), shared, inclusive)
        for part in parts
        for leaf in leaves(part)
    ]
