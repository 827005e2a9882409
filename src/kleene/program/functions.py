"""Functions of several events: those that choose or need one machine operation.

Not those whose last digit depends on a library: compiled, `pow(x, 2.0)` is a product, and no
longer what Python's `math.pow` gives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial, reduce
from typing import TYPE_CHECKING

import pyarrow as pa

from kleene.language.casting import cast_target
from kleene.language.expressions import Arithmetic, Call, Cast, Expression
from kleene.language.functions import CASTS
from kleene.language.kinds import NUMBERS, Kind, kind_of
from kleene.program.calculations import absolute, arithmetic
from kleene.program.choices import alternatives, chosen
from kleene.program.comparisons import equals
from kleene.program.kinds import ColumnKind, Unsupported
from kleene.program.rescale import truncated
from kleene.program.text import (
    FALSE,
    TRUE,
    Operand,
    both,
    choice,
    either,
    merged,
    negation,
)

if TYPE_CHECKING:
    from kleene.program.conditions import Translator

INT, FLOAT = ColumnKind.INT, ColumnKind.FLOAT
_Function = Callable[["Translator", Call, ColumnKind], Operand]


def call(translator: Translator, node: Call, kind: ColumnKind) -> Operand:
    """A call whose arguments read several events."""
    if node.name in CASTS:
        return _cast(translator, node.arguments[0], CASTS[node.name], kind)
    if node.name not in _FUNCTIONS:
        raise Unsupported(f"{node.name} is not compiled for arguments of several events")
    return _FUNCTIONS[node.name](translator, node, kind)


def cast(translator: Translator, node: Cast) -> Operand:
    """CAST between numbers."""
    target = cast_target(node.target, node.span)
    return _cast(translator, node.operand, target, INT)


def _cast(
    translator: Translator, operand: Expression, target: pa.DataType, _: ColumnKind
) -> Operand:
    source = kind_of(translator.type(operand))
    if target == pa.float64() and source in NUMBERS:
        return translator.wide(operand, FLOAT)
    if kind_of(target) is Kind.INTEGER and source is Kind.DECIMAL:
        return truncated(translator.wide(operand, ColumnKind.SCALED), target.bit_width)
    if target == pa.int64() and source is Kind.INTEGER:
        return translator.operand(operand, INT)
    raise Unsupported(f"a value of several events is cast to {target}")


def _coalesce(translator: Translator, node: Call, kind: ColumnKind) -> Operand:
    *values, last = alternatives(translator, node.arguments, translator.type(node), kind)
    value = last.value
    for earlier in reversed(values):
        value = choice(negation(earlier.null), earlier.value, value)
    return merged((*values, last), value, both(*(found.null for found in (*values, last))))


def _if(translator: Translator, node: Call, kind: ColumnKind) -> Operand:
    condition, *results = node.arguments
    then, otherwise = alternatives(translator, results, translator.type(node), kind)
    return chosen(translator.is_true(condition), then, otherwise)


def _nvl2(translator: Translator, node: Call, kind: ColumnKind) -> Operand:
    tested, *results = node.arguments
    then, otherwise = alternatives(translator, results, translator.type(node), kind)
    return chosen(translator.null(tested), otherwise, then)


def _nullif(translator: Translator, node: Call, kind: ColumnKind) -> Operand:
    value, other = node.arguments
    (kept,) = alternatives(translator, (value,), translator.type(node), kind)
    return replace(kept, null=either(kept.null, equals(translator, value, other)))


def _extreme(translator: Translator, node: Call, kind: ColumnKind, *, function: str) -> Operand:
    """Greatest and least pass over nulls."""
    prefix = "float_" if kind is FLOAT else ""

    def best(one: Operand, other: Operand) -> Operand:
        if TRUE in (one.null, other.null):
            return other if one.null == TRUE else one
        value = f"{prefix}{function}({one.value}, {one.null}, {other.value}, {other.null})"
        return merged((one, other), value, both(one.null, other.null))

    values = alternatives(translator, node.arguments, translator.type(node), kind)
    return reduce(best, values)


def _null_test(translator: Translator, node: Call, kind: ColumnKind, *, negated: bool) -> Operand:
    null = translator.null(node.arguments[0])
    return Operand(choice(negation(null) if negated else null, "1", "0"), FALSE, kind)


def _is_nan(translator: Translator, node: Call, kind: ColumnKind) -> Operand:
    (argument,) = node.arguments
    if kind_of(translator.type(argument)) is not Kind.FLOAT:
        return Operand("0", FALSE, kind)
    operand = translator.operand(argument)
    found = both(f"float_equal({operand.value}, NAN)", negation(operand.null))
    return Operand(choice(found, "1", "0"), FALSE, kind)


def _of_float(translator: Translator, node: Call, _: ColumnKind, *, function: str) -> Operand:
    """A function from floats to floats."""
    operand = translator.operand(node.arguments[0], FLOAT)
    return Operand(f"{function}({operand.value})", operand.null, FLOAT)


def _whole(translator: Translator, node: Call, _: ColumnKind, *, function: str) -> Operand:
    """Floor and ceil: whole numbers stay what they are."""
    operand = translator.operand(node.arguments[0])
    match operand.kind:
        case ColumnKind.INT:
            return operand
        case ColumnKind.FLOAT:
            value, null = f"{function}({operand.value})", f"too_large({operand.value})"
            return Operand(value, either(operand.null, null), INT)
        case ColumnKind.CODE | ColumnKind.SCALED:
            raise Unsupported("whole numbers beyond 64 bits are not computed with")


def _absolute(translator: Translator, node: Call, _: ColumnKind) -> Operand:
    return absolute(translator.operand(node.arguments[0]))


def _remainder(translator: Translator, node: Call, _: ColumnKind) -> Operand:
    left, right = node.arguments
    return arithmetic(translator, Arithmetic("%", left, right, node.span))


_FUNCTIONS: dict[str, _Function] = {
    "abs": _absolute,
    "mod": _remainder,
    "sign": partial(_of_float, function="sign"),
    "signum": partial(_of_float, function="sign"),
    "sqrt": partial(_of_float, function="square_root"),
    "floor": partial(_whole, function="floor"),
    "ceil": partial(_whole, function="ceiling"),
    "ceiling": partial(_whole, function="ceiling"),
    "coalesce": _coalesce,
    "ifnull": _coalesce,
    "nvl": _coalesce,
    "nvl2": _nvl2,
    "if": _if,
    "nullif": _nullif,
    "greatest": partial(_extreme, function="larger"),
    "least": partial(_extreme, function="smaller"),
    "isnull": partial(_null_test, negated=False),
    "isnotnull": partial(_null_test, negated=True),
    "isnan": _is_nan,
}
