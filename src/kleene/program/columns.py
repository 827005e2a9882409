"""The columns that a kernel reads: all that it sees of the events.

Whatever reads a single event is a column, computed before the kernel runs. What relates events
to each other is left to the kernel. Equal expressions share a column, whatever event they read.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from kleene.language.decimals import digits
from kleene.language.expressions import (
    Aggregate,
    Attribute,
    Comparison,
    Conjunction,
    Disjunction,
    Expression,
    IndexKind,
    Inversion,
    Literal,
    Membership,
    NullTest,
    Range,
    Type,
)
from kleene.language.kinds import Kind, kind_of
from kleene.language.traversal import children, rebuild, walk
from kleene.program.kinds import ColumnKind, Unsupported, code_group, is_unsigned

__all__ = [
    "CodeLiteral",
    "ColumnKind",
    "ColumnSpec",
    "Columns",
    "Question",
    "Reading",
    "Unsupported",
]


@dataclass(frozen=True, slots=True)
class ColumnSpec:
    """A column: `c` and its number in generated code, or `m` and the number where it is null.

    `expression` reads the row itself: its attributes have no variable. `group` names the columns
    and literals that are ranked together; it is empty unless the column is a CODE. `scale` is that
    of a SCALED column, in whose mask 2 says that 64 bits do not hold a value.
    """

    expression: Expression
    kind: ColumnKind
    nullable: bool = True
    group: str = ""
    scale: int = 0


@dataclass(frozen=True, slots=True)
class CodeLiteral:
    """A constant that is compared with CODE columns: `lit` and its number in generated code."""

    value: object
    type: Type
    group: str


@dataclass(frozen=True, slots=True)
class Question:
    """A condition that no machine code decides: it is asked of `logical.values` for the events.

    A kernel asks with a word for each of `events`, a position, and two for each of `ranges`, the
    bounds of a part of the buffer of that number, or the only event and nothing.
    """

    condition: Expression
    events: tuple[Reading, ...]
    ranges: tuple[tuple[Reading, int], ...]
    reason: str


ALONE = -1
"""The number of the buffer of a range that has one event at most."""

Reading = tuple[str, tuple[IndexKind, ...]]
"""A variable and its indices: which event an attribute reads, or which events."""


class Columns:
    """Collects the columns, literals and questions of the kernels of one query.

    What the schema declares to have no nulls gets no test of them; without a schema everything
    is tested.
    """

    def __init__(self, schema: pa.Schema | None = None) -> None:
        self._schema = schema
        self._specs: dict[ColumnSpec, int] = {}
        self._literals: dict[tuple[str, str], int] = {}
        self.literals: list[CodeLiteral] = []
        self.questions: list[Question] = []

    def copy(self) -> Columns:
        """The same, to be gone on with apart."""
        found = Columns(self._schema)
        found._specs, found._literals = dict(self._specs), dict(self._literals)
        found.literals, found.questions = list(self.literals), list(self.questions)
        return found

    @property
    def specs(self) -> list[ColumnSpec]:
        """The columns, in the order of their numbers."""
        return list(self._specs)

    def column(self, expression: Expression, kind: ColumnKind, type_: Type) -> tuple[int, bool]:
        """The number of the column of a single event's expression, and whether it may be null."""
        if _may_overflow(expression, kind, type_):
            raise Unsupported("whole numbers beyond 64 bits are not computed with")
        group = code_group(type_) if kind is ColumnKind.CODE else ""
        row = row_expression(expression)
        scale = digits(type_)[1] if kind is ColumnKind.SCALED else 0
        spec = ColumnSpec(row, kind, self.nullable(expression), group, scale)
        return self._specs.setdefault(spec, len(self._specs)), spec.nullable

    def nullable(self, expression: Expression) -> bool:
        """Whether an expression on a single event may be null."""
        return not never_null(expression, self._schema)

    def question(self, question: Question) -> int:
        """The number of a question."""
        if question not in self.questions:
            self.questions.append(question)
        return self.questions.index(question)

    def literal(self, value: object, type_: Type) -> int:
        """The number of a constant in `lit`."""
        group = code_group(type_)
        key = (group, repr(value))
        if key not in self._literals:
            self._literals[key] = len(self.literals)
            self.literals.append(CodeLiteral(value, type_, group))
        return self._literals[key]


def event_of(expression: Expression) -> Attribute | None:
    """An attribute of the event that an expression reads, if it reads exactly one event.

    >>> from kleene.language.expressions import Arithmetic
    >>> a, b = (Attribute(name, (), ("x",), pa.int64()) for name in "ab")
    >>> event_of(Arithmetic("+", a, a)) == a, event_of(Arithmetic("+", a, b))
    (True, None)
    """
    below = list(walk(expression))
    attributes = [node for node in below if isinstance(node, Attribute)]
    events = {(attribute.variable, attribute.indices) for attribute in attributes}
    if len(events) != 1 or any(isinstance(node, Aggregate) for node in below):
        return None
    return attributes[0]


def row_expression(expression: Expression) -> Expression:
    """The expression with its attributes read from the row itself."""
    if isinstance(expression, Attribute):
        return Attribute("", (), expression.path, expression.type)
    return rebuild(expression, row_expression)


def _may_overflow(expression: Expression, kind: ColumnKind, type_: Type) -> bool:
    """Whether what is declared or kept to have 64 bits with a sign may have one more."""
    return (
        kind_of(type_) is Kind.INTEGER
        and (kind is ColumnKind.INT or not is_unsigned(type_))
        and any(is_unsigned(a.type) for a in walk(expression) if isinstance(a, Attribute))
    )


def never_null(expression: Expression, schema: pa.Schema | None) -> bool:
    """Whether the schema promises that an expression on a row has a value."""
    match expression:
        case Attribute(path=path):
            return schema is not None and _required(path, schema)
        case Literal(value=value):
            return value is not None
        case NullTest() | Comparison(operators=("<=>",)):
            return True
        case Comparison() | Membership() | Range() | Conjunction() | Disjunction() | Inversion():
            return all(never_null(child, schema) for child in children(expression))
        case _:
            return False


def _required(path: tuple[str, ...], schema: pa.Schema) -> bool:
    if not path:
        return True
    field = schema.field(path[0])
    for name in path[1:]:
        if field.nullable:
            return False
        field = field.type.field(name)
    return not field.nullable
