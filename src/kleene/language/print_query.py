"""Patterns and clauses to text."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import assert_never

from kleene.language.expressions import Duration
from kleene.language.parse_event import UNION_LETTER
from kleene.language.precedence import Precedence
from kleene.language.printer import print_duration, print_expression, print_name, print_path
from kleene.language.syntax import (
    AfterMatch,
    And,
    Conditioned,
    EventPattern,
    Exists,
    GroupBy,
    Name,
    Not,
    Or,
    Pattern,
    Quantifier,
    Query,
    Repeat,
    ReturnItem,
    Seq,
    StrategyClause,
    Window,
)
from kleene.language.words import CLAUSES, EXPRESSION_WORDS, PATTERN_WORDS

_CLAUSE_WORDS = frozenset(CLAUSES)
_WINDOW_WORDS = EXPRESSION_WORDS | {"INTERVAL"}


def print_query(query: Query) -> str:
    """The query, a clause a line."""
    lines = [f"PATTERN {print_pattern(query.pattern)}"]
    if query.definitions:
        pairs = (f"{_type(d.name)} AS {print_expression(d.condition)}" for d in query.definitions)
        lines.append(f"DEFINE {', '.join(pairs)}")
    if conjuncts := _conjuncts(query):
        lines.append("WHERE " + "\n  AND ".join(conjuncts))
    if query.partition_by:
        columns = ", ".join(print_path(column.path, _CLAUSE_WORDS) for column in query.partition_by)
        lines.append(f"PARTITION BY {columns}")
    if query.strategy is not None and not query.strategy.variables:
        lines.append(f"STRATEGY {query.strategy.strategy}")
    if query.within is not None:
        lines.append(f"WITHIN {_window(query.within)}")
    if query.confidence is not None:
        lines.append(f"CONFIDENCE >= {query.confidence.threshold:f}")
    if query.after_match is not None:
        lines.append(f"AFTER MATCH {print_after_match(query.after_match)}")
    if query.returns:
        lines.append(f"RETURN {', '.join(map(_return_item, query.returns))}")
    if query.group_by is not None:
        lines.extend(_group_by(query.group_by))
    return "\n".join(lines)


def print_pattern(node: Pattern) -> str:
    """A pattern on one line.

    >>> from kleene.language.parser import parse
    >>> print_pattern(parse("seq(A a, ~(B, C)+, kl(D d))").pattern)
    'SEQ(A a, !SEQ(B, C)+, D+ d[])'
    """
    match node:
        case EventPattern():
            return _event(node)
        case Seq() | And() | Or():
            return f"{type(node).__name__.upper()}({', '.join(map(print_pattern, node.parts))})"
        case Not():
            return f"!{print_pattern(node.body)}"
        case Repeat():
            body = print_pattern(node.body)
            enclosed = isinstance(node.body, Seq | And | Or | Conditioned)
            return (body if enclosed else f"({body})") + print_quantifier(node.quantifier)
        case Exists():
            hidden = ", ".join(map(_variable, node.variables))
            return f"EXISTS {hidden} : {print_pattern(node.body)}"
        case Conditioned():
            conditions = ", ".join(map(print_expression, node.conditions))
            return f"({print_pattern(node.body)} : {conditions})"
        case _:
            assert_never(node)


def _event(node: EventPattern) -> str:
    kind = "ANY" if node.type is None else _type(node.type)
    quantifier = "" if node.quantifier is None else print_quantifier(node.quantifier)
    if node.variable is None:
        return kind + quantifier
    array = node.quantifier is not None and not node.quantifier.optional
    return f"{kind}{quantifier} {_variable(node.variable)}{'[]' if array else ''}"


def _type(name: Name) -> str:
    return print_name(name.text, PATTERN_WORDS) if name.text else "''"


def _variable(name: Name) -> str:
    if name.text == UNION_LETTER:
        return f"`{name.text}`"
    return print_name(name.text, EXPRESSION_WORDS | PATTERN_WORDS)


def print_quantifier(quantifier: Quantifier) -> str:
    match (quantifier.low, quantifier.high):
        case _ if quantifier.optional:
            return "?"
        case (1, None):
            return "+"
        case (0, None):
            return "*"
        case (low, high) if low == high:
            return f"{{{low}}}"
        case (low, None):
            return f"{{{low},}}"
        case (low, high):
            return f"{{{low},{high}}}"


def _conjuncts(query: Query) -> list[str]:
    found = [print_expression(conjunct, Precedence.NOT) for conjunct in query.where]
    if query.strategy is not None and query.strategy.variables:
        found.append(_called_strategy(query.strategy))
    return found


def _called_strategy(clause: StrategyClause) -> str:
    variables = (print_name(name.text, EXPRESSION_WORDS) for name in clause.variables)
    return f"{clause.strategy}({', '.join(variables)})"


def _window(window: Window) -> str:
    match window.extent:
        case Duration():
            return print_duration(window.extent)
        case Decimal():
            return f"{window.extent:f}"
        case int():
            return str(window.extent)
        case str():
            return print_name(window.extent, _WINDOW_WORDS)
        case _:
            assert_never(window.extent)


def print_after_match(clause: AfterMatch) -> str:
    if clause.variable is None:
        return str(clause.mode)
    return f"{clause.mode} {print_name(clause.variable.text, EXPRESSION_WORDS)}"


def _return_item(item: ReturnItem) -> str:
    expression = print_expression(item.expression)
    return (
        expression
        if item.alias is None
        else f"{expression} AS {print_name(item.alias.text, _CLAUSE_WORDS)}"
    )


def _group_by(clause: GroupBy) -> Iterator[str]:
    yield f"GROUP BY {', '.join(map(print_expression, clause.keys)) or '()'}"
    if clause.having:
        conjuncts = (print_expression(conjunct, Precedence.NOT) for conjunct in clause.having)
        yield f"HAVING {' AND '.join(conjuncts)}"
