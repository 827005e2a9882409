"""Why a condition is of its consistency class, in words."""

from __future__ import annotations

from dataclasses import replace

from kleene.language.expressions import Aggregate, Attribute
from kleene.language.printer import print_expression
from kleene.optimizer.changes import ANYHOW, Change

ALONE = "it asks about no other elements than those it is decided for"
NONE = "it asks about no repetition"
FIRST = "what comes first is not asked"
_NAMES = {
    "avg": "the average",
    "count": "the count",
    "first": "the first",
    "last": "the last",
    "max": "the maximum",
    "min": "the minimum",
    "sum": "the sum",
}


def of_fewer(node: Aggregate, change: Change) -> str:
    """What is said of an aggregate over fewer elements."""
    name = _NAMES.get(node.name, node.name)
    if change == ANYHOW:
        return f"{name} of fewer elements may be anything"
    if change.falls and change.rises:
        moved = "may be greater or less, for some may be negative"
    else:
        moved = "is not greater" if change.falls else "is not less"
    lost = ", but may be null" if change.vanishes else ""
    found = ", and may be in range again" if change.appears else ""
    return f"{name} of fewer elements {moved}{lost}{found}"


def of_another(node: Attribute) -> str:
    """What is said of an element that is picked by its place."""
    return f"{print_expression(replace(node, path=()))} is another where fewer are selected"
