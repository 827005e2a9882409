"""Decimals of one scale and of another: counts of units of 10^-scale, in 64 bits.

Where a type has at most NARROW digits nothing can overflow, so nothing is tested.
"""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from kleene.language.decimals import digits
from kleene.logical.moments import LARGEST
from kleene.program.kinds import ColumnKind, Unsupported
from kleene.program.text import Operand, either, number

NARROW = 18
"""So many digits surely fit into 64 bits."""
_EXACT_DIGITS = 15
_EXACT_PLACES = 22
"""Whole numbers of so many digits, and powers of ten up to that, are exact as floats."""
_CHECKED = {"+": "add", "-": "subtract", "*": "multiply"}
SCALED = ColumnKind.SCALED


def power_of_ten(exponent: int) -> int:
    """10^exponent, if 64 bits hold it."""
    if exponent > NARROW:
        raise Unsupported("decimals whose scales are too far apart")
    return int(10**exponent)


def combined(operator: str, left: Operand, right: Operand, most: int) -> Operand:
    """A sum, difference or product that has so many digits at most, of operands of fit scales."""
    null, beyond = either(left.null, right.null), either(left.beyond, right.beyond)
    scale = left.scale + right.scale if operator == "*" else left.scale
    if most <= NARROW:
        value = f"({left.value} {operator} {right.value})"
        return Operand(value, null, SCALED, scale, most, beyond)
    name, arguments = _CHECKED[operator], f"({left.value}, {right.value})"
    beyond = either(beyond, f"{name}_overflows{arguments}")
    return Operand(name + arguments, null, SCALED, scale, beyond=beyond)


def raised(operand: Operand, scale: int) -> Operand:
    """The same number in smaller units."""
    if operand.scale == scale:
        return operand
    places = scale - operand.scale
    unit = Operand(number(power_of_ten(places)), "False", SCALED, places, places + 1)
    return combined("*", operand, unit, operand.digits + places)


def on_one_scale(left: Operand, right: Operand) -> tuple[Operand, Operand]:
    """Two numbers in the smaller of their units."""
    scale = max(left.scale, right.scale)
    return raised(left, scale), raised(right, scale)


def fitted(operand: Operand, type_: pa.DataType) -> Operand:
    """A number as a decimal type carries it: rounded, and null where it has too many digits."""
    most, scale = digits(type_)
    if operand.scale <= scale:
        found = raised(operand, scale)
    else:
        lost = operand.scale - scale
        value = f"divide_half_up({operand.value}, {power_of_ten(lost)})"
        found = replace(operand, value=value, scale=scale, digits=operand.digits - lost + 1)
    if found.digits <= most or most > NARROW:
        return found
    bound = 10**most - 1
    outside = f"outside({found.value}, {number(-bound)}, {number(bound)})"
    return replace(found, null=either(found.null, outside), digits=most)


def aligned(left: Operand, right: Operand, sign: str) -> tuple[Operand, str, Operand]:
    """What compares like two numbers, whatever their units."""
    places = abs(left.scale - right.scale)
    lower = left if left.scale < right.scale else right
    if not places or lower.digits + places <= NARROW:
        one, other = on_one_scale(left, right)
        return one, sign, other
    unit = power_of_ten(places)
    if lower is left:
        order = f"order_raised({left.value}, {unit}, {right.value})"
    else:
        order = f"(-order_raised({right.value}, {unit}, {left.value}))"
    return replace(left, value=order), sign, replace(right, value="0")


def as_float(operand: Operand) -> Operand:
    """The float next to a decimal: a division of exact numbers is exactly rounded."""
    value, beyond = f"float({operand.value})", operand.beyond
    if operand.scale:
        if operand.scale > _EXACT_PLACES:
            raise Unsupported("a decimal with very many places becomes a float")
        value = f"({value} / {10.0**operand.scale!r})"
        if operand.digits > _EXACT_DIGITS:
            bound = 2**53
            inexact = f"outside({operand.value}, {number(-bound)}, {number(bound)})"
            beyond = either(beyond, inexact)
    return Operand(value, operand.null, ColumnKind.FLOAT, beyond=beyond)


def truncated(operand: Operand, bits: int) -> Operand:
    """A cast to whole numbers, towards zero; null where they do not hold it."""
    unit = power_of_ten(operand.scale)
    value = f"divide({operand.value}, {unit})"
    null = operand.null
    if 2 ** (bits - 1) - 1 < LARGEST:
        bound = 2 ** (bits - 1)
        null = either(null, f"outside({value}, {number(-bound)}, {number(bound - 1)})")
    return Operand(value, null, ColumnKind.INT, beyond=operand.beyond)


def whole_quotient(left: Operand, right: Operand) -> Operand:
    """`div`: towards zero, null where 64 bits do not hold it."""
    one, other = on_one_scale(left, right)
    arguments = f"({one.value}, {other.value})"
    null = either(one.null, other.null, f"divide_fails{arguments}")
    beyond = either(one.beyond, other.beyond)
    return Operand(f"divide{arguments}", null, ColumnKind.INT, beyond=beyond)
