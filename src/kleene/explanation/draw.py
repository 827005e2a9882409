"""Trees and facts as lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from kleene.errors import printable, width
from kleene.explanation.tree import Branch


def facts(pairs: tuple[tuple[str, str], ...]) -> list[str]:
    """Names and what is said of them, in two columns."""
    wide = max((len(name) for name, _ in pairs), default=0)
    return [f"{name:<{wide}}  {printable(said)}" for name, said in pairs]


def drawn(root: Branch) -> list[str]:
    r"""A tree, its decisions in a column of their own.

    >>> print("\n".join(drawn(Branch("SEQ", parts=(Branch("A a"), Branch("B+ b[]", ("a set",)))))))
    SEQ
    ├── A a
    └── B+ b[]  (a set)
    """
    rows = list(_rows(root, "", ""))
    wide = max((width(left) for left, right in rows if right), default=0)
    return [
        f"{left}{' ' * (wide - width(left))}  {right}" if right else left for left, right in rows
    ]


def _rows(node: Branch, first: str, others: str) -> Iterator[tuple[str, str]]:
    """The label of a node, each decision beside or under it, and its parts."""
    remarks = f"  ({', '.join(node.remarks)})" if node.remarks else ""
    yield f"{first}{printable(node.label)}{remarks}", ""
    below = "│   " if node.parts else "    "
    for decision in node.decisions:
        yield f"{others}{below}{decision.when}", printable(decision.condition)
        if decision.consistency:
            yield f"{others}{below}", f"  {printable(decision.consistency)}"
    for part in node.parts:
        last = part is node.parts[-1]
        yield from _rows(
            part, f"{others}{'└── ' if last else '├── '}", f"{others}{'    ' if last else '│   '}"
        )
