"""A call before it has events: its query, bound to their columns once these are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from kleene.api.options import Options
from kleene.errors import (
    NOWHERE,
    InputError,
    UnknownFunctionError,
    UnknownOptionError,
    naming,
    nearest,
    quoted,
)
from kleene.language.expressions import Call
from kleene.language.functions import FUNCTIONS
from kleene.language.parser import parse
from kleene.language.resolve import resolve
from kleene.language.resolved import ResolvedQuery
from kleene.language.schema import EventShape
from kleene.language.syntax import Query
from kleene.language.traversal import walk
from kleene.logical.algebra import LogicalQuery
from kleene.logical.build import build
from kleene.logical.output import OutputForm, output_schema
from kleene.runtime.joined import Output

Plan = Callable[[pa.Schema], LogicalQuery]


def planner(  # noqa: PLR0913 - the roles of columns
    query: str | Query,
    options: Options,
    *,
    time: str | tuple[str, str],
    type: str | None,  # noqa: A002 - the word that users know
    order_by: str | Sequence[str],
    id: str | None,  # noqa: A002 - as type
    partition_by: str | Sequence[str],
) -> Plan:
    """What binds a query to the columns of events; a text that is no query is refused at once."""
    parsed = _parsed(query)

    def plan(schema: pa.Schema) -> LogicalQuery:
        shape = EventShape(
            schema=schema,
            time=_names(time),
            type=type,
            id=id,
            order_by=_names(order_by),
            partition_by=_names(partition_by),
            probabilities=options.pmf,
        )
        resolved = resolve(parsed, shape, options.aggregates)
        _refuse_spark_functions(resolved)
        return build(resolved)

    return plan


PlanAll = Callable[[pa.Schema], list[Output]]


def planner_of_all(
    queries: Mapping[str, str | Query], options: Options, form: OutputForm, **roles: Any
) -> PlanAll:
    """What binds several queries, by name; errors name the query."""
    plans: dict[str, Plan] = {}
    for name, query in _named(queries):
        with naming(name):
            plans[name] = planner(query, options, **roles)

    def plan(schema: pa.Schema) -> list[Output]:
        found = []
        for name, plan_one in plans.items():
            with naming(name):
                logical = plan_one(schema)
                found.append(Output(name, logical, output_schema(logical, form)))
        return found

    return plan


def _named(queries: object) -> Iterator[tuple[str, Any]]:
    """Queries with names that a column can hold."""
    hint = 'as in {"bounced": "PATTERN SEQ(A a, B b)"}'
    if not isinstance(queries, Mapping):
        kind = type(queries).__name__
        raise InputError(f"queries are a mapping from names, and this is a {kind}", NOWHERE, hint)
    if not queries:
        raise InputError("there is no query to match", NOWHERE, hint)
    for name, query in queries.items():
        if not isinstance(name, str):
            kind = type(name).__name__
            raise InputError(f"the name of a query is text, and this is a {kind}", NOWHERE, hint)
        if any("\ud800" <= letter <= "\udfff" for letter in name):
            reason = f"the name {quoted(name)} of a query has half a character, which is no text"
            raise InputError(reason, NOWHERE)
        yield name, query


def output_form(output: str) -> OutputForm:
    """The form of output that a call names."""
    if output in set(OutputForm):
        return OutputForm(output)
    forms = ", ".join(OutputForm)
    raise UnknownOptionError(
        f"output cannot be {output!r}: it is one of {forms}",
        NOWHERE,
        *nearest(str(output), OutputForm),
    )


def _refuse_spark_functions(query: ResolvedQuery) -> None:
    """Without Spark there are the functions of Kleene itself, whatever the events are."""
    for call in (node for expression in query.expressions() for node in walk(expression)):
        if isinstance(call, Call) and call.name not in FUNCTIONS:
            raise UnknownFunctionError(
                f"{call.name} is a function that only Spark can evaluate",
                call.span,
                "compute it before the call, into a column of the events",
            ).within(query.source.text)


def _parsed(query: object) -> Query:
    match query:
        case Query():
            return query
        case str():
            return parse(query)
        case _:
            reason = f"a query is text, and this is a {type(query).__name__}"
            raise InputError(reason, NOWHERE, 'as in "PATTERN SEQ(A a, B b)"')


def _names(given: Any) -> tuple[str, ...]:
    """The columns of a role that may have several; whether they are names is checked with them."""
    is_one = isinstance(given, str) or not isinstance(given, Sequence)
    return (given,) if is_one else tuple(given)
