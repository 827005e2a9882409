"""Simple expressions on one row for all rows at once: comparisons, logic, arithmetic.

What is not here, or not certain to give the value of `logical.values.evaluate`, is None.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kleene.language.expressions import (
    Arithmetic,
    Attribute,
    Comparison,
    Conjunction,
    Disjunction,
    Expression,
    Inversion,
    Membership,
    NullTest,
    Range,
)
from kleene.language.kinds import MOMENTS, Kind, kind_of
from kleene.language.traversal import walk
from kleene.language.types import type_of
from kleene.logical.moments import micros
from kleene.logical.values import evaluate
from kleene.program.kinds import ColumnKind, code_group, compared_kind, is_unsigned
from kleene.program.support import DAY
from kleene.runtime.codes import native_type
from kleene.runtime.numbers import floats, ints, nulls

if TYPE_CHECKING:
    from kleene.runtime.rows import Rows

_COMPARISONS = {
    "=": pc.equal,
    "!=": pc.not_equal,
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
}
_NUMBERS = frozenset({Kind.INTEGER, Kind.FLOAT, Kind.DECIMAL})
_SAFE = 2.0**62
_FIRST = micros(dt.date.min) + 2 * DAY
_LAST = micros(dt.date.max) - 2 * DAY


def vector(node: Expression, rows: Rows) -> pa.Array | None:
    """The values of an expression, if it is simple."""
    match node:
        case _ if not any(isinstance(below, Attribute) for below in walk(node)):
            return _constant(node, len(rows))
        case NullTest(operand=Attribute(path=())):
            return pa.repeat(pa.scalar(node.negated), len(rows))
        case NullTest():
            found = pc.is_null(rows.array(node.operand))
            return pc.invert(found) if node.negated else found
        case Comparison() if "<=>" not in node.operators:
            links = zip(node.operands, node.operators, node.operands[1:], strict=False)
            return _all(_compared(left, sign, right, rows) for left, sign, right in links)
        case Range():
            ends = ((node.low, node.operand), (node.operand, node.high))
            return _inverted(_all(_compared(x, "<=", y, rows) for x, y in ends), node.negated)
        case Membership():
            found = _any(_compared(node.operand, "=", item, rows) for item in node.items)
            return _inverted(found, node.negated)
        case Conjunction():
            return _all(_truth(operand, rows) for operand in node.operands)
        case Disjunction():
            return _any(_truth(operand, rows) for operand in node.operands)
        case Inversion():
            return _inverted(_truth(node.operand, rows), negated=True)
        case Arithmetic():
            return _arithmetic(node, rows)
        case _:
            return None


def _constant(node: Expression, count: int) -> pa.Array:
    def leaf(found: object) -> object:
        raise AssertionError(found)

    return pa.repeat(pa.scalar(evaluate(node, leaf, leaf), type_of(node)), count)


def _truth(node: Expression, rows: Rows) -> pa.Array:
    return rows.array(node).cast(pa.bool_())


def _all(truths: Iterable[pa.Array | None]) -> pa.Array | None:
    return reduce(lambda x, y: None if x is None or y is None else pc.and_kleene(x, y), truths)


def _any(truths: Iterable[pa.Array | None]) -> pa.Array | None:
    return reduce(lambda x, y: None if x is None or y is None else pc.or_kleene(x, y), truths)


def _inverted(truth: pa.Array | None, negated: bool) -> pa.Array | None:  # noqa: FBT001
    return pc.invert(truth) if negated and truth is not None else truth


def _compared(left: Expression, sign: str, right: Expression, rows: Rows) -> pa.Array | None:
    types = (type_of(left), type_of(right))
    if Kind.UNKNOWN in map(kind_of, types):
        return None
    kind = compared_kind(*types)
    one, other = rows.array(left), rows.array(right)
    if kind is ColumnKind.CODE:
        type_ = native_type((one, other), code_group(types[0]))
        if type_ is None or Kind.NULL in map(kind_of, types):
            return None
        return _COMPARISONS[sign](one.cast(type_), other.cast(type_))
    absent = (nulls(one) | nulls(other)).astype(bool)
    if kind is ColumnKind.INT:
        return pa.array(_ordered(sign, ints(one), ints(other)), mask=absent)
    return pa.array(_ordered_floats(sign, floats(one), floats(other)), mask=absent)


def _ordered(sign: str, left: Any, right: Any) -> npt.NDArray[np.bool_]:
    compare = {"=": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal}
    compare |= {">": np.greater, ">=": np.greater_equal}
    found: npt.NDArray[np.bool_] = compare[sign](left, right)
    return found


def _ordered_floats(
    sign: str, left: npt.NDArray[np.float64], right: npt.NDArray[np.float64]
) -> npt.NDArray[np.bool_]:
    """NaN is equal to itself and greater than all others, so first it is asked for."""
    one, other = np.isnan(left), np.isnan(right)
    return np.where(one | other, _ordered(sign, one, other), _ordered(sign, left, right))


def _arithmetic(node: Arithmetic, rows: Rows) -> pa.Array | None:
    types = (type_of(node.left), type_of(node.right), type_of(node))
    if node.operator not in {"+", "-", "*", "/"} or any(map(is_unsigned, types)):
        return None
    kinds = tuple(map(kind_of, types))
    exact = _is_exact(node.operator, *kinds)
    if not exact and not (set(kinds) <= _NUMBERS and kinds[2] is Kind.FLOAT):
        return None
    left, right = rows.array(node.left), rows.array(node.right)
    absent = (nulls(left) | nulls(right)).astype(bool)
    if exact:
        return _wholes(node.operator, ints(left), ints(right), absent, types[2])
    return _floats(node.operator, floats(left), floats(right), absent)


def _is_exact(operator: str, left: Kind, right: Kind, result: Kind) -> bool:
    """Whether it is arithmetic of the numbers in INT columns; days are no microseconds."""
    kinds = {left, right}
    match operator:
        case "*":
            return kinds in ({Kind.INTEGER}, {Kind.INTEGER, Kind.DURATION})
        case "+" | "-":
            return kinds == {result} == {Kind.INTEGER} or kinds <= MOMENTS | {Kind.DURATION}
        case _:
            return False


def _wholes(
    operator: str,
    left: npt.NDArray[np.int64],
    right: npt.NDArray[np.int64],
    absent: npt.NDArray[np.bool_],
    type_: pa.DataType,
) -> pa.Array | None:
    """Sums and products, unless one may be beyond 64 bits."""
    operate: Any = {"+": np.add, "-": np.subtract, "*": np.multiply}[operator]
    near = np.abs(operate(left.astype(np.float64), right.astype(np.float64))) >= _SAFE
    if (near & ~absent).any():
        return None
    found = operate(np.where(absent, 0, left), np.where(absent, 0, right))
    if kind_of(type_) is Kind.TIMESTAMP and not _is_safe(found):
        return None
    return pa.array(found, mask=absent).cast(type_)


def _is_safe(moments: npt.NDArray[np.int64]) -> bool:
    """Whether all moments are within the years of Python's clocks, wherever these stand."""
    return bool(((moments > _FIRST) & (moments < _LAST)).all())


def _floats(
    operator: str,
    left: npt.NDArray[np.float64],
    right: npt.NDArray[np.float64],
    absent: npt.NDArray[np.bool_],
) -> pa.Array:
    operate: Any = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}[operator]
    with np.errstate(all="ignore"):
        found = operate(left, right)
    return pa.array(found, mask=absent | (right == 0) if operator == "/" else absent)
