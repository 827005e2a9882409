"""The syntax tree of conditions and returned expressions.

Nodes are immutable; the span of the text that they came from does not take part in comparison.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import TypeAlias

import pyarrow as pa

from kleene.errors import NOWHERE, Span


def place() -> Span:
    """The field of a node that says where in the text it stood."""
    span: Span = field(default=NOWHERE, compare=False, repr=False)
    return span


@dataclass(frozen=True, slots=True, order=True)
class Duration:
    """A length of time, in microseconds: the resolution of Spark's timestamps."""

    microseconds: int


Type: TypeAlias = pa.DataType | None
"""Arrow's types are Kleene's; None is a type that only Spark knows."""

Constant = bool | int | Decimal | float | str | bytes | dt.date | dt.datetime | Duration | None


@dataclass(frozen=True, slots=True)
class Literal:
    """`3`, `0.95` (or `95%`), `'x'`, `TRUE`, `NULL`, `10 minutes`, `DATE '2024-01-01'`."""

    value: Constant
    span: Span = place()

    def __eq__(self, other: object) -> bool:
        """Equal only within one kind: `1`, `1.0` and `TRUE` are three different literals."""
        return isinstance(other, Literal) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> tuple[type, str]:
        return type(self.value), repr(self.value)


class IndexKind(StrEnum):
    """How an index picks elements of a Kleene variable (semantics 2, Kleene variables)."""

    EACH = "i"
    PREVIOUS = "i-1"
    FIRST = "1"
    BEFORE = "..i-1"
    UP_TO = "..i"
    ALL = ""


@dataclass(frozen=True, slots=True)
class Index:
    """One pair of brackets behind a variable: `[i]`, `[i-1]`, `[1]`, `[..i-1]`, `[..i]`, `[]`."""

    kind: IndexKind
    span: Span = place()


@dataclass(frozen=True, slots=True)
class Reference:
    """`a.price`, `b[i].price`, `max(b[..i-1].price)`'s argument, a whole event `a`, or a column."""

    variable: str
    indices: tuple[Index, ...] = ()
    path: tuple[str, ...] = ()
    span: Span = place()


@dataclass(frozen=True, slots=True)
class Subscript:
    """An element of an array or map attribute: `a.tags[0]`."""

    operand: Expression
    index: Expression
    span: Span = place()


@dataclass(frozen=True, slots=True)
class Negative:
    """`-x`."""

    operand: Expression
    span: Span = place()


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`left operator right` for `+ - * / % div ||`."""

    operator: str
    left: Expression
    right: Expression
    span: Span = place()


@dataclass(frozen=True, slots=True)
class Comparison:
    """A chain: `a = b = c` means `a = b AND b = c`. Operators: `= != < <= > >= <=>`."""

    operands: tuple[Expression, ...]
    operators: tuple[str, ...]
    span: Span = place()


@dataclass(frozen=True, slots=True)
class Conjunction:
    """`x AND y AND …`."""

    operands: tuple[Expression, ...]
    span: Span = place()


@dataclass(frozen=True, slots=True)
class Disjunction:
    """`x OR y OR …`."""

    operands: tuple[Expression, ...]
    span: Span = place()


@dataclass(frozen=True, slots=True)
class Inversion:
    """`NOT x`."""

    operand: Expression
    span: Span = place()


@dataclass(frozen=True, slots=True)
class Membership:
    """`x [NOT] IN (…)`."""

    operand: Expression
    items: tuple[Expression, ...]
    negated: bool = False
    span: Span = place()


@dataclass(frozen=True, slots=True)
class Range:
    """`x [NOT] BETWEEN low AND high`."""

    operand: Expression
    low: Expression
    high: Expression
    negated: bool = False
    span: Span = place()


@dataclass(frozen=True, slots=True)
class Like:
    """`x [NOT] LIKE pattern [ESCAPE 'c']`."""

    operand: Expression
    pattern: Expression
    escape: str = "\\"
    negated: bool = False
    span: Span = place()


@dataclass(frozen=True, slots=True)
class NullTest:
    """`x IS [NOT] NULL`."""

    operand: Expression
    negated: bool = False
    span: Span = place()


@dataclass(frozen=True, slots=True)
class Case:
    """`CASE [subject] WHEN … THEN … [ELSE …] END`."""

    subject: Expression | None
    branches: tuple[tuple[Expression, Expression], ...]
    otherwise: Expression | None = None
    span: Span = place()


@dataclass(frozen=True, slots=True)
class Cast:
    """`CAST(x AS type)`; the type is kept as its name in Spark SQL."""

    operand: Expression
    target: str
    span: Span = place()


@dataclass(frozen=True, slots=True)
class Call:
    """A function or an aggregate, told apart when names are resolved."""

    name: str
    arguments: tuple[Expression, ...] = ()
    span: Span = place()


@dataclass(frozen=True, slots=True)
class MatchCount:
    """`count(*)`: the number of matches of a group."""

    span: Span = place()


@dataclass(frozen=True, slots=True)
class SameKey:
    """`[user]`: all events of the pattern agree on that column (semantics 1, Partitions)."""

    path: tuple[str, ...]
    span: Span = place()


@dataclass(frozen=True, slots=True)
class Attribute:
    """A reference whose names are resolved: only resolved queries contain it.

    `variable` is the declared name ("" where the row itself is meant: in DEFINE); `indices` has
    one entry for each array dimension of the variable; `path` begins with the column's name as
    the schema spells it and is empty for the whole event; `type` is the type of one such value.
    """

    variable: str
    indices: tuple[IndexKind, ...]
    path: tuple[str, ...]
    type: Type
    span: Span = place()


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A resolved aggregate: `name` over `argument` for every element that its range names."""

    name: str
    argument: Expression
    span: Span = place()


Expression = (
    Literal
    | Reference
    | Subscript
    | Negative
    | Arithmetic
    | Comparison
    | Conjunction
    | Disjunction
    | Inversion
    | Membership
    | Range
    | Like
    | NullTest
    | Case
    | Cast
    | Call
    | MatchCount
    | SameKey
    | Attribute
    | Aggregate
)
