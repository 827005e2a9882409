"""`kleene.match`: the matches of a query among events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from functools import partial
from typing import Any

import pyarrow as pa

from kleene.api.bad_rows import BadRows
from kleene.api.frames import is_from, to_arrow
from kleene.api.options import Options, read_options
from kleene.api.plan import output_form, planner
from kleene.api.sources import source_of
from kleene.api.stream import Call, prepare
from kleene.errors import NOWHERE, UnknownOptionError, naming
from kleene.language.expressions import Duration
from kleene.language.schema import EventShape, is_number
from kleene.language.syntax import Query
from kleene.logical.algebra import LogicalQuery
from kleene.logical.history import moment
from kleene.logical.meaning import meaning
from kleene.logical.output import OutputForm, output_schema, to_table, to_time
from kleene.program.columns import Unsupported
from kleene.program.compile import compile_ahead
from kleene.runtime.evaluate import Found, Prepared, evaluate, evaluate_all, found_in, prepared
from kleene.runtime.limits import within
from kleene.runtime.threads import available


def match(  # noqa: PLR0913 - the roles of columns and the choices of a call
    events: Any,
    query: str | Query,
    *,
    time: str | tuple[str, str],
    type: str | None = None,  # noqa: A002 - the word that users know
    order_by: str | Sequence[str] = (),
    id: str | None = None,  # noqa: A002 - as type
    partition_by: str | Sequence[str] = (),
    output: str = "matches",
    options: Options | Mapping[str, object] | None = None,
) -> Any:
    """The matches of a query among events, as the same kind of frame that the events came in.

    A dataset or a reader of Arrow, and a lazy frame of polars, need not fit into memory; what comes
    back of them, a reader or a lazy frame, finds the matches while it is read.

    >>> import pyarrow as pa
    >>> clicks = pa.table({"t": [1, 2, 3], "event": ["Search", "Review", "Purchase"]})
    >>> pattern = (
    ...     "PATTERN SEQ(Search s, Purchase p) WITHIN 10 RETURN s.t AS searched, p.t AS bought"
    ... )
    >>> match(clicks, pattern, time="t", type="event").to_pylist()
    [{'searched': 1, 'bought': 3}]
    """
    chosen = read_options(options)
    form = output_form(output)
    plan = planner(
        query,
        chosen,
        time=time,
        type=type,
        order_by=order_by,
        id=id,
        partition_by=partition_by,
    )
    if is_from("pyspark.sql", "DataFrame", events):
        from kleene.spark.batch import match_batch  # noqa: PLC0415 - Spark is there, so it is loaded

        in_a_task = partial(evaluated, options=chosen)
        ahead = partial(compiled_ahead, options=chosen)
        return match_batch(
            events,
            plan,
            in_a_task,
            ahead,
            form,
            fails_on_bad_rows=chosen.bad_rows == "error",
            slices_keys=chosen.large_keys == "sliced",
        )
    source = source_of(events)
    if source is not None:
        return source.back(prepare(source, Call(plan, form, chosen, evaluated)))
    table, back = to_arrow(events)
    logical = plan(table.schema)
    output_schema(logical, form)  # what cannot come back is refused before anything runs
    found = evaluated(logical, table, form, chosen, available())
    bad_rows = BadRows(chosen)
    bad_rows.bad(found.bad_rows)
    bad_rows.report()
    batches = within(found.batches, chosen.max_bytes, found.place)
    return back(pa.Table.from_batches(batches, schema=found.schema))


def evaluated(
    query: LogicalQuery, table: pa.Table, form: OutputForm, options: Options, threads: int = 1
) -> Found:
    """The output by a kernel; by the definition where that is asked for or time is imprecise."""
    if options.defines(query.resolved.shape):
        found = meaning(query, table.to_pylist(), _unit(options, query.resolved.shape))
        return found_in(to_table(query, form, found), found.bad_rows)
    try:
        return evaluate(query, table, form, options.limits, threads, method=options.method)
    except Unsupported as reason:
        raise options.refused(reason) from None


def evaluated_all(
    queries: Mapping[str, LogicalQuery],
    table: pa.Table,
    form: OutputForm,
    options: Options,
    threads: int = 1,
) -> Sequence[Found]:
    """The outputs of several queries that know the same columns; errors name the query."""
    found: list[Found] = []
    asked: list[Prepared] = []
    for name, query in queries.items():
        with naming(name):
            if options.defines(query.resolved.shape):
                found.append(evaluated(query, table, form, options))
            else:
                asked.append(_prepared(query, form, options))
    return found or evaluate_all(asked, table, options.limits, threads)


def _prepared(query: LogicalQuery, form: OutputForm, options: Options) -> Prepared:
    try:
        return prepared(query, form, options.method)
    except Unsupported as reason:
        raise options.refused(reason) from None


def compiled_ahead(query: LogicalQuery, form: OutputForm, options: Options) -> None:
    """Have the kernel compiled by the time that tasks need it, while Spark reads and shuffles."""
    if options.evaluation != "denotation":
        with suppress(Unsupported):
            kernel = prepared(query, form, options.method).walks
            if not kernel.wide:
                compile_ahead(kernel.source, kernel.kinds)


def _unit(options: Options, shape: EventShape) -> int | Decimal:
    """The distance of two points of the time line, in the numbers that times are kept in."""
    unit = options.unit_length()
    if not shape.imprecise:
        return 1
    if is_number(shape.time_type):
        if isinstance(unit, Duration):
            reason = f"{shape.time[0]} is a number, and unit is a length of time"
            raise UnknownOptionError(reason, NOWHERE, "write the unit as a number: unit=1")
        return 1 if unit is None else _held(unit, options, shape)
    if not isinstance(unit, Duration):
        raise UnknownOptionError(
            "imprecise timestamps need the unit of their time line",
            NOWHERE,
            'for example options=kleene.Options(unit="1 second")',
        )
    return _held(unit.microseconds, options, shape)


def _held(extent: int | Decimal, options: Options, shape: EventShape) -> int | Decimal:
    """A unit that the column can hold: else some points, which come back, would be no times."""
    kind = shape.time_type
    if not pa.types.is_floating(kind):
        try:
            (held,) = pa.array([to_time(extent, kind)], kind).to_pylist()
        except pa.ArrowInvalid:
            held = None
        if moment(held) != extent:
            raise UnknownOptionError(
                f"unit cannot be {options.unit!r}: {shape.time[0]} ({kind}) does not hold it",
                NOWHERE,
                "cast the bounds to a type with smaller parts, or choose a larger unit",
            )
    return extent
