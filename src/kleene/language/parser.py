"""The whole of a query: text to syntax tree."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from kleene.errors import (
    DuplicateNameError,
    KleeneError,
    NestingError,
    QuerySyntaxError,
    Span,
    UnknownStrategyError,
    WindowError,
    nearest,
)
from kleene.language.cursor import MAX_NESTING, Cursor, too_deep
from kleene.language.expressions import Call, Conjunction, Duration, Expression, Literal, Reference
from kleene.language.parse_expression import parse_expression
from kleene.language.parse_literal import parse_interval, parse_number
from kleene.language.parse_pattern import parse_pattern
from kleene.language.parse_reference import parse_path
from kleene.language.syntax import (
    AfterMatch,
    Column,
    Conditioned,
    Confidence,
    Definition,
    Name,
    Pattern,
    Query,
    ReturnItem,
    SkipMode,
    Strategy,
    StrategyClause,
    Window,
    pattern_children,
    walk_patterns,
)
from kleene.language.tokens import CLAUSES, EXPRESSION_WORDS, PATTERN_WORDS, Token, TokenKind
from kleene.language.traversal import children


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
        raise NestingError("the query is nested too deeply for the stack it is read on") from None
    return query


def _query(cursor: Cursor) -> Query:
    cursor.accept_word("PATTERN")
    if cursor.token.kind is TokenKind.END:
        cursor.fail("a pattern", "the smallest query is PATTERN A a")
    query = Query(_whole_pattern(cursor))
    seen: dict[str, Span] = {}
    while cursor.token.kind is not TokenKind.END:
        keyword = cursor.token
        if keyword.is_symbol(";", ".", ",") and cursor.peek().kind is TokenKind.END:
            break
        if keyword.upper not in CLAUSES:
            raise _no_clause(cursor)
        if keyword.upper in seen:
            raise DuplicateNameError(
                f"{keyword.upper} stands twice", keyword.span, "each clause stands once"
            )
        seen[keyword.upper] = keyword.span
        cursor.advance()
        query = _clause(cursor, keyword, query)
    return query


def _whole_pattern(cursor: Cursor) -> Pattern:
    pattern = parse_pattern(cursor)
    if cursor.token.is_symbol(","):
        if cursor.peek().kind is TokenKind.END:
            return pattern
        cursor.fail("the end of the pattern", "several patterns in order are written SEQ(A a, B b)")
    return pattern


def _no_clause(cursor: Cursor) -> KleeneError:
    known = nearest(cursor.token.value, [*CLAUSES]) if cursor.token.upper else ()
    if cursor.token.is_word("PATTERN"):
        return DuplicateNameError("PATTERN stands twice", cursor.token.span)
    if cursor.token.is_word("GROUP", "ORDER", "HAVING", "SELECT", "FROM"):
        known = ("this is no SQL statement; the matches come back as a frame to query further",)
    if cursor.token.is_symbol(")"):
        known = ("this parenthesis closes nothing",)
    return cursor.unexpected(f"one of {', '.join(CLAUSES)}", *known)


def _clause(cursor: Cursor, keyword: Token, query: Query) -> Query:
    match keyword.upper:
        case "DEFINE":
            return replace(query, definitions=_definitions(cursor))
        case "WHERE":
            return _where(cursor, query)
        case "PARTITION":
            cursor.expect_word("BY", "behind PARTITION")
            return replace(query, partition_by=_columns(cursor))
        case "STRATEGY":
            return _with_strategy(query, _strategy(cursor))
        case "WITHIN":
            return replace(query, within=_window(cursor))
        case "CONFIDENCE":
            return replace(query, confidence=_confidence(cursor))
        case "AFTER":
            return replace(query, after_match=_after_match(cursor, keyword))
        case _:
            return replace(query, returns=_returns(cursor))


def _definitions(cursor: Cursor) -> tuple[Definition, ...]:
    found: list[Definition] = []
    while True:
        start = cursor.token
        if start.kind is TokenKind.STRING:
            name = Name(cursor.advance().value, start.span)
        else:
            name = cursor.name("a type to define", PATTERN_WORDS)
        cursor.expect_word("AS", "behind the type", "as in DEFINE Big AS amount > 1000")
        condition = parse_expression(cursor)
        if any(name.text == other.name.text for other in found):
            raise DuplicateNameError(f"{name.text} is defined twice", name.span)
        found.append(Definition(name, condition, cursor.since(start)))
        if not cursor.accept(","):
            return tuple(found)


def _where(cursor: Cursor, query: Query) -> Query:
    """Conjuncts of WHERE; a strategy called among them becomes the query's (paper 5)."""
    conjuncts: list[Expression] = []
    while True:
        conjuncts.extend(flattened(parse_expression(cursor)))
        if not cursor.accept(",") or cursor.token.kind is TokenKind.END:
            break
    kept = []
    for conjunct in conjuncts:
        if isinstance(conjunct, Call) and _names_strategy(conjunct.name):
            query = _with_strategy(query, _called_strategy(conjunct))
        else:
            kept.append(conjunct)
    return replace(query, where=tuple(kept))


def flattened(condition: Expression) -> list[Expression]:
    """The conjuncts of a condition, whatever parentheses they stood in."""
    found, pending = [], [condition]
    while pending:
        current = pending.pop()
        if isinstance(current, Conjunction):
            pending.extend(reversed(current.operands))
        else:
            found.append(current)
    return found


def _names_strategy(name: str) -> bool:
    return name in set(Strategy) or name.startswith("skip_till") or name.endswith("_contiguity")


def _strategy_named(name: str, span: Span) -> Strategy:
    if name in set(Strategy):
        return Strategy(name)
    hints = nearest(name, [*Strategy]) or (f"strategies are {', '.join(Strategy)}",)
    raise UnknownStrategyError(f"{name} is no strategy", span, *hints)


def _called_strategy(call: Call) -> StrategyClause:
    strategy = _strategy_named(call.name, call.span)
    variables = []
    for argument in call.arguments:
        if not isinstance(argument, Reference) or argument.path:
            raise QuerySyntaxError("a strategy names the variables of the pattern", argument.span)
        variables.append(Name(argument.variable, argument.span))
    return StrategyClause(strategy, tuple(variables), call.span)


def _strategy(cursor: Cursor) -> StrategyClause:
    token = cursor.token
    if token.kind is not TokenKind.WORD or token.upper in CLAUSES:
        cursor.fail("a strategy", f"strategies are {', '.join(Strategy)}")
    cursor.advance()
    return StrategyClause(_strategy_named(token.value.casefold(), token.span), (), token.span)


def _with_strategy(query: Query, clause: StrategyClause) -> Query:
    if query.strategy is not None:
        raise DuplicateNameError("the strategy is given twice", clause.span)
    return replace(query, strategy=clause)


def _columns(cursor: Cursor) -> tuple[Column, ...]:
    found = []
    while True:
        start = cursor.token
        found.append(Column(parse_path(cursor, "a column to partition by"), cursor.since(start)))
        if not cursor.accept(","):
            return tuple(found)


def _window(cursor: Cursor) -> Window:
    start = cursor.token
    if start.kind is TokenKind.NUMBER:
        literal = parse_number(cursor)
        if isinstance(literal.value, float):
            raise WindowError("write this window without an exponent", literal.span)
    elif start.is_word("INTERVAL"):
        literal = parse_interval(cursor)
    elif start.kind is TokenKind.WORD and start.upper not in EXPRESSION_WORDS:
        return Window(cursor.advance().value, start.span)
    else:
        cursor.fail("a length of time behind WITHIN", "for example WITHIN 10 minutes")
    assert isinstance(literal.value, int | Decimal | Duration)
    extent = literal.value.microseconds if isinstance(literal.value, Duration) else literal.value
    if extent <= 0:
        raise WindowError("a window must be longer than nothing", literal.span)
    if cursor.token.is_word("EVENTS", "EVENT", "ROWS"):
        raise WindowError("a window is a length of time, not a number of events", cursor.token.span)
    return Window(literal.value, literal.span)


def _confidence(cursor: Cursor) -> Confidence:
    if not cursor.token.is_symbol(">="):
        cursor.fail(">= behind CONFIDENCE", "as in CONFIDENCE >= 0.8, or >= 80%")
    cursor.advance()
    if cursor.token.kind is not TokenKind.NUMBER:
        cursor.fail("a number between 0 and 1")
    literal = parse_number(cursor)
    if isinstance(literal.value, Duration) or not 0 <= Decimal(str(literal.value)) <= 1:
        hint = f"did you mean {literal.value}%?" if isinstance(literal.value, int) else ""
        raise QuerySyntaxError(
            "a confidence lies between 0 and 1", literal.span, *((hint,) if hint else ())
        )
    return Confidence(Decimal(str(literal.value)), literal.span)


def _after_match(cursor: Cursor, start: Token) -> AfterMatch:
    cursor.expect_word("MATCH", "behind AFTER")
    if cursor.accept_word("NO"):
        cursor.expect_word("SKIP", "behind NO")
        return AfterMatch(SkipMode.NO_SKIP, None, cursor.since(start))
    if cursor.accept_word("CONSUME"):
        return AfterMatch(SkipMode.CONSUME, None, cursor.since(start))
    if not cursor.accept_word("SKIP"):
        cursor.fail("NO SKIP, CONSUME or SKIP behind AFTER MATCH")
    if cursor.accept_word("PAST"):
        cursor.expect_word("LAST", "behind PAST")
        _event_word(cursor, "behind PAST LAST")
        return AfterMatch(SkipMode.PAST_LAST, None, cursor.since(start))
    if not cursor.accept_word("TO"):
        cursor.fail("TO or PAST behind SKIP")
    if cursor.accept_word("NEXT"):
        _event_word(cursor, "behind NEXT")
        return AfterMatch(SkipMode.NEXT_EVENT, None, cursor.since(start))
    mode = cursor.accept_word("FIRST", "LAST")
    if mode is None:
        cursor.fail("NEXT EVENT, FIRST or LAST behind SKIP TO", "as in SKIP TO LAST b")
    variable = cursor.name("a variable", EXPRESSION_WORDS)
    skip = SkipMode.TO_FIRST if mode.upper == "FIRST" else SkipMode.TO_LAST
    return AfterMatch(skip, variable, cursor.since(start))


def _event_word(cursor: Cursor, where: str) -> None:
    if not cursor.accept_word("EVENT", "ROW"):
        cursor.fail(f"EVENT {where}")


def _returns(cursor: Cursor) -> tuple[ReturnItem, ...]:
    items = []
    while True:
        start = cursor.token
        if start.is_symbol("*"):
            cursor.fail("an expression behind RETURN", "leave RETURN out to get every variable")
        expression = parse_expression(cursor)
        alias = None
        if cursor.accept_word("AS"):
            alias = cursor.name("the name of a column", frozenset())
        items.append(ReturnItem(expression, alias, cursor.since(start)))
        if cursor.token.kind in (TokenKind.WORD, TokenKind.QUOTED) and (
            cursor.token.upper not in CLAUSES
        ):
            cursor.fail("a comma or AS behind the expression")
        if not cursor.accept(",") or cursor.token.kind is TokenKind.END:
            return tuple(items)


def _refuse_depth(query: Query) -> None:
    """No pass over the tree may meet more than MAX_NESTING levels of it."""
    level: list[Pattern] = [query.pattern]
    depth = 0
    while level:
        depth += 1
        if depth > MAX_NESTING:
            raise too_deep(level[0].span)
        level = [child for node in level for child in pattern_children(node)]
    conditions: list[Expression] = [*query.where]
    conditions.extend(item.expression for item in query.returns)
    conditions.extend(definition.condition for definition in query.definitions)
    for node in walk_patterns(query.pattern):
        if isinstance(node, Conditioned):
            conditions.extend(node.conditions)
    depth = 0
    while conditions:
        depth += 1
        if depth > MAX_NESTING:
            raise too_deep(conditions[0].span)
        conditions = [child for node in conditions for child in children(node)]
