"""The three kinds of numbers that a kernel computes with, and what each type of value becomes."""

from __future__ import annotations

from enum import StrEnum

import pyarrow as pa

from kleene.language.decimals import digits
from kleene.language.expressions import Type
from kleene.language.kinds import NUMBERS, Kind, describe, kind_of, plain


class Unsupported(Exception):  # noqa: N818 - a signal: another evaluation can do it
    """A condition that kernels do not compute; the caller evaluates the query in another way."""


class ColumnKind(StrEnum):
    """How the values of an expression are kept as numbers.

    - INT (int64): whole numbers; booleans as 0 and 1; dates, timestamps, durations in microseconds.
    - FLOAT (float64): floats, and whatever number is compared or computed with them.
    - SCALED (int64): decimals that are computed with, counted in units of their last place.
    - CODE (int64): the rank among all values of a *group* of expressions, in the order of values,
      for what is compared but not computed with: strings, decimals, structs, ….
    """

    INT = "int"
    FLOAT = "float"
    SCALED = "scaled"
    CODE = "code"


_INTS = frozenset({Kind.BOOLEAN, Kind.INTEGER, Kind.DATE, Kind.TIMESTAMP, Kind.DURATION, Kind.NULL})
_CODES = frozenset({Kind.STRING, Kind.BINARY, Kind.DECIMAL, Kind.TIME, Kind.LIST, Kind.STRUCT})


def natural_kind(type_: Type) -> ColumnKind:
    """The kind in which values of a type lose nothing.

    >>> natural_kind(pa.int32()), natural_kind(pa.float32()), natural_kind(pa.decimal128(9, 2))
    (<ColumnKind.INT: 'int'>, <ColumnKind.FLOAT: 'float'>, <ColumnKind.CODE: 'code'>)
    """
    kind = kind_of(type_)
    if kind is Kind.FLOAT:
        return ColumnKind.FLOAT
    if kind in _CODES or is_unsigned(type_):
        return ColumnKind.CODE
    if kind in _INTS:
        return ColumnKind.INT
    raise Unsupported(f"kernels have no column for {describe(type_)}")


def compared_kind(left: Type, right: Type) -> ColumnKind:
    """The kind in which values of two types compare as they do in `logical.ordering.compare`."""
    kinds = [natural_kind(side) for side in (left, right) if kind_of(side) is not Kind.NULL]
    for kind in (ColumnKind.FLOAT, ColumnKind.CODE):
        if kind in kinds:
            return kind
    return ColumnKind.INT


def code_group(type_: Type) -> str:
    """A name that types have in common whose values are ranked together.

    Whole numbers and decimals are one group. Within arrays and structs nothing is cast, so there
    every kind is a group of its own (`language.kinds.comparable`).
    """
    kind = kind_of(type_)
    if kind in NUMBERS and kind is not Kind.FLOAT:
        return "number"
    return _nested_group(type_)


def _nested_group(type_: Type) -> str:
    kind, values = kind_of(type_), plain(type_)
    match kind:
        case Kind.LIST:
            return f"list({_nested_group(values.value_type)})"
        case Kind.STRUCT:
            inner = (f"{f.name!r}: {_nested_group(f.type)}" for f in values)
            return f"struct({', '.join(inner)})"
        case Kind.MAP | Kind.OTHER | Kind.UNKNOWN:
            raise Unsupported(f"kernels have no column for {describe(type_)}")
        case _:
            return kind.value


def keeps_values(source: Type, target: Type) -> bool:
    """Whether every value of a branch is the same number in the common type of all branches."""
    if kind_of(target) is not Kind.DECIMAL or kind_of(source) is Kind.NULL:
        return True
    (precision, scale), (most, places) = digits(source), digits(target)
    return places >= scale and most - places >= precision - scale


def is_unsigned(type_: Type) -> bool:
    """Whether whole numbers of the type need not fit into 64 bits with a sign."""
    return bool(pa.types.is_uint64(plain(type_) or pa.null()))
