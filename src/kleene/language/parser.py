"""The whole of a query: text to syntax tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from kleene.errors import (
    NOWHERE,
    DuplicateNameError,
    KleeneError,
    NestingError,
)
from kleene.language.cursor import MAX_NESTING, Cursor, too_deep
from kleene.language.expressions import Expression
from kleene.language.no_clause import no_clause, refuse_other_beginnings, refuse_sql
from kleene.language.parse_after_match import parse_after_match
from kleene.language.parse_clause import (
    parse_conditions,
    parse_confidence,
    parse_definitions,
    parse_group_by,
    parse_partition,
    parse_returns,
    parse_window,
)
from kleene.language.parse_pattern import parse_pattern
from kleene.language.parse_strategy import called_strategy, parse_strategy
from kleene.language.syntax import Conditioned, Pattern, Query, StrategyClause, pattern_children
from kleene.language.tokens import TokenKind
from kleene.language.traversal import children
from kleene.language.words import CLAUSES


def parse(text: str) -> Query:
    """The query that a text spells, or a KleeneError that says what keeps it from being one.

    >>> print(parse("pattern seq(A a, b+ b[]) where a.x = b[i].x within 90 s"))
    PATTERN SEQ(A a, b+ b[])
    WHERE a.x = b[i].x
    WITHIN 90 seconds
    """
    try:
        query = replace(_query(Cursor(text)), text=text)
        _refuse_depth(query)
    except KleeneError as error:
        raise error.within(text) from None
    except RecursionError:
        raise NestingError(
            "the query is nested too deeply for what is left of Python's stack",
            NOWHERE,
            "parse it outside of deeply recursive functions",
        ) from None
    return query


def _query(cursor: Cursor) -> Query:
    refuse_sql(cursor)
    refuse_other_beginnings(cursor)
    cursor.accept("PATTERN")
    if cursor.at_end():
        cursor.fail("a pattern", "the smallest query is PATTERN A a")
    if cursor.at(*CLAUSES):
        cursor.fail("a pattern", "the pattern comes first, as in PATTERN SEQ(A a, B b)")
    query = Query(parse_pattern(cursor))
    seen = "PATTERN"
    read = {seen}
    while not _is_over(cursor):
        keyword = cursor.token
        if keyword.key not in _CLAUSES:
            raise no_clause(cursor, seen)
        seen = keyword.key
        if seen in read:
            raise DuplicateNameError(
                f"{seen} stands twice", keyword.span, "each clause is written once"
            )
        read.add(seen)
        cursor.advance()
        query = _CLAUSES[seen](cursor, query)
    return query


def _is_over(cursor: Cursor) -> bool:
    """Whether the query ends here, if only with the sign that ends a sentence or a statement."""
    if cursor.at(";", ".", ",") and cursor.peek().kind is TokenKind.END:
        cursor.advance()
    return cursor.at_end()


def _define(cursor: Cursor, query: Query) -> Query:
    return replace(query, definitions=parse_definitions(cursor))


def _where(cursor: Cursor, query: Query) -> Query:
    """A strategy called among the conditions becomes the query's (paper 5)."""
    kept: list[Expression] = []
    for condition in parse_conditions(cursor):
        strategy = called_strategy(condition)
        if strategy is None:
            kept.append(condition)
        else:
            query = _with_strategy(query, strategy)
    return replace(query, where=tuple(kept))


def _partition(cursor: Cursor, query: Query) -> Query:
    return replace(query, partition_by=parse_partition(cursor))


def _strategy(cursor: Cursor, query: Query) -> Query:
    return _with_strategy(query, parse_strategy(cursor))


def _with_strategy(query: Query, clause: StrategyClause) -> Query:
    if query.strategy is not None:
        raise DuplicateNameError(
            "the strategy is given twice", clause.span, "a query has one strategy"
        )
    return replace(query, strategy=clause)


def _within(cursor: Cursor, query: Query) -> Query:
    return replace(query, within=parse_window(cursor))


def _confidence(cursor: Cursor, query: Query) -> Query:
    return replace(query, confidence=parse_confidence(cursor))


def _after(cursor: Cursor, query: Query) -> Query:
    return replace(query, after_match=parse_after_match(cursor))


def _return(cursor: Cursor, query: Query) -> Query:
    returns = parse_returns(cursor)
    return replace(query, returns=returns, group_by=parse_group_by(cursor))


_CLAUSES: dict[str, Callable[[Cursor, Query], Query]] = {
    "DEFINE": _define,
    "WHERE": _where,
    "PARTITION": _partition,
    "STRATEGY": _strategy,
    "WITHIN": _within,
    "CONFIDENCE": _confidence,
    "AFTER": _after,
    "RETURN": _return,
}


def _refuse_depth(query: Query) -> None:
    """No pass over the tree may meet more than MAX_NESTING levels of it."""
    patterns: list[Pattern] = [query.pattern]
    expressions: list[Expression] = [*query.where]
    expressions.extend(item.expression for item in query.returns)
    expressions.extend(definition.condition for definition in query.definitions)
    if query.group_by is not None:
        expressions.extend((*query.group_by.keys, *query.group_by.having))
    for _ in range(MAX_NESTING):
        inline = [c for node in patterns if isinstance(node, Conditioned) for c in node.conditions]
        patterns = [child for node in patterns for child in pattern_children(node)]
        expressions = [child for node in expressions for child in children(node)] + inline
        if not patterns and not expressions:
            return
    raise too_deep((patterns[0] if patterns else expressions[0]).span)
