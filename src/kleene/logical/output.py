"""What comes back: rows of matches, of RETURN, collapsed rows, counts (semantics 6)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from decimal import Decimal
from enum import StrEnum

import pyarrow as pa

from kleene.errors import DuplicateNameError, LimitError, OutputError
from kleene.language.expressions import Aggregate, Attribute, IndexKind
from kleene.language.resolved import Output, Variable
from kleene.language.traversal import walk
from kleene.logical.algebra import LogicalQuery
from kleene.logical.binding import Binding, Value, events_of
from kleene.logical.decide import aggregated
from kleene.logical.history import KnownRow, Time, field
from kleene.logical.meaning import Match, Meaning
from kleene.logical.values import evaluate

COUNT_TYPE = pa.decimal128(38, 0)
_MOST = 10**38 - 1


class OutputForm(StrEnum):
    """The forms of output."""

    MATCHES = "matches"
    COLLAPSED = "collapsed"
    COUNT = "count"


def output_schema(query: LogicalQuery, form: OutputForm) -> pa.Schema:
    """The columns that come back."""
    resolved = query.resolved
    if resolved.returns and form is not OutputForm.MATCHES:
        raise OutputError(
            f"RETURN describes matches one by one, and output={form.value!r} has no such rows",
            resolved.source.returns[0].span,
            "leave RETURN out, or ask for output='matches'",
        ).within(resolved.source.text)
    confidence = [pa.field("confidence", pa.float64())] if resolved.shape.imprecise else []
    match form:
        case OutputForm.MATCHES if resolved.returns:
            return pa.schema([pa.field(o.name, o.type or pa.null()) for o in resolved.returns])
        case OutputForm.MATCHES:
            bounds = [pa.field(name, resolved.shape.time_type) for name in _BOUNDS]
            return _unique([*_variable_fields(query), *bounds, *confidence], query)
        case OutputForm.COLLAPSED:
            count = pa.field("match_count", COUNT_TYPE)
            return _unique([*_variable_fields(query, flat=True), count], query)
        case OutputForm.COUNT:
            keys = [_key_field(query, path) for path in resolved.partition_by]
            return _unique([*keys, pa.field("match_count", COUNT_TYPE)], query)


_BOUNDS = ("match_start", "match_end")


def output_rows(query: LogicalQuery, form: OutputForm, found: Meaning) -> Iterator[list[object]]:
    """The rows that come back, as values in the order of the columns."""
    match form:
        case OutputForm.MATCHES if query.resolved.returns:
            for match in found.matches:
                yield [
                    _returned(output, match.binding, query, found.rows)
                    for output in query.resolved.returns
                ]
        case OutputForm.MATCHES:
            for match in found.matches:
                yield _match_row(query, match, found.rows)
        case OutputForm.COLLAPSED:
            yield from _collapsed(query, found)
        case OutputForm.COUNT:
            yield from _counts(query, found)


def to_table(query: LogicalQuery, form: OutputForm, found: Meaning) -> pa.Table:
    """What comes back, as an Arrow table."""
    schema = output_schema(query, form)
    rows = list(output_rows(query, form, found))
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    arrays = [pa.array(c, f.type) for c, f in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)


def visible(query: LogicalQuery) -> list[Variable]:
    """The variables that a match shows, in the order of the pattern."""
    return [v for v in query.resolved.variables if v.positive and not v.hidden]


def _variable_fields(query: LogicalQuery, *, flat: bool = False) -> list[pa.Field]:
    event = query.resolved.shape.event_type
    fields = []
    for variable in visible(query):
        kind = event
        for _ in variable.loops[: 1 if flat else None]:
            kind = pa.list_(kind)
        fields.append(pa.field(variable.name, kind))
    return fields


def _key_field(query: LogicalQuery, path: tuple[str, ...]) -> pa.Field:
    kind = query.resolved.shape.event_type
    for name in path:
        kind = kind.field(name).type
    return pa.field(path[-1], kind)


def _unique(fields: Sequence[pa.Field], query: LogicalQuery) -> pa.Schema:
    seen: set[str] = set()
    for column in fields:
        if column.name.casefold() in seen:
            raise DuplicateNameError(
                f"two columns of the result are called {column.name}",
                query.resolved.source.pattern.span,
                "give the variable another name, or use RETURN … AS …",
            ).within(query.resolved.source.text)
        seen.add(column.name.casefold())
    return pa.schema(fields)


def _match_row(query: LogicalQuery, match: Match, rows: Sequence[KnownRow]) -> list[object]:
    values = [_shown(match.binding[v.name], rows) for v in visible(query)]
    kind = query.resolved.shape.time_type
    bounds = [to_time(match.start, kind), to_time(match.end, kind)]
    confidence = [float(match.confidence)] if query.resolved.shape.imprecise else []
    return [*values, *bounds, *confidence]


def _shown(value: Value, rows: Sequence[KnownRow]) -> object:
    match value:
        case int():
            return rows[value].row
        case tuple():
            return [_shown(item, rows) for item in value]
        case _:
            return None


def to_time(time: Time | None, kind: pa.DataType) -> object:
    """A time as the value that the time column holds."""
    if time is None:
        return None
    if pa.types.is_date(kind):
        return dt.date(1970, 1, 1) + dt.timedelta(microseconds=int(time))
    if pa.types.is_timestamp(kind):
        zone = None if kind.tz is None else dt.UTC
        return dt.datetime(1970, 1, 1, tzinfo=zone) + dt.timedelta(microseconds=int(time))
    return time


def _collapsed(query: LogicalQuery, found: Meaning) -> Iterator[list[object]]:
    """A row for each binding of the single variables, in each partition."""
    variables = visible(query)
    groups: dict[tuple[object, ...], list[Match]] = {}
    for match in found.matches:
        single = tuple(match.binding[v.name] for v in variables if not v.loops)
        key = (found.rows[match.anchor].partition, single)
        groups.setdefault(key, []).append(match)
    for matches in groups.values():
        row: list[object] = []
        for variable in variables:
            values = [match.binding[variable.name] for match in matches]
            if variable.loops:
                events = sorted({event for value in values for event in events_of(value)})
                row.append([found.rows[event].row for event in events])
            else:
                row.append(_shown(values[0], found.rows))
        yield [*row, _counted(len(matches))]


def _counts(query: LogicalQuery, found: Meaning) -> Iterator[list[object]]:
    """The number of matches of each partition that has one; without partitions always a row."""
    keys = query.resolved.partition_by
    groups: dict[object, list[Match]] = {} if keys else {(): []}
    for match in found.matches:
        groups.setdefault(found.rows[match.anchor].partition, []).append(match)
    for matches in groups.values():
        values = [field(found.rows[matches[0].anchor].row, path) for path in keys]
        yield [*values, _counted(len(matches))]


def _counted(number: int) -> Decimal:
    if number > _MOST:
        raise LimitError("there are more matches than 38 digits can count")
    return Decimal(number)


def _returned(
    output: Output, binding: Binding, query: LogicalQuery, rows: Sequence[KnownRow]
) -> object:
    """The value of an expression of RETURN; what is unbound is null there."""

    def attribute(node: Attribute) -> object:
        return _values(pick(binding[node.variable], node.indices), node)

    def _values(value: Value, node: Attribute) -> object:
        match value:
            case int():
                return field(rows[value].row, node.path)
            case tuple():
                return [_values(item, node) for item in value]
            case _:
                return None

    def aggregate(node: Aggregate) -> object:
        inside = (found for found in walk(node.argument) if isinstance(found, Attribute))
        ranged = next(found for found in inside if IndexKind.ALL in found.indices)
        events = events_of(pick(binding[ranged.variable], ranged.indices))
        values = [argument(node, ranged, event) for event in events]
        return aggregated(node.name, values, query.aggregates)

    def argument(node: Aggregate, ranged: Attribute, event: int) -> object:
        def at_event(found: Attribute) -> object:
            same = (found.variable, found.indices) == (ranged.variable, ranged.indices)
            return field(rows[event].row, found.path) if same else attribute(found)

        return evaluate(node.argument, at_event, aggregate)

    return evaluate(output.expression, attribute, aggregate)


def pick(value: Value, indices: Sequence[IndexKind]) -> Value:
    """What `b`, `b[1]` or `b[]` means in RETURN: an event, an array, or null."""
    for kind in indices:
        if kind is IndexKind.ALL or not isinstance(value, tuple):
            return value
        value = value[0] if value else None
    return value
