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
from kleene.spark.groups import Finish, added_up, needs_one_task, partially, span_tasks
from kleene.spark.needs import pruned, skips
from kleene.spark.reports import OneTaskWarning, observe
from kleene.spark.rows import Rows, check_keys
from kleene.spark.slices import WINDOWS_PER_SLICE, Slices, plan_slices, sliced
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
    keyed, slices = _spread(query, form)
    finish = _finish(query, output, keyed=keyed, sliced=slices is not None)
    if finish is not None:
        query, output = partially(query), finish.parts
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
    found = _result(rows.frame, task, finish)
    if rows.observation is not None:
        observe(found, rows.observation)
    return found


def distribution(query: LogicalQuery, form: OutputForm) -> tuple[tuple[str, str], ...]:
    """Which columns a query reads of a DataFrame, and how Spark's tasks share the work."""
    needed = pruned(query, form)
    columns = ", ".join(needed.resolved.shape.schema.names)
    keyed, slices = _spread(needed, form)
    if keyed:
        how = "whole partitions, hashed by their keys"
    elif slices is not None:
        how = f"slices of time, {WINDOWS_PER_SLICE} windows long, that overlap by one"
    else:
        how = _why_one_task(needed, form)
    if span_tasks(needed, keyed=keyed, sliced=slices is not None):
        how += "; what they find of each group is added up behind them"
    return (("columns", columns), ("tasks", how))


def _is_keyed(query: LogicalQuery) -> bool:
    """Whether matches can be found key by key: neighbours in the whole input cannot."""
    resolved = query.resolved
    return bool(resolved.partition_by) and resolved.strategy is not Strategy.STRICT


def _spread(query: LogicalQuery, form: OutputForm) -> tuple[bool, Slices | None]:
    """Whether the work is shared by partition keys, or else by which slices of time, if any."""
    keyed = _is_keyed(query)
    slices = None if keyed else plan_slices(query, form)
    if needs_one_task(query, keyed=keyed, sliced=slices is not None):
        return False, None
    return keyed, slices


def _finish(query: LogicalQuery, output: pa.Schema, *, keyed: bool, sliced: bool) -> Finish | None:
    """What adds up groups that may span tasks."""
    grouping = query.resolved.grouping
    if grouping is None or not span_tasks(query, keyed=keyed, sliced=sliced):
        return None
    parts = output_schema(partially(query), OutputForm.MATCHES)
    return Finish(query.resolved.source, grouping, parts, output)


def _result(frame: DataFrame, task: Task, finish: Finish | None) -> DataFrame:
    """What the tasks yield; columns go by their place until nothing reads their names any more."""
    safe = (field.with_name(f"c{place}") for place, field in enumerate(task.output))
    found = frame.mapInArrow(task, spark_schema(pa.schema(safe)))
    if task.counts_all:
        total = "CASE WHEN count(c0) = 0 THEN 0 ELSE sum(c0) END"
        found = found.selectExpr(f"CAST({total} AS decimal(38, 0)) AS c0")
    if finish is not None:
        return added_up(found, finish).toDF(*finish.output.names)
    return found.toDF(*task.output.names)


def _why_one_task(query: LogicalQuery, form: OutputForm) -> str:
    """Why the whole input is matched in one place, and what would change it."""
    resolved = query.resolved
    keyed = _is_keyed(query)
    cut = not keyed and plan_slices(query, form) is not None
    if needs_one_task(query, keyed=keyed, sliced=cut):
        why = "groups of one event may be found by several tasks"
        how = "GROUP BY attributes of it, or by the partition key too"
    elif resolved.partition_by:
        why, how = "strict_contiguity is about the whole input", "partition_contiguity is not"
    elif skips(query):
        why, how = "AFTER MATCH walks the matches of a partition in order", "PARTITION BY a key"
    elif resolved.window is None:
        why, how = "it has neither a window nor a partition key", "add WITHIN or PARTITION BY"
    else:
        why = f"this pattern with output={form.value!r} cannot be cut into slices of time"
        how = "PARTITION BY a key"
    return f"the query runs as one task of Spark: {why}; {how}"
