"""One link of a comparison, in the order of `logical.ordering.compare`."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

from kleene.language.decimals import digits
from kleene.language.expressions import Expression
from kleene.language.kinds import NUMBERS, kind_of
from kleene.logical.moments import LARGEST
from kleene.program.columns import event_of
from kleene.program.constants import constant, is_constant
from kleene.program.kinds import ColumnKind, Unsupported, compared_kind, natural_kind
from kleene.program.rescale import NARROW, aligned
from kleene.program.text import (
    FALSE,
    NEVER,
    Operand,
    Truth,
    both,
    certain,
    either,
    negation,
    number,
)

if TYPE_CHECKING:
    from kleene.program.conditions import Translator

_OPPOSITES = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_MIRRORED = {"=": "=", "!=": "!=", "<": ">", ">=": "<=", ">": "<", "<=": ">=", "<=>": "<=>"}


def compare(translator: Translator, left: Expression, sign: str, right: Expression) -> Truth:
    """Whether `left sign right`."""
    if is_constant(left) and not is_constant(right):
        return compare(translator, right, _MIRRORED[sign], left)
    if is_constant(right) and constant(right) is None:
        return certain(translator.null(left)) if sign == "<=>" else NEVER
    kind = compared_kind(translator.type(left), translator.type(right))
    if kind is ColumnKind.CODE and is_constant(right) and _is_computed(translator, left):
        value = constant(right)
        assert isinstance(value, int | Decimal)
        return _with_constant(translator.operand(left), sign, value)
    if kind is ColumnKind.CODE and kind_of(translator.type(left)) in NUMBERS:
        return _of_decimals(translator, left, sign, right)
    return _with(translator.wide(left, kind), sign, translator.wide(right, kind))


def _of_decimals(translator: Translator, left: Expression, sign: str, right: Expression) -> Truth:
    """By ranks where they have more digits than 64 bits hold, unless they are computed."""
    if any(digits(translator.type(side))[0] > NARROW for side in (left, right)):
        try:
            kind = ColumnKind.CODE
            return _with(translator.operand(left, kind), sign, translator.operand(right, kind))
        except Unsupported:
            pass
    kind = ColumnKind.SCALED
    return _with(*aligned(translator.wide(left, kind), translator.wide(right, kind), sign))


def equals(translator: Translator, left: Expression, right: Expression) -> str:
    """Whether two values are equal and neither is null."""
    truth = compare(translator, left, "=", right)
    if truth.beyond != FALSE:
        raise Unsupported("decimals may be beyond 64 bits")
    return truth.true


def _is_computed(translator: Translator, node: Expression) -> bool:
    """Whether a value comes out of the kernel as a whole number, so that it has no rank."""
    return event_of(node) is None and natural_kind(translator.type(node)) is ColumnKind.INT


def _with(left: Operand, sign: str, right: Operand) -> Truth:
    present = (negation(left.null), negation(right.null))
    beyond = either(left.beyond, right.beyond)
    if sign == "<=>":
        same = both(holds(left, "=", right), *present)
        return replace(certain(either(same, both(left.null, right.null))), beyond=beyond)
    yes, no = holds(left, sign, right), holds(left, _OPPOSITES[sign], right)
    return Truth(both(yes, *present), both(no, *present), beyond)


def holds(left: Operand, sign: str, right: Operand) -> str:
    """The bare comparison: first in the text, for it decides more often than a null does."""
    one, other = left.value, right.value
    if left.kind is not ColumnKind.FLOAT:
        return f"{one} {'==' if sign == '=' else sign} {other}"
    match sign:
        case "=":
            return f"float_equal({one}, {other})"
        case "<":
            return f"float_less({one}, {other})"
        case ">":
            return f"float_less({other}, {one})"
        case _:
            return negation(holds(left, _OPPOSITES[sign], right))


def _with_constant(left: Operand, sign: str, value: Decimal | int) -> Truth:
    """A whole number and a decimal: beside a fraction only the whole number below it matters."""
    whole = math.floor(value)
    if whole == value and -LARGEST - 1 <= whole <= LARGEST:
        return _with(left, sign, Operand(number(whole), "False", ColumnKind.INT))
    if sign == "<=>":
        return certain("False")
    beyond = "True" if whole < -LARGEST - 1 else "False" if whole >= LARGEST else None
    above = beyond or f"{left.value} > {number(whole)}"
    yes = {"=": "False", "!=": "True", ">": above, ">=": above}.get(sign) or negation(above)
    present = negation(left.null)
    return Truth(both(yes, present), both(negation(yes), present))
