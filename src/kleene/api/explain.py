"""`kleene.explain`: how a query is understood and evaluated, before it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from kleene.api.frames import is_from, normalized, to_arrow
from kleene.api.options import Options, read_options
from kleene.api.plan import output_form, planner
from kleene.explanation.explain import explanation
from kleene.explanation.explanation import Explanation, Facts
from kleene.language.syntax import Query
from kleene.program.columns import Unsupported


def explain(  # noqa: PLR0913 - the roles of columns and the choices of a call
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
    kernel: bool = False,
) -> Explanation:
    """How `match` would understand and evaluate the same call.

    A schema will do in place of events. Of events in this process a few windows are read, to
    estimate the number of matches; of those of Spark only the columns are looked at. With
    `kernel` the generated source is shown too.

    >>> schema = pa.schema([("t", pa.int64()), ("event", pa.string())])
    >>> told = explain(schema, "SEQ(A a, B+ b[], C c) WITHIN 10", time="t", type="event")
    >>> str(told.growth)
    'N · 2^w'
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
    schema, table = _columns(events)
    logical = plan(schema)
    where: Facts = ()
    if is_from("pyspark.sql", "DataFrame", events):
        from kleene.spark.batch import distribution  # noqa: PLC0415 - Spark is there

        where = distribution(logical, form, slices_keys=chosen.large_keys == "sliced")
    try:
        return explanation(
            logical,
            form,
            definition=chosen.evaluation == "denotation",
            method=chosen.method,
            source=kernel,
            where=where,
            events=table,
        )
    except Unsupported as reason:
        raise chosen.refused(reason) from None


def _columns(events: Any) -> tuple[pa.Schema, pa.Table | None]:
    """The columns of events, and the events where they are at hand."""
    match events:
        case pa.Schema():
            return normalized(events.empty_table()).schema, None
        case _ if is_from("pyspark.sql", "DataFrame", events):
            from kleene.spark.types import arrow_schema  # noqa: PLC0415 - Spark is there

            return arrow_schema(events.schema), None
        case _:
            table = to_arrow(events)[0]
            return table.schema, table
