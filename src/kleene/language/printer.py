"""Syntax tree to text: the canonical spelling of a query, which parses to an equal tree."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from typing import assert_never

from kleene.language.expressions import (
    Aggregate,
    Arithmetic,
    Attribute,
    Call,
    Case,
    Cast,
    Comparison,
    Conjunction,
    Constant,
    Disjunction,
    Duration,
    Expression,
    IndexKind,
    Inversion,
    Like,
    Literal,
    MatchCount,
    Membership,
    Negative,
    NullTest,
    Range,
    Reference,
    SameKey,
    Subscript,
)
from kleene.language.parse_reference import INDEX_LETTERS
from kleene.language.precedence import Precedence
from kleene.language.words import EXPRESSION_WORDS, UNCALLED_WORDS

_UNITS = (
    (86_400_000_000, "day"),
    (3_600_000_000, "hour"),
    (60_000_000, "minute"),
    (1_000_000, "second"),
    (1_000, "millisecond"),
    (1, "microsecond"),
)
_PLAIN_WORD = re.compile(r"[^\W\d]\w*")


def print_name(name: str, reserved: frozenset[str] = frozenset()) -> str:
    """A name, in backticks where it is not a plain word or would be taken for a keyword."""
    if _PLAIN_WORD.fullmatch(name) and name.upper() not in reserved:
        return name
    return "`" + name.replace("`", "``") + "`"


def print_expression(node: Expression, tightest: int = Precedence.OR) -> str:
    """An expression, in parentheses where it binds less tightly than its place asks.

    >>> from kleene.language.parser import parse
    >>> print_expression(parse("A a WHERE (a.x+1)*2>95%").where[0])
    '(a.x + 1) * 2 > 0.95'
    """
    text, binding = _spelled(node)
    return f"({text})" if binding < tightest else text


def _spelled(node: Expression) -> tuple[str, Precedence]:
    """The text of a node and how tightly it binds."""
    match node:
        case Literal() | Reference() | Attribute() | MatchCount() | SameKey():
            text = _leaf(node)
            return text, Precedence.UNARY if text.startswith("-") else Precedence.PRIMARY
        case Call() | Aggregate() | Cast() | Case() | Subscript():
            return _form(node), Precedence.PRIMARY
        case Negative():
            # Two minus signs in a row would begin a comment.
            return f"-{print_expression(node.operand, Precedence.PRIMARY)}", Precedence.UNARY
        case Arithmetic():
            return _arithmetic(node)
        case Comparison():
            return _comparison(node), Precedence.COMPARISON
        case Membership() | Range() | Like() | NullTest():
            return _test(node), Precedence.COMPARISON
        case Conjunction():
            operands = [print_expression(o, Precedence.NOT) for o in node.operands]
            return " AND ".join(operands), Precedence.AND
        case Disjunction():
            operands = [print_expression(o, Precedence.AND) for o in node.operands]
            return " OR ".join(operands), Precedence.OR
        case Inversion():
            return f"NOT {print_expression(node.operand, Precedence.NOT)}", Precedence.NOT
        case _:
            assert_never(node)


def _leaf(node: Literal | Reference | Attribute | MatchCount | SameKey) -> str:
    match node:
        case Literal():
            return print_constant(node.value)
        case Reference():
            kinds = tuple(index.kind for index in node.indices)
            return _reference(node.variable, kinds, node.path)
        case Attribute():
            return _reference(node.variable, node.indices, node.path)
        case MatchCount():
            return "count(*)"
        case SameKey():
            return f"[{print_path(node.path)}]"


def _form(node: Call | Aggregate | Cast | Case | Subscript) -> str:
    match node:
        case Call():
            arguments = ", ".join(map(print_expression, node.arguments))
            return f"{print_name(node.name, UNCALLED_WORDS)}({arguments})"
        case Aggregate():
            return f"{node.name}({print_expression(node.argument)})"
        case Cast():
            return f"CAST({print_expression(node.operand)} AS {node.target})"
        case Case():
            return _case(node)
        case Subscript():
            operand = print_expression(node.operand, Precedence.PRIMARY)
            return f"{operand}[{print_expression(node.index)}]"


def _arithmetic(node: Arithmetic) -> tuple[str, Precedence]:
    """Operators of one level are applied from left to right."""
    is_sum = node.operator in ("+", "-", "||")
    binding = Precedence.ADDITIVE if is_sum else Precedence.MULTIPLICATIVE
    left = print_expression(node.left, binding)
    right = print_expression(node.right, binding + 1)
    return f"{left} {node.operator.upper()} {right}", binding


def print_path(path: tuple[str, ...], reserved: frozenset[str] = frozenset()) -> str:
    """A column and the fields within it."""
    column, *fields = path
    return ".".join([print_name(column, reserved), *map(print_name, fields)])


def _reference(variable: str, indices: tuple[IndexKind, ...], path: tuple[str, ...]) -> str:
    brackets = "".join(
        f"[{kind.value.replace('i', INDEX_LETTERS[level])}]" for level, kind in enumerate(indices)
    )
    owner = [print_name(variable, EXPRESSION_WORDS) + brackets] if variable else []
    return ".".join([*owner, *(print_name(part) for part in path)])


def _comparison(node: Comparison) -> str:
    operands = [print_expression(operand, Precedence.ADDITIVE) for operand in node.operands]
    pairs = zip(node.operators, operands[1:], strict=True)
    return operands[0] + "".join(f" {operator} {operand}" for operator, operand in pairs)


def _test(node: Membership | Range | Like | NullTest) -> str:
    operand = print_expression(node.operand, Precedence.ADDITIVE)
    negation = "NOT " if node.negated else ""
    match node:
        case Membership():
            return f"{operand} {negation}IN ({', '.join(map(print_expression, node.items))})"
        case Range():
            low, high = (
                print_expression(node.low, Precedence.ADDITIVE),
                print_expression(node.high, Precedence.ADDITIVE),
            )
            return f"{operand} {negation}BETWEEN {low} AND {high}"
        case Like():
            escape = "" if node.escape == "\\" else f" ESCAPE {print_constant(node.escape)}"
            pattern = print_expression(node.pattern, Precedence.ADDITIVE)
            return f"{operand} {negation}LIKE {pattern}{escape}"
        case NullTest():
            return f"{operand} IS {negation}NULL"


def _case(node: Case) -> str:
    parts = ["CASE"] if node.subject is None else [f"CASE {print_expression(node.subject)}"]
    for when, then in node.branches:
        parts.append(f"WHEN {print_expression(when)} THEN {print_expression(then)}")
    if node.otherwise is not None:
        parts.append(f"ELSE {print_expression(node.otherwise)}")
    return " ".join([*parts, "END"])


def print_constant(value: Constant) -> str:
    """A constant, so that it is read back with the same value and kind."""
    match value:
        case None:
            return "NULL"
        case bool():
            return "TRUE" if value else "FALSE"
        case int():
            return str(value)
        case Decimal():
            return f"{value:f}"
        case float():
            return repr(value) if "e" in repr(value) else f"{value!r}e0"
        case str():
            escaped = value.replace("\\", "\\\\").replace("'", "''").replace("\n", "\\n")
            return f"'{escaped}'"
        case bytes():
            return f"X'{value.hex()}'"
        case Duration():
            return print_duration(value)
        case dt.datetime():
            keyword = "TIMESTAMP_NTZ" if value.tzinfo is None else "TIMESTAMP"
            return f"{keyword} '{value.isoformat(sep=' ')}'"
        case dt.date():
            return f"DATE '{value.isoformat()}'"
        case _:
            assert_never(value)


def print_duration(duration: Duration) -> str:
    """A duration in the largest unit that counts it in whole numbers.

    >>> print_duration(Duration(90_000_000))
    '90 seconds'
    """
    length = duration.microseconds
    for size, unit in _UNITS:
        if length % size == 0 and (length or unit == "second"):
            count = length // size
            return f"{count} {unit}{'' if count == 1 else 's'}"
    raise AssertionError("microseconds count every duration")
