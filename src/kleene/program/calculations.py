"""Arithmetic between events: whole numbers of 64 bits, floats, moments and durations.

Decimals are computed in `decimals`.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pyarrow as pa

from kleene.language.expressions import Arithmetic, Expression, Negative
from kleene.language.kinds import MOMENTS, NUMBERS, Kind, kind_of, zone_of
from kleene.language.traversal import walk
from kleene.logical.moments import MICROSECOND, micros
from kleene.program.kinds import ColumnKind, Unsupported, natural_kind
from kleene.program.rescale import whole_quotient
from kleene.program.text import FALSE, TRUE, Operand, absent, either, number

if TYPE_CHECKING:
    from kleene.program.conditions import Translator

INT, FLOAT = ColumnKind.INT, ColumnKind.FLOAT
_CHECKED = {"+": "add", "-": "subtract", "*": "multiply"}
_DAY = dt.timedelta(days=1)
_LEAST = -(2**63)


def converted(operand: Operand) -> Operand:
    """A whole number as a float."""
    return Operand(f"float({operand.value})", operand.null, FLOAT, beyond=operand.beyond)


def negated(translator: Translator, node: Negative) -> Operand:
    """`-x`, which the least whole number has none of."""
    return _opposite(translator.operand(node.operand), "negative", "-")


def absolute(operand: Operand) -> Operand:
    """`abs(x)`, likewise."""
    return _opposite(operand, "absolute", "abs")


def _opposite(operand: Operand, function: str, of_float: str) -> Operand:
    match operand.kind:
        case ColumnKind.FLOAT if of_float == "-":
            return Operand(f"(-{operand.value})", operand.null, FLOAT)
        case ColumnKind.FLOAT:
            return Operand(f"{of_float}({operand.value})", operand.null, FLOAT)
        case ColumnKind.INT:
            overflow = f"{operand.value} == {number(_LEAST)}"
            return Operand(f"{function}({operand.value})", either(operand.null, overflow), INT)
        case ColumnKind.CODE | ColumnKind.SCALED:
            raise Unsupported("whole numbers beyond 64 bits are not computed with")


def arithmetic(translator: Translator, node: Arithmetic) -> Operand:
    """`left operator right`, by the types of the operands."""
    kinds = [kind_of(translator.type(side)) for side in (node.left, node.right)]
    result = natural_kind(translator.type(node))
    if node.operator == "div" and Kind.DECIMAL in kinds:
        return whole_quotient(
            *(translator.wide(s, ColumnKind.SCALED) for s in (node.left, node.right))
        )
    if result is ColumnKind.CODE or (Kind.DECIMAL in kinds and FLOAT is not result):
        raise Unsupported(f"{node.operator} is not compiled for what it makes of several events")
    if Kind.NULL in kinds:
        return absent(result)
    if result is FLOAT:
        return _floats(node.operator, *_operands(translator, node, FLOAT))
    left, right = _operands(translator, node, None)
    if kinds[0] in NUMBERS and kinds[1] in NUMBERS:
        return _wholes(node.operator, left, right)
    return _temporal(translator, node, left, right)


def _operands(
    translator: Translator, node: Arithmetic, kind: ColumnKind | None
) -> tuple[Operand, Operand]:
    """The operands; a duration divided by a duration is a division of two numbers as well."""
    found = translator.operand if kind is None else translator.wide
    left, right = (found(side, kind) for side in (node.left, node.right))
    if ColumnKind.CODE in (left.kind, right.kind):
        raise Unsupported("whole numbers beyond 64 bits are not computed with")
    return left, right


def _wholes(operator: str, left: Operand, right: Operand) -> Operand:
    match operator:
        case "+" | "-" | "*":
            return _called(_CHECKED[operator], left, right, f"{_CHECKED[operator]}_overflows")
        case "div":
            return _called("divide", left, right, "divide_fails")
        case _:
            value = f"remainder({left.value}, {right.value})"
            return Operand(value, either(left.null, right.null, _is_zero(right)), INT)


def _called(function: str, left: Operand, right: Operand, fails: str) -> Operand:
    """A function of two whole numbers, and the one that says where it has no result."""
    arguments = f"({left.value}, {right.value})"
    return Operand(function + arguments, either(left.null, right.null, fails + arguments), INT)


def _floats(operator: str, left: Operand, right: Operand) -> Operand:
    null, beyond = either(left.null, right.null), either(left.beyond, right.beyond)
    match operator:
        case "+" | "-" | "*":
            value = f"({left.value} {operator} {right.value})"
            return Operand(value, null, FLOAT, beyond=beyond)
        case _:
            function = "float_divide" if operator == "/" else "float_remainder"
            value = f"{function}({left.value}, {right.value})"
            return Operand(value, either(null, _is_zero(right)), FLOAT, beyond=beyond)


def _is_zero(operand: Operand) -> str:
    zero = "0.0" if operand.kind is FLOAT else "0"
    try:
        return TRUE if float(operand.value.strip("()")) == 0 else FALSE
    except ValueError:
        return f"{operand.value} == {zero}"


def _temporal(translator: Translator, node: Arithmetic, left: Operand, right: Operand) -> Operand:
    one, other = (kind_of(translator.type(side)) for side in (node.left, node.right))
    match node.operator:
        case "*" | "/":
            return _scaled(node.operator, left, right)
        case "-" if one in MOMENTS and other in MOMENTS:
            return _called("subtract", left, right, "subtract_overflows")
        case operator if one is Kind.DURATION and other is Kind.DURATION:
            return _called(_CHECKED[operator], left, right, f"{_CHECKED[operator]}_overflows")
        case "+" if other in MOMENTS:
            return _moved(translator, node.right, right, "+", left, one)
        case operator:
            return _moved(translator, node.left, left, operator, right, other)


def _scaled(operator: str, left: Operand, right: Operand) -> Operand:
    """A duration times or over a number, rounded half away from zero."""
    if FLOAT in (left.kind, right.kind):
        sides = (side if side.kind is FLOAT else converted(side) for side in (left, right))
        exact = _floats(operator, *sides)
        null = either(exact.null, f"no_length({exact.value})")
        return Operand(f"round_half_up({exact.value})", null, INT)
    if operator == "*":
        return _called("multiply", left, right, "multiply_overflows")
    return _called("divide_half_up", left, right, "divide_fails")


def _moved(  # noqa: PLR0913, PLR0917 - both sides, each as expression and as text
    translator: Translator,
    node: Expression,
    moment: Operand,
    operator: str,
    by: Operand,
    kind: Kind,
) -> Operand:
    """A date some days on, or a moment a duration on; null beyond the years that Python has."""
    if kind is Kind.INTEGER:
        return _days_on(moment, operator, by)
    low, high = _bounds(translator, node)
    moved = _called(_CHECKED[operator], moment, by, f"{_CHECKED[operator]}_overflows")
    return Operand(moved.value, either(moved.null, _outside(moved.value, low, high)), INT)


def _days_on(moment: Operand, operator: str, by: Operand) -> Operand:
    days = by.value if operator == "+" else f"negative({by.value})"
    value = f"move_days({moment.value}, {days})"
    low, high = micros(dt.date.min), micros(dt.date.max)
    null = either(moment.null, by.null, f"too_many_days({by.value})", _outside(value, low, high))
    return Operand(value, null, INT)


def _outside(value: str, low: int, high: int) -> str:
    return f"outside({value}, {number(low)}, {number(high)})"


def _bounds(translator: Translator, node: Expression) -> tuple[int, int]:
    """The first and last moment in the zone of a timestamp: its clock must show a year of Python's.

    Where a timestamp may be of one zone or another, only its value tells.
    """
    zones = {
        _zone_bounds(zone_of(type_))
        for below in walk(node)
        if kind_of(type_ := translator.type(below)) in MOMENTS
    }
    if len(zones) > 1:
        raise Unsupported("a timestamp of one zone or another is moved")
    return zones.pop()


def _zone_bounds(zone: str | None) -> tuple[int, int]:
    low, high = micros(dt.datetime.min), micros(dt.datetime.max)  # noqa: DTZ901 - in UTC, see micros
    if zone is None:
        return low, high
    clock = pa.scalar(0, pa.timestamp("us", zone)).as_py().tzinfo
    first, last = (
        clock.utcoffset(point.replace(tzinfo=None))
        for point in (dt.datetime.min + _DAY, dt.datetime.max - _DAY)  # noqa: DTZ901
    )
    zero = dt.timedelta(0)
    return low - min(first, zero) // MICROSECOND, high - max(last, zero) // MICROSECOND
