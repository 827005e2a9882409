"""Values that are one of several: CASE and the functions that are short for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kleene.language.expressions import Case, Expression, Literal, Type
from kleene.program.comparisons import equals
from kleene.program.kinds import ColumnKind, Unsupported, keeps_values
from kleene.program.rescale import fitted
from kleene.program.text import Operand, choice, chosen_truth, merged

if TYPE_CHECKING:
    from kleene.program.conditions import Translator


def case(translator: Translator, node: Case, kind: ColumnKind) -> Operand:
    """CASE: the first branch whose condition is met, or whose value equals the subject."""
    otherwise = Literal(None) if node.otherwise is None else node.otherwise
    results = [*(then for _, then in node.branches), otherwise]
    *thens, last = alternatives(translator, results, translator.type(node), kind)
    found = last
    for (when, _), then in zip(reversed(node.branches), reversed(thens), strict=True):
        met = (
            translator.is_true(when)
            if node.subject is None
            else equals(translator, node.subject, when)
        )
        found = chosen(met, then, found)
    return found


def chosen(condition: str, then: Operand, otherwise: Operand) -> Operand:
    """One of two values of one kind."""
    value = choice(condition, then.value, otherwise.value)
    return merged((then, otherwise), value, chosen_truth(condition, then.null, otherwise.null))


def alternatives(
    translator: Translator, nodes: Sequence[Expression], type_: Type, kind: ColumnKind
) -> list[Operand]:
    """Values that may each be the value of an expression of that type, in the kind it is kept in.

    A decimal with more places than the common type has is rounded by it, so it is another value.
    """
    if kind is ColumnKind.SCALED:
        return [fitted(translator.wide(node, kind), type_) for node in nodes]
    if not all(keeps_values(translator.type(node), type_) for node in nodes):
        raise Unsupported("decimals of several events are rounded to a common type")
    return [translator.operand(node, kind) for node in nodes]
