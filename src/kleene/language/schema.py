"""The shape of the events: their columns, and the part that each plays."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from kleene.errors import NOWHERE, InputError, Span, UnknownColumnError, closest
from kleene.language.expressions import Type
from kleene.language.kinds import Kind, describe, kind_of, plain
from kleene.language.printer import print_name

_MOST_LISTED = 12
_ASSUMED = {b"kleene": b"assumed"}
"""What marks a column of unknown type; as to the schema, all of its values are null."""

_NAMING = frozenset({Kind.STRING, Kind.INTEGER, Kind.BOOLEAN, Kind.NULL})
"""What a column of types may hold."""


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
        """The type of a whole event: a struct of the input's columns.

        Its fields may be null, as those of an event that a match does not bind are.
        """
        return pa.struct([field.with_nullable(nullable=True) for field in self.schema])


def assumed_column(name: str) -> pa.Field:
    """A column, or a field of one, of which no one has said what type it is of."""
    return pa.field(name, pa.null(), metadata=_ASSUMED)


def find_column(schema: pa.Schema, name: str, span: Span = NOWHERE) -> pa.Field:
    """The column of that name: spelled alike if there is one, else alike but for case (Spark)."""
    return _find(list(schema), name, span, "the events have", "column")


def _find(fields: list[pa.Field], name: str, span: Span, owner: str, what: str) -> pa.Field:
    found = [f for f in fields if f.name == name]
    if not found:
        found = [f for f in fields if f.name.casefold() == name.casefold()]
    if len(found) == 1:
        return found[0]
    if found:
        reason = f"{owner} several {what}s {name}"
        raise UnknownColumnError(reason, span, "rename all but one of them")
    written = {f.name: f.name if span == NOWHERE else print_name(f.name) for f in fields}
    meant = closest(name, written)
    listed = f"{what}s are {', '.join([*written.values()][:_MOST_LISTED])}"
    hint = listed if meant is None else f"did you mean {written[meant]}?"
    raise UnknownColumnError(f"{owner} no {what} {name}", span, hint)


def find_path(
    schema: pa.Schema, path: tuple[str, ...], span: Span = NOWHERE
) -> tuple[tuple[str, ...], Type]:
    """The path in the schema's own spelling, and the type at its end.

    The span ends where the path ends; an error is about the name in it that is wrong.
    """
    found = find_column(schema, path[0], _part(path, 0, span))
    names = [found.name]
    for position, name in enumerate(path[1:], 1):
        owner, place, kind = ".".join(names), _part(path, position, span), found.type
        if not pa.types.is_struct(kind):
            reason = f"{owner} is {describe(kind)} and has no field {name}"
            raise UnknownColumnError(reason, place, _parts_hint(kind, name))
        found = _find(list(kind), name, place, f"{owner} has", "field")
        names.append(found.name)
    return tuple(names), None if found.metadata == _ASSUMED else found.type


def _part(path: tuple[str, ...], position: int, span: Span) -> Span:
    """The place of one name of a path."""
    if span == NOWHERE:
        return span
    end = span.end - sum(len(print_name(name)) + 1 for name in path[position + 1 :])
    return Span(max(end - len(print_name(path[position])), span.start), end)


def _parts_hint(kind: Type, name: str) -> str:
    """How to reach into what has no fields."""
    match kind_of(kind):
        case Kind.LIST:
            return "elements of an array have a number: [0] behind it is the first"
        case Kind.MAP:
            return f"what belongs to a key is element_at(…, '{name}')"
        case Kind.DATE | Kind.TIMESTAMP:
            return "functions take it apart, as in year(…) and hour(…)"
        case _:
            return f"leave .{name} away; functions stand before a value, as in upper(…)"


def check_shape(shape: EventShape) -> EventShape:
    """The shape with the columns' own spelling, or an error about a role that cannot be."""
    if len(shape.time) not in (1, 2):
        raise InputError(
            "time is one column, or a pair: lower and upper bound",
            NOWHERE,
            'as in time="ts", or time=("earliest", "latest")',
        )

    def spelled(name: object) -> str:
        if not isinstance(name, str):
            reason = f"columns are called by their names, and {name!r} is none"
            raise InputError(reason, NOWHERE, 'as in time="ts"')
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
    _check_times(checked)
    _check_types(checked)
    _check_probabilities(checked)
    return checked


def _check_times(shape: EventShape) -> None:
    kinds = [shape.schema.field(name).type for name in shape.time]
    for name, kind in zip(shape.time, kinds, strict=True):
        if not (is_number(kind) or is_moment(kind)):
            raise InputError(
                f"{name} cannot be a time: it is of type {kind}",
                NOWHERE,
                "times are timestamps, dates or numbers",
            )
    if len(set(map(is_number, kinds))) > 1:
        raise InputError(
            f"{shape.time[0]} is {describe(kinds[0])} and {shape.time[1]} {describe(kinds[1])}",
            NOWHERE,
            "the bounds of a time are both numbers, or both timestamps or dates",
        )


def _check_types(shape: EventShape) -> None:
    """A type is a name, and these have one spelling."""
    kind = None if shape.type is None else shape.schema.field(shape.type).type
    if kind is not None and kind_of(kind) not in _NAMING:
        raise InputError(
            f"{shape.type} cannot be a column of types: it is of type {kind}",
            NOWHERE,
            "types are strings, whole numbers or booleans; DEFINE makes types of other values",
        )


def _check_probabilities(shape: EventShape) -> None:
    if shape.probabilities is None:
        return
    kind = shape.schema.field(shape.probabilities).type
    if kind_of(kind) is not Kind.LIST or not is_number(plain(kind).value_type):
        raise InputError(
            f"{shape.probabilities} cannot hold probabilities: it is of type {kind}",
            NOWHERE,
            "it is an array of numbers, one for each point of an event's interval",
        )


def is_number(kind: Type) -> bool:
    """Whether values of the type are numbers."""
    return kind is not None and (
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    )


def is_moment(kind: Type) -> bool:
    """Whether values of the type are moments: timestamps or dates."""
    return kind is not None and (pa.types.is_timestamp(kind) or pa.types.is_date(kind))
