"""Exact arithmetic of decimals between events, by the rules of `logical.arithmetic`.

A decimal is a whole number of units in 64 bits. Results are rounded to the scale of their type,
half away from zero. Types may have 38 digits: where a number needs more than 64 bits the text says
that it is `beyond`, and Python is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa

from kleene.language.casting import cast_target
from kleene.language.decimals import digits
from kleene.language.expressions import (
    Aggregate,
    Arithmetic,
    Call,
    Case,
    Cast,
    Expression,
    Negative,
)
from kleene.language.functions import CASTS
from kleene.language.kinds import Kind, kind_of
from kleene.program.choices import case
from kleene.program.constants import constant, is_constant
from kleene.program.functions import call
from kleene.program.kinds import ColumnKind, Unsupported
from kleene.program.rescale import (
    NARROW,
    combined,
    fitted,
    on_one_scale,
    power_of_ten,
)
from kleene.program.text import Operand, either, number

if TYPE_CHECKING:
    from kleene.program.conditions import Translator

SCALED = ColumnKind.SCALED


def decimal(translator: Translator, node: Expression) -> Operand:
    """A decimal that depends on several events."""
    match node:
        case Arithmetic():
            return _arithmetic(translator, node)
        case Negative():
            return _signed(translator.wide(node.operand, SCALED), "negative", "-")
        case Case():
            return case(translator, node, SCALED)
        case Cast():
            target = cast_target(node.target, node.span)
            return _cast(translator, node.operand, target)
        case Call() if node.name in CASTS:
            return _cast(translator, node.arguments[0], CASTS[node.name])
        case Call() if node.name in _FUNCTIONS:
            return _FUNCTIONS[node.name](translator, node)
        case Call():
            found = call(translator, node, SCALED)
            if found.kind is not SCALED:
                raise Unsupported(f"{node.name} does not make a decimal")
            return found
        case Aggregate():
            return translator.aggregated(node, SCALED)
        case _:
            raise Unsupported("a decimal of several events")


def _arithmetic(translator: Translator, node: Arithmetic) -> Operand:
    left, right = (translator.wide(side, SCALED) for side in (node.left, node.right))
    type_ = translator.type(node)
    match node.operator:
        case "*":
            return fitted(combined("*", left, right, left.digits + right.digits), type_)
        case "/":
            return _quotient(left, right, type_)
        case "%":
            return _remainder(left, right, type_)
        case operator:
            one, other = on_one_scale(left, right)
            return fitted(combined(operator, one, other, max(one.digits, other.digits) + 1), type_)


def _quotient(left: Operand, right: Operand, type_: pa.DataType) -> Operand:
    """A long division, digit by digit, so that only the quotient has to fit into 64 bits."""
    scale = digits(type_)[1]
    places = scale + right.scale - left.scale
    if places < 0:
        raise Unsupported("a decimal with very many places is divided")
    arguments = f"({left.value}, {right.value}, {places})"
    null = either(left.null, right.null, f"{right.value} == 0")
    beyond = either(left.beyond, right.beyond, f"quotient_fails{arguments}")
    return Operand(f"quotient{arguments}", null, SCALED, scale, beyond=beyond)


def _remainder(left: Operand, right: Operand, type_: pa.DataType) -> Operand:
    one, other = on_one_scale(left, right)
    null = either(one.null, other.null, f"{right.value} == 0")
    beyond = either(one.beyond, other.beyond)
    value = f"remainder({one.value}, {other.value})"
    rest = Operand(value, null, SCALED, one.scale, min(one.digits, other.digits), beyond)
    return fitted(rest, type_)


def _signed(operand: Operand, function: str, sign: str) -> Operand:
    """`-x` and `abs(x)`; the least number of 64 bits has no opposite in them."""
    if operand.digits <= NARROW:
        return replace(operand, value=f"({sign}({operand.value}))")
    least = f"{operand.value} == {number(-(2**63))}"
    value = f"{function}({operand.value})"
    return replace(operand, value=value, beyond=either(operand.beyond, least))


def _cast(translator: Translator, operand: Expression, target: pa.DataType) -> Operand:
    if kind_of(translator.type(operand)) not in {Kind.INTEGER, Kind.DECIMAL}:
        raise Unsupported("a value of several events is cast to a decimal")
    return fitted(translator.wide(operand, SCALED), target)


def _absolute(translator: Translator, node: Call) -> Operand:
    return _signed(translator.wide(node.arguments[0], SCALED), "absolute", "abs")


def _floor(translator: Translator, node: Call) -> Operand:
    return _whole(translator, node, "whole_below")


def _ceil(translator: Translator, node: Call) -> Operand:
    return _whole(translator, node, "whole_above")


def _whole(translator: Translator, node: Call, function: str) -> Operand:
    operand = translator.wide(node.arguments[0], SCALED)
    value = f"{function}({operand.value}, {power_of_ten(operand.scale)})"
    whole = replace(operand, value=value, scale=0, digits=operand.digits - operand.scale + 1)
    return fitted(whole, translator.type(node))


def _round(translator: Translator, node: Call) -> Operand:
    """To a number of places that is constant; negative ones are left to Python."""
    places = constant(node.arguments[1]) if len(node.arguments) > 1 else 0
    if not is_constant(node.arguments[-1]) and len(node.arguments) > 1:
        raise Unsupported("a number of places that is not constant")
    if not isinstance(places, int) or places < 0:
        raise Unsupported("a decimal is rounded in front of the point")
    return fitted(translator.wide(node.arguments[0], SCALED), translator.type(node))


def _modulo(translator: Translator, node: Call) -> Operand:
    left, right = node.arguments
    return _arithmetic(translator, Arithmetic("%", left, right, node.span))


_FUNCTIONS: dict[str, Callable[[Translator, Call], Operand]] = {
    "abs": _absolute,
    "floor": _floor,
    "ceil": _ceil,
    "ceiling": _ceil,
    "round": _round,
    "mod": _modulo,
}
