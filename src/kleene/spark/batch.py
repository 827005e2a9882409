"""`kleene.match` on a DataFrame of Spark: a plan, which runs when its result is asked for."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import pyarrow as pa
from pyspark.sql import DataFrame

from kleene.errors import NOWHERE, InputError
from kleene.language.syntax import Strategy
from kleene.logical.algebra import LogicalQuery
from kleene.logical.output import OutputForm, output_schema
from kleene.spark.needs import pruned, skips
from kleene.spark.reports import OneTaskWarning, observe
from kleene.spark.rows import Rows, check_keys
from kleene.spark.slices import WINDOWS_PER_SLICE, plan_slices, sliced
from kleene.spark.task import Evaluate, Task
from kleene.spark.types import arrow_schema, spark_schema


def match_batch(
    events: DataFrame,
    plan: Callable[[pa.Schema], LogicalQuery],
    evaluate: Evaluate,
    form: OutputForm,
    *,
    fails_on_bad_rows: bool,
) -> DataFrame:
    """The matches among the rows of a DataFrame, lazily: building the plan runs no job.

    What cannot be is refused here all the same: the query is evaluated on no events.
    """
    if events.isStreaming:
        raise InputError("events cannot be read from a stream yet", NOWHERE, "read them as a batch")
    query = plan(arrow_schema(events.schema))
    check_keys(query)
    output = output_schema(query, form)
    query = pruned(query, form)
    rows = Rows(events, query)
    keyed = _is_keyed(query)
    slices = None if keyed else plan_slices(query, form)
    rows.keep_relevant(keyed=keyed, fails_on_bad_rows=fails_on_bad_rows)
    if keyed:
        rows.by_key()
    elif slices is not None:
        rows.by_slice(slices)
        query = sliced(query, slices)
    else:
        warnings.warn(_why_one_task(query, form), OneTaskWarning, stacklevel=3)
        rows.in_one_task()
    evaluate(query, query.resolved.shape.schema.empty_table(), form)
    cuts = keyed or slices is not None
    task = Task(query, form, output, evaluate, cuts, slices, fails_on_bad_rows)
    found = _result(rows.frame, task)
    if rows.observation is not None:
        observe(found, rows.observation)
    return found


def distribution(query: LogicalQuery, form: OutputForm) -> tuple[tuple[str, str], ...]:
    """Which columns a query reads of a DataFrame, and how Spark's tasks share the work."""
    needed = pruned(query, form)
    columns = ", ".join(needed.resolved.shape.schema.names)
    if _is_keyed(needed):
        how = "whole partitions, hashed by their keys"
    elif plan_slices(needed, form) is not None:
        how = f"slices of time, {WINDOWS_PER_SLICE} windows long, that overlap by one"
    else:
        how = _why_one_task(needed, form)
    return (("columns", columns), ("tasks", how))


def _is_keyed(query: LogicalQuery) -> bool:
    """Whether matches can be found key by key: neighbours in the whole input cannot."""
    resolved = query.resolved
    return bool(resolved.partition_by) and resolved.strategy is not Strategy.STRICT


def _result(frame: DataFrame, task: Task) -> DataFrame:
    """What the tasks yield; columns go by their place until nothing reads their names any more."""
    safe = (field.with_name(f"c{place}") for place, field in enumerate(task.output))
    found = frame.mapInArrow(task, spark_schema(pa.schema(safe)))
    if task.counts_all:
        total = "CASE WHEN count(c0) = 0 THEN 0 ELSE sum(c0) END"
        found = found.selectExpr(f"CAST({total} AS decimal(38, 0)) AS c0")
    return found.toDF(*task.output.names)


def _why_one_task(query: LogicalQuery, form: OutputForm) -> str:
    """Why the whole input is matched in one place, and what would change it."""
    resolved = query.resolved
    if resolved.partition_by:
        why, how = "strict_contiguity is about the whole input", "partition_contiguity is not"
    elif skips(query):
        why, how = "AFTER MATCH walks the matches of a partition in order", "PARTITION BY a key"
    elif resolved.window is None:
        why, how = "it has neither a window nor a partition key", "add WITHIN or PARTITION BY"
    else:
        why = f"this pattern with output={form.value!r} cannot be cut into slices of time"
        how = "PARTITION BY a key"
    return f"the query runs as one task of Spark: {why}; {how}"
