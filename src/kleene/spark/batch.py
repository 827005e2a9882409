"""`kleene.match` on a DataFrame of Spark: a plan, which runs when its result is asked for."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from kleene.errors import NOWHERE, InputError
from kleene.logical.algebra import LogicalQuery
from kleene.logical.output import OutputForm, output_schema
from kleene.runtime.evaluate import Evaluate
from kleene.runtime.needs import pruned
from kleene.runtime.shares import Shares, partially, plan_tasks, span_shares, why_whole
from kleene.runtime.slices import WINDOWS_PER_SLICE, WINDOWS_PER_SLICE_OF_KEY, sliced
from kleene.spark.groups import Finish, added_up
from kleene.spark.reports import OneTaskWarning, observe
from kleene.spark.rows import Rows, check_keys
from kleene.spark.task import Task
from kleene.spark.types import arrow_schema, spark_schema


def match_batch(  # noqa: PLR0913 - as match
    events: DataFrame,
    plan: Callable[[pa.Schema], LogicalQuery],
    evaluate: Evaluate,
    ahead: Callable[[LogicalQuery, OutputForm], None],
    form: OutputForm,
    *,
    fails_on_bad_rows: bool,
    slices_keys: bool,
) -> DataFrame:
    """The matches among the rows of a DataFrame, lazily: building the plan runs no job.

    What cannot be is refused here all the same: the query is evaluated on no events.
    """
    query = plan(columns_of(events))
    check_keys(query)
    asked = Asked.of(query, output_schema(query, form), form, slices_keys=slices_keys)
    if not asked.shares.cuts:
        warnings.warn(_why_one_task(query, form), OneTaskWarning, stacklevel=3)
    rows, task = distributed(events, asked, evaluate, fails_on_bad_rows=fails_on_bad_rows)
    ahead(task.query, form)
    found = result(rows.frame, task, asked.finish).toDF(*asked.output.names)
    if rows.observation is not None:
        observe(found, rows.observation)
    return found


def columns_of(events: DataFrame) -> pa.Schema:
    """The columns of events, which are no stream."""
    if events.isStreaming:
        raise InputError("events cannot be read from a stream yet", NOWHERE, "read them as a batch")
    return arrow_schema(events.schema)


@dataclass(frozen=True)
class Asked:
    """A query over the columns that it needs, and how its work is shared out."""

    query: LogicalQuery
    form: OutputForm
    output: pa.Schema
    shares: Shares
    finish: Finish | None
    """What adds up groups that may span tasks."""

    @staticmethod
    def of(query: LogicalQuery, output: pa.Schema, form: OutputForm, *, slices_keys: bool) -> Asked:
        """A query that is asked for a form of output."""
        needed = pruned(query, form)
        shares = plan_tasks(needed, form, slices_keys=slices_keys)
        return Asked(needed, form, output, shares, _finish(needed, output, shares))


def distributed(
    events: DataFrame, asked: Asked, evaluate: Evaluate, *, fails_on_bad_rows: bool
) -> tuple[Rows, Task]:
    """The rows of a query where its tasks find them, and what these do."""
    query, form, shares = asked.query, asked.form, asked.shares
    output = asked.output if asked.finish is None else asked.finish.parts
    query = query if asked.finish is None else partially(query)
    rows = Rows(events, query)
    rows.keep_relevant(keyed=shares.keyed, fails_on_bad_rows=fails_on_bad_rows)
    rows.share_out(shares)
    query = query if shares.slices is None else sliced(query, shares.slices)
    evaluate(query, query.resolved.shape.schema.empty_table(), form)
    return rows, Task(query, form, output, evaluate, shares.cuts, shares.slices, fails_on_bad_rows)


def distribution(
    query: LogicalQuery, form: OutputForm, *, slices_keys: bool
) -> tuple[tuple[str, str], ...]:
    """Which columns a query reads of a DataFrame, and how Spark's tasks share the work."""
    needed = pruned(query, form)
    columns = ", ".join(needed.resolved.shape.schema.names)
    shares = plan_tasks(needed, form, slices_keys=slices_keys)
    how = _how_cut(needed, form, shares)
    if span_shares(needed, shares):
        how += "; what they find of each group is added up behind them"
    elif form is OutputForm.COUNT and shares.keyed and shares.slices is not None:
        how += "; what they count of each partition is added up behind them"
    return (("columns", columns), ("tasks", how))


def _how_cut(query: LogicalQuery, form: OutputForm, shares: Shares) -> str:
    match shares:
        case Shares(keyed=True, slices=None):
            return "whole partitions, hashed by their keys"
        case Shares(keyed=True):
            long = f"{WINDOWS_PER_SLICE_OF_KEY} windows long, that overlap by one"
            return f"partitions, hashed by their keys and by slices of time, {long}"
        case Shares(slices=None):
            return _why_one_task(query, form)
        case _:
            return f"slices of time, {WINDOWS_PER_SLICE} windows long, that overlap by one"


def _finish(query: LogicalQuery, output: pa.Schema, shares: Shares) -> Finish | None:
    """What adds up groups that may span tasks."""
    grouping = query.resolved.grouping
    if grouping is None or not span_shares(query, shares):
        return None
    parts = output_schema(partially(query), OutputForm.MATCHES)
    return Finish(query.resolved.source, grouping, parts, output)


def result(frame: DataFrame, task: Task, finish: Finish | None) -> DataFrame:
    """What the tasks yield; columns go by their place until nothing reads their names any more."""
    safe = (field.with_name(f"c{place}") for place, field in enumerate(task.output))
    found = frame.mapInArrow(task, spark_schema(pa.schema(safe)))
    if task.counts_all:
        total = "CASE WHEN count(c0) = 0 THEN 0 ELSE sum(c0) END"
        found = found.selectExpr(f"CAST({total} AS decimal(38, 0)) AS c0")
    elif task.counts_in_parts:
        *keys, count = found.columns
        added = sf.sum(count).cast("decimal(38, 0)")
        found = found.groupBy(*keys).agg(added.alias(count))
    return found if finish is None else added_up(found, finish)


def _why_one_task(query: LogicalQuery, form: OutputForm) -> str:
    return f"the query runs as one task of Spark: {why_whole(query, form)}"
