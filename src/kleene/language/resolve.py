"""Names, scopes and types: syntax tree to resolved query."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from kleene.errors import (
    KleeneError,
    OutputError,
    Span,
    UnknownColumnError,
    UnknownTypeError,
    UnknownVariableError,
    WindowError,
    nearest,
)
from kleene.language.conditions import (
    inline_conjuncts,
    resolve_condition,
    where_conjuncts,
    with_sequences,
)
from kleene.language.expressions import Duration, SameKey
from kleene.language.measures import Grouping
from kleene.language.printer import print_path
from kleene.language.resolve_groups import resolve_grouping
from kleene.language.resolved import ResolvedQuery, RowType, Variable
from kleene.language.returns import resolve_returns
from kleene.language.schema import EventShape, check_shape, find_path, is_number
from kleene.language.scopes import Scope
from kleene.language.syntax import EventPattern, Name, Pattern, Query, Strategy, walk_patterns
from kleene.language.user_aggregates import UserAggregate, signatures
from kleene.language.variables import declare, listed, name_hints


def resolve(
    query: Query, shape: EventShape, aggregates: tuple[UserAggregate, ...] = ()
) -> ResolvedQuery:
    """The query bound to events of that shape, or an error that says what it cannot mean."""
    try:
        return _resolve(query, check_shape(shape), aggregates)
    except KleeneError as error:
        raise error.within(query.text or str(query)) from None


def _resolve(
    query: Query, shape: EventShape, aggregates: tuple[UserAggregate, ...]
) -> ResolvedQuery:
    pattern, declarations = declare(query.pattern)
    variables = {variable.key: variable for variable in declarations.variables}
    scope = Scope(shape, variables, aggregates=signatures(aggregates))
    definitions = _definitions(query, scope)
    _check_types(pattern, shape, definitions)
    conjuncts = [c for written in declarations.inline for c in inline_conjuncts(written, scope)]
    for condition in query.where:
        if not isinstance(condition, SameKey):
            conjuncts.extend(where_conjuncts(condition, scope))
    _check_strategy(query, variables)
    _check_after_match(query, variables)
    partition_by = _partition_by(query, shape, variables)
    returned = replace(scope, returned=True)
    grouped = query.group_by is not None
    return ResolvedQuery(
        source=query,
        shape=shape,
        pattern=pattern,
        variables=with_sequences(declarations.variables, conjuncts),
        conjuncts=tuple(conjuncts),
        definitions=definitions,
        partition_by=partition_by,
        strategy=Strategy.ANY if query.strategy is None else query.strategy.strategy,
        window=_window(query, shape),
        after_match=query.after_match,
        confidence=None if query.confidence is None else query.confidence.threshold,
        returns=() if grouped else resolve_returns(query.returns, returned),
        grouping=_grouping(query, replace(returned, partition=partition_by)),
        aggregates=aggregates,
    )


def _grouping(query: Query, scope: Scope) -> Grouping | None:
    clause = query.group_by
    return None if clause is None else resolve_grouping(query.returns, clause, scope)


def _definitions(query: Query, scope: Scope) -> tuple[RowType, ...]:
    found = []
    for definition in query.definitions:
        name = definition.name.text
        condition = resolve_condition(definition.condition, replace(scope, row=name))
        found.append(RowType(name, condition))
    return tuple(found)


def _check_types(pattern: Pattern, shape: EventShape, definitions: tuple[RowType, ...]) -> None:
    """Without a column of types every type must be defined."""
    if shape.type is not None:
        return
    defined = {definition.name for definition in definitions}
    for node in walk_patterns(pattern):
        if isinstance(node, EventPattern) and node.type is not None:
            name = node.type.text
            if name not in defined:
                hints = nearest(name, defined) or (
                    'say which column has the types: type="event", or --type event for the command',
                    f"or say what it is: DEFINE {name} AS amount > 1000",
                )
                raise UnknownTypeError(f"nothing says what {name} is", node.type.span, *hints)


def _partition_by(
    query: Query, shape: EventShape, variables: dict[str, Variable]
) -> tuple[tuple[str, ...], ...]:
    """The columns of PARTITION BY, of `[k]` in WHERE and of the call, each once (semantics 1)."""
    keys = [key for key in query.where if isinstance(key, SameKey)]
    written = [(column.path, column.span) for column in query.partition_by]
    written += [(key.path, Span(key.span.start + 1, key.span.end - 1)) for key in keys]
    found = [_key(path, span, shape, variables) for path, span in written]
    found.extend((name,) for name in shape.partition_by)
    return tuple(dict.fromkeys(found))


def _key(
    path: tuple[str, ...], span: Span, shape: EventShape, variables: dict[str, Variable]
) -> tuple[str, ...]:
    """The column of a key, which all events of a match share."""
    try:
        return find_path(shape.schema, path, span)[0]
    except UnknownColumnError:
        if path[0].casefold() not in variables or len(path) == 1:
            raise
        reason = f"{path[0]} is a variable, and a key belongs to all events of a match"
        hint = f"name the column alone: {print_path(path[1:])}"
        raise UnknownColumnError(reason, span, hint) from None


def _window(query: Query, shape: EventShape) -> Duration | int | Decimal | None:
    """The window, of the kind that the time column is."""
    if query.within is None:
        return None
    extent, span = query.within.extent, query.within.span
    numeric = is_number(shape.time_type)
    if isinstance(extent, str):
        raise WindowError(
            f"a window has a length, and {extent} is a name without a value",
            span,
            f"write it out, as in WITHIN {'600' if numeric else '10 minutes'}",
        )
    if isinstance(extent, Duration) and numeric:
        raise WindowError(
            f"{shape.time[0]} is a number, and this window is a length of time",
            span,
            "write the window in the units of the column, as in WITHIN 600",
        )
    if not isinstance(extent, Duration) and not numeric:
        raise WindowError(
            f"this window has no unit, and {shape.time[0]} is a moment in time",
            span,
            f"did you mean {extent} seconds, or {extent} minutes?",
        )
    return extent


def _check_strategy(query: Query, variables: dict[str, Variable]) -> None:
    """A strategy written with variables holds for the whole pattern, so it names all of it."""
    if query.strategy is None or not query.strategy.variables:
        return
    positive = [variable.name for variable in variables.values() if variable.positive]
    named = {_known(name, variables).key for name in query.strategy.variables}
    for variable in variables.values():
        if variable.positive and variable.key not in named:
            raise UnknownVariableError(
                f"a strategy holds for the whole pattern, and {variable.name} is not named",
                query.strategy.span,
                f"name every variable, as in {query.strategy.strategy}({listed(positive)}), "
                f"or write STRATEGY {query.strategy.strategy}",
            )


def _check_after_match(query: Query, variables: dict[str, Variable]) -> None:
    if query.after_match is None or query.after_match.variable is None:
        return
    name = query.after_match.variable
    if not _known(name, variables).positive:
        positive = [variable.name for variable in variables.values() if variable.positive]
        raise OutputError(
            f"{name.text} is negated: no match skips to it",
            name.span,
            f"skip to one that a match binds: {listed(positive)}",
        )


def _known(name: Name, variables: dict[str, Variable]) -> Variable:
    if name.key not in variables:
        hints = name_hints(name.text, variables.values())
        raise UnknownVariableError(f"no variable is called {name.text}", name.span, *hints)
    return variables[name.key]
