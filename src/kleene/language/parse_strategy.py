"""The selection strategy: in a clause of its own, or called among the conditions (paper 5)."""

from __future__ import annotations

from kleene.errors import QuerySyntaxError, Span, UnknownStrategyError, nearest, shown
from kleene.language.cursor import Cursor
from kleene.language.expressions import Call, Expression, Reference
from kleene.language.syntax import Name, Strategy, StrategyClause
from kleene.language.tokens import TokenKind
from kleene.language.words import CLAUSES

_STRATEGIES = tuple(Strategy)
_LISTED = f"the strategies are {', '.join(_STRATEGIES)}"


def parse_strategy(cursor: Cursor) -> StrategyClause:
    """`skip_till_next_match`: from behind STRATEGY."""
    token = cursor.token
    if not cursor.at_name() or token.key in CLAUSES:
        cursor.fail("a strategy", _LISTED)
    name = _spelled_apart(cursor)
    return StrategyClause(strategy_named(name, cursor.since(token)), (), cursor.since(token))


def _spelled_apart(cursor: Cursor) -> str:
    """Read a name, and what belongs to it where `_` was written as a blank or a hyphen."""
    name = cursor.advance().value
    while name.casefold() not in _STRATEGIES and cursor.token.key not in CLAUSES:
        if cursor.at("-") and cursor.peek().kind is TokenKind.WORD:
            cursor.advance()
        elif cursor.token.kind is not TokenKind.WORD:
            break
        name += f" {cursor.advance().value}"
    return name.casefold()


def called_strategy(condition: Expression) -> StrategyClause | None:
    """The strategy that `skip_till_any_match(a, b)` stands for; None for any other condition."""
    if not isinstance(condition, Call) or not _looks_like_strategy(condition.name.casefold()):
        return None
    variables = []
    for argument in condition.arguments:
        if not isinstance(argument, Reference) or argument.path:
            raise QuerySyntaxError(
                "a strategy names the variables of the pattern, and nothing else",
                argument.span,
                f"as in {condition.name}(a, b)",
            )
        variables.append(Name(argument.variable, argument.span))
    strategy = strategy_named(condition.name.casefold(), condition.span)
    return StrategyClause(strategy, tuple(variables), condition.span)


def _looks_like_strategy(name: str) -> bool:
    return name in _STRATEGIES or name.startswith("skip_till") or name.endswith("_contiguity")


def strategy_named(name: str, span: Span) -> Strategy:
    """The strategy of that name, which is written in lower case."""
    if name in _STRATEGIES:
        return Strategy(name)
    hints = nearest(name.replace(" ", "_"), _STRATEGIES) or (_LISTED,)
    raise UnknownStrategyError(f"{shown(name)} is no strategy", span, *hints)
