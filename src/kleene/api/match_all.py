"""`kleene.match_all`: the matches of several queries among the same events, in one pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from kleene.api.bad_rows import BadRows
from kleene.api.frames import is_from, to_arrow
from kleene.api.match import compiled_ahead, evaluated_all
from kleene.api.options import Options, read_options
from kleene.api.plan import output_form, planner_of_all
from kleene.api.sources import source_of
from kleene.api.stream import CallAll, prepare_all
from kleene.errors import NOWHERE, UnknownOptionError
from kleene.language.syntax import Query
from kleene.runtime.evaluate import Found
from kleene.runtime.joined import Joined, joined
from kleene.runtime.limits import within
from kleene.runtime.many import rows_of
from kleene.runtime.threads import available


def match_all(  # noqa: PLR0913 - as match
    events: Any,
    queries: Mapping[str, str | Query],
    *,
    time: str | tuple[str, str],
    type: str | None = None,  # noqa: A002 - the word that users know
    order_by: str | Sequence[str] = (),
    id: str | None = None,  # noqa: A002 - as type
    partition_by: str | Sequence[str] = (),
    output: str = "matches",
    options: Options | Mapping[str, object] | None = None,
) -> Any:
    """The matches of several queries, by name, as `match` finds them, in one frame.

    The column `query` has the name of the query. Behind it stand the columns of all queries, in the
    order in which they are met; names are compared as Spark does, and a column that a query does
    not have is null in its rows. Two queries that give one name to columns of different types are
    refused, and so is one that has a column called `query`: `RETURN … AS …` names columns.

    Events are read once. Queries that partition alike share the choice of events, sorting, and
    what is read of each event. On Spark they also share the shuffle: all that have the same
    partition keys; all that are cut into slices of time, as long as the longest window wants them;
    and all that run as one task. Queries that share nothing of that kind, and groups that span
    tasks, read and shuffle apart. Events of a dataset, a reader or a lazy frame that memory does
    not hold go through files of each query.

    >>> clicks = pa.table({"t": [1, 2, 3], "event": ["Search", "Review", "Purchase"]})
    >>> queries = {
    ...     "bought": "PATTERN SEQ(Search s, Purchase p) WITHIN 10 RETURN s.t AS start, p.t",
    ...     "read": "PATTERN SEQ(Search s, Review r) WITHIN 10 RETURN s.t AS start",
    ... }
    >>> match_all(clicks, queries, time="t", type="event").to_pylist()
    [{'query': 'bought', 'start': 1, 't': 3}, {'query': 'read', 'start': 1, 't': None}]
    """
    chosen = read_options(options)
    form = output_form(output)
    plan = planner_of_all(
        queries,
        chosen,
        form,
        time=time,
        type=type,
        order_by=order_by,
        id=id,
        partition_by=partition_by,
    )
    if is_from("pyspark.sql", "DataFrame", events):
        from kleene.spark.many import match_all_batch  # noqa: PLC0415 - Spark is there

        _refuse_sliced_keys(chosen)
        fails = chosen.bad_rows == "error"
        in_a_task = partial(evaluated_all, options=chosen)
        ahead = partial(compiled_ahead, options=chosen)
        return match_all_batch(events, plan, in_a_task, ahead, form, fails_on_bad_rows=fails)
    source = source_of(events)
    if source is not None:
        return source.back(prepare_all(source, CallAll(plan, form, chosen, evaluated_all)))
    table, back = to_arrow(events)
    asked = plan(table.schema)
    columns = joined(asked)
    named = {one.name: one.query for one in asked}
    found = evaluated_all(named, table, form, chosen, available())
    bad_rows = BadRows(chosen)
    bad_rows.bad(found[0].bad_rows)
    bad_rows.report()
    return back(pa.Table.from_batches(_collected(found, columns, chosen), schema=columns.schema))


def _refuse_sliced_keys(options: Options) -> None:
    """Slices of keys are as long as the window of one query wants them."""
    if options.large_keys != "whole":
        raise UnknownOptionError(
            f"large_keys cannot be {options.large_keys!r} for several queries at once",
            NOWHERE,
            "ask for each query by kleene.match, or leave large_keys out",
        )


def _collected(
    found: Sequence[Found], columns: Joined, options: Options
) -> Iterator[pa.RecordBatch]:
    """The rows of all queries, which together take no more than the call may."""
    current = found[0]

    def rows() -> Iterator[pa.RecordBatch]:
        nonlocal current
        for number, current in enumerate(found):
            yield from rows_of(number, current, columns)

    def place() -> str:
        return current.place()

    return within(rows(), options.max_bytes, place)
