"""Expressions that read no event: they are evaluated when the text is written."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

from kleene.errors import UnknownFunctionError
from kleene.language.expressions import Aggregate, Attribute, Expression, Type
from kleene.language.traversal import walk
from kleene.logical.arithmetic import EXACT, in_64_bits
from kleene.logical.moments import MICROSECOND, micros
from kleene.logical.values import evaluate
from kleene.program.columns import Columns
from kleene.program.kinds import ColumnKind, Unsupported
from kleene.program.text import FALSE, Operand, absent, number


def is_constant(node: Expression) -> bool:
    """Whether an expression has the same value for all events."""
    return not any(isinstance(below, Attribute | Aggregate) for below in walk(node))


def constant(node: Expression) -> object:
    """The value of an expression that reads no event."""

    def leaf(found: object) -> object:
        raise AssertionError(found)

    try:
        return evaluate(node, leaf, leaf)
    except UnknownFunctionError as error:
        raise Unsupported(str(error)) from None


def constant_operand(node: Expression, type_: Type, kind: ColumnKind, columns: Columns) -> Operand:
    """The value as a number in the text, or as the rank that it has among the values."""
    value = constant(node)
    if value is None:
        return absent(kind)
    match kind:
        case ColumnKind.CODE:
            return Operand(f"lit[{columns.literal(value, type_)}]", FALSE, kind)
        case ColumnKind.FLOAT:
            exact = value if isinstance(value, float | Decimal) else as_int(value)
            return Operand(number(float(exact)), FALSE, kind)
        case ColumnKind.SCALED:
            assert isinstance(value, int | Decimal)
            return _scaled(Decimal(value))
        case ColumnKind.INT:
            return Operand(number(as_int(value)), FALSE, kind)


def _scaled(value: Decimal) -> Operand:
    places = max(-int(value.as_tuple().exponent), 0)
    units = int(value.scaleb(places, EXACT))
    if in_64_bits(units) is None:
        raise Unsupported("a constant is beyond 64 bits")
    return Operand(number(units), FALSE, ColumnKind.SCALED, places, len(str(abs(units))))


def as_int(value: object) -> int:
    """A value of an INT column."""
    match value:
        case dt.date():
            return micros(value)
        case dt.timedelta():
            return value // MICROSECOND
        case _:
            assert isinstance(value, int)
            return int(value)
