"""The rows of several queries as rows of one table: a column tells them apart.

Behind the column `query` stand the columns of all queries, in the order in which they are met.
Names are compared as Spark does, and one name is one column, so it has one type. What a query has
no column for is null.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pyarrow as pa

from kleene.errors import DuplicateNameError, Span, TypeMismatchError, quoted
from kleene.logical.algebra import LogicalQuery

QUERY = "query"
"""The column that has the name of the query."""


@dataclass(frozen=True)
class Joined:
    """The columns of all queries."""

    schema: pa.Schema
    names: tuple[str, ...]
    """Those of the queries."""
    places: tuple[tuple[int | None, ...], ...]
    """For each query and each column behind the first, which of its own it is."""

    def rows(self, number: int, found: pa.RecordBatch) -> pa.RecordBatch:
        """Rows of a query as rows of all."""
        name = pa.scalar(self.names[number], self.schema.field(0).type)
        columns = [pa.repeat(name, found.num_rows)]
        for place, field in zip(self.places[number], list(self.schema)[1:], strict=True):
            absent = place is None or pa.types.is_null(found.schema.field(place).type)
            columns.append(pa.nulls(found.num_rows, field.type) if absent else found.column(place))
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)


@dataclass(frozen=True)
class Output:
    """The columns of one of several queries."""

    name: str
    query: LogicalQuery
    schema: pa.Schema

    def span(self, place: int) -> Span:
        """Where the query says what the column in this place is."""
        source = self.query.resolved.source
        told = source.returns
        return told[place].span if len(told) == len(self.schema) else source.pattern.span


def joined(outputs: Sequence[Output]) -> Joined:
    """The columns of queries together; refused where a name would mean two things."""
    fields: dict[str, pa.Field] = {}
    origins: dict[str, Output] = {}
    for output in outputs:
        for place, field in enumerate(output.schema):
            key = field.name.casefold()
            if key == QUERY:
                raise _taken(output, place)
            known = fields.get(key)
            if known is None or pa.types.is_null(known.type):
                name = field.name if known is None else known.name
                fields[key], origins[key] = pa.field(name, field.type), output
            elif not pa.types.is_null(field.type) and field.type != known.type:
                raise _two_types(known, origins[key], output, place)
    return Joined(
        schema=pa.schema([pa.field(QUERY, pa.string(), nullable=False), *fields.values()]),
        names=tuple(output.name for output in outputs),
        places=tuple(_places(output, fields) for output in outputs),
    )


def _places(output: Output, keys: Iterable[str]) -> tuple[int | None, ...]:
    own = {field.name.casefold(): place for place, field in enumerate(output.schema)}
    return tuple(own.get(key) for key in keys)


def _taken(output: Output, place: int) -> DuplicateNameError:
    error = DuplicateNameError(
        f"the column {output.schema.field(place).name} has the name of the one that tells queries "
        "apart",
        output.span(place),
        "give it another name, by RETURN … AS …",
    )
    error.within(output.query.resolved.source.text)
    error.query = output.name
    return error


def _two_types(known: pa.Field, before: Output, output: Output, place: int) -> TypeMismatchError:
    field = output.schema.field(place)
    error = TypeMismatchError(
        f"the column {field.name} is {field.type} in the query {quoted(output.name)}, and "
        f"{known.type} in the query {quoted(before.name)}",
        output.span(place),
        "give one of them another name by RETURN … AS …, or make them of one type by CAST",
    )
    error.within(output.query.resolved.source.text)
    return error
