"""The shape of the events: their columns, and the part that each plays."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from kleene.errors import NOWHERE, InputError, Span, UnknownColumnError, nearest
from kleene.language.expressions import Type


@dataclass(frozen=True, slots=True)
class EventShape:
    """Schema and roles of columns: `time` is one column, or lower and upper bound."""

    schema: pa.Schema
    time: tuple[str, ...]
    type: str | None = None
    id: str | None = None
    order_by: tuple[str, ...] = ()
    partition_by: tuple[str, ...] = ()
    probabilities: str | None = None

    @property
    def imprecise(self) -> bool:
        """Whether events have an interval of possible times."""
        return len(self.time) > 1

    @property
    def time_type(self) -> pa.DataType:
        """The type of the time column."""
        return self.schema.field(self.time[0]).type

    @property
    def event_type(self) -> pa.DataType:
        """The type of a whole event: a struct of the input's columns."""
        return pa.struct(list(self.schema))


def find_column(schema: pa.Schema, name: str, span: Span = NOWHERE) -> pa.Field:
    """The column of that name: spelled alike if there is one, else alike but for case (Spark)."""
    found = [f for f in schema if f.name == name]
    if not found:
        found = [f for f in schema if f.name.casefold() == name.casefold()]
    if len(found) == 1:
        return found[0]
    if found:
        raise UnknownColumnError(
            f"the events have several columns {name}", span, "rename all but one of them"
        )
    hints = nearest(name, schema.names) or (f"columns are {', '.join(schema.names[:12])}",)
    raise UnknownColumnError(f"the events have no column {name}", span, *hints)


def find_path(
    schema: pa.Schema, path: tuple[str, ...], span: Span = NOWHERE
) -> tuple[tuple[str, ...], Type]:
    """The path in the schema's own spelling, and the type at its end."""
    column = find_column(schema, path[0], span)
    names, kind = [column.name], column.type
    for name in path[1:]:
        if not pa.types.is_struct(kind):
            raise UnknownColumnError(f"{'.'.join(names)} has no fields, so no {name}", span)
        inner = find_column(pa.schema(list(kind)), name, span)
        names.append(inner.name)
        kind = inner.type
    return tuple(names), kind


def check_shape(shape: EventShape) -> EventShape:
    """The shape with the columns' own spelling, or an error about a role that cannot be."""
    if len(shape.time) not in (1, 2):
        raise InputError("time is one column, or a pair: lower and upper bound")

    def spelled(name: str) -> str:
        return str(find_column(shape.schema, name).name)

    checked = EventShape(
        schema=shape.schema,
        time=tuple(map(spelled, shape.time)),
        type=None if shape.type is None else spelled(shape.type),
        id=None if shape.id is None else spelled(shape.id),
        order_by=tuple(map(spelled, shape.order_by)),
        partition_by=tuple(map(spelled, shape.partition_by)),
        probabilities=None if shape.probabilities is None else spelled(shape.probabilities),
    )
    for name in checked.time:
        kind = shape.schema.field(name).type
        if not (is_number(kind) or is_moment(kind)):
            raise InputError(
                f"{name} cannot be a time: it is of type {kind}",
                NOWHERE,
                "times are timestamps, dates or numbers",
            )
    return checked


def is_number(kind: Type) -> bool:
    """Whether values of the type are numbers."""
    return kind is not None and (
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    )


def is_moment(kind: Type) -> bool:
    """Whether values of the type are moments: timestamps or dates."""
    return kind is not None and (pa.types.is_timestamp(kind) or pa.types.is_date(kind))
