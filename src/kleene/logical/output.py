"""What comes back: rows of matches, of RETURN, collapsed rows, counts (semantics 6)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from enum import StrEnum

import pyarrow as pa

from kleene.errors import DuplicateNameError, OutputError
from kleene.language.measures import COUNTED
from kleene.language.resolved import ResolvedQuery, Variable
from kleene.logical.algebra import LogicalQuery
from kleene.logical.binding import Value, events_of
from kleene.logical.groups import counted, group_rows
from kleene.logical.history import KnownRow, Time, field
from kleene.logical.meaning import Match, Meaning
from kleene.logical.shown import Shown

COUNT_TYPE = COUNTED


class OutputForm(StrEnum):
    """The forms of output."""

    MATCHES = "matches"
    COLLAPSED = "collapsed"
    COUNT = "count"


def output_schema(query: LogicalQuery, form: OutputForm) -> pa.Schema:
    """The columns that come back."""
    resolved = query.resolved
    if form is not OutputForm.MATCHES:
        _refuse_return(resolved, form)
    confidence = [pa.field("confidence", pa.float64())] if resolved.shape.imprecise else []
    match form:
        case OutputForm.MATCHES if resolved.grouping is not None:
            columns = resolved.grouping.outputs
            return pa.schema([pa.field(c.name, c.type or pa.null()) for c in columns])
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


def _refuse_return(resolved: ResolvedQuery, form: OutputForm) -> None:
    """Forms other than that of matches say themselves what their rows are."""
    if resolved.grouping is not None:
        reason = f"RETURN with GROUP BY says what the rows are, and so does output={form.value!r}"
        hint = "leave output out: count(*) counts the matches of each group"
    elif resolved.returns:
        reason = f"RETURN describes matches one by one, and output={form.value!r} has no such rows"
        hint = "leave RETURN out, or ask for output='matches'"
    else:
        return
    span = resolved.source.returns[0].span
    raise OutputError(reason, span, hint).within(resolved.source.text)


_BOUNDS = ("match_start", "match_end")


def output_rows(query: LogicalQuery, form: OutputForm, found: Meaning) -> Iterator[list[object]]:
    """The rows that come back, as values in the order of the columns."""
    match form:
        case OutputForm.MATCHES if query.resolved.grouping is not None:
            yield from group_rows(query, query.resolved.grouping, found)
        case OutputForm.MATCHES if query.resolved.returns:
            for match in found.matches:
                shown = Shown(query, found.rows, match)
                yield [shown.value(output.expression) for output in query.resolved.returns]
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
        yield [*row, counted(len(matches))]


def _counts(query: LogicalQuery, found: Meaning) -> Iterator[list[object]]:
    """The number of matches of each partition that has one; without partitions always a row."""
    keys = query.resolved.partition_by
    groups: dict[object, list[Match]] = {} if keys else {(): []}
    for match in found.matches:
        groups.setdefault(found.rows[match.anchor].partition, []).append(match)
    for matches in groups.values():
        values = [field(found.rows[matches[0].anchor].row, path) for path in keys]
        yield [*values, counted(len(matches))]
