"""`kleene.match_all` on a DataFrame of Spark: queries that can share tasks do.

Queries with the same partition keys share a shuffle and its tasks, and so do all that are cut into
slices of time, as long as the widest window wants them, and all that run as one task. Groups of
matches that are added up behind a second shuffle have a plan of their own.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial, reduce

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from kleene.errors import naming, quoted
from kleene.logical.algebra import LogicalQuery
from kleene.logical.output import COUNT_TYPE, OutputForm
from kleene.runtime.evaluate import EvaluateAll, Found
from kleene.runtime.joined import Joined, Output, joined
from kleene.runtime.needs import together
from kleene.runtime.shares import Shares, plan_shares, why_whole
from kleene.runtime.slices import sliced, widest
from kleene.spark.batch import Asked, columns_of, distributed, result
from kleene.spark.groups import Finish
from kleene.spark.reports import OneTaskWarning, observe
from kleene.spark.rows import Rows, check_keys
from kleene.spark.task import Together
from kleene.spark.types import spark_schema, spark_type


def match_all_batch(  # noqa: PLR0913 - as match_batch
    events: DataFrame,
    plan: Callable[[pa.Schema], Sequence[Output]],
    evaluate: EvaluateAll,
    ahead: Callable[[LogicalQuery, OutputForm], None],
    form: OutputForm,
    *,
    fails_on_bad_rows: bool,
) -> DataFrame:
    """The matches of several queries among the rows of a DataFrame, lazily."""
    outputs = plan(columns_of(events))
    for output in outputs:
        with naming(output.name):
            check_keys(output.query)
    asked = [Asked.of(o.query, o.schema, form, slices_keys=False) for o in outputs]
    _warn_of_one_task(outputs, asked)
    call = _Call(events, outputs, joined(outputs), form, evaluate, fails_on_bad_rows)
    parts = [
        call.together(numbers) if finish is None else call.apart(numbers[0], asked[numbers[0]])
        for numbers, finish in _alike(asked)
    ]
    for query in (query for part in parts for query in part.queries):
        ahead(query, form)
    found = reduce(DataFrame.unionAll, (part.frame for part in parts))
    found = found.toDF(*call.columns.schema.names)
    observation = parts[0].rows.observation
    if observation is not None:
        observe(found, observation)
    return found


def _alike(asked: Sequence[Asked]) -> list[tuple[list[int], Finish | None]]:
    """The queries that share tasks, by their numbers."""
    found: dict[Hashable, list[int]] = {}
    for number, one in enumerate(asked):
        found.setdefault(_distribution(number, one), []).append(number)
    return [(numbers, asked[numbers[0]].finish) for numbers in found.values()]


def _distribution(number: int, asked: Asked) -> Hashable:
    """What is equal for queries that share tasks."""
    keys = frozenset(asked.query.resolved.partition_by)
    if asked.finish is not None:
        return number
    if asked.shares.keyed:
        return keys
    return asked.shares.cuts, _is_number(asked)


def _is_number(asked: Asked) -> bool:
    """Whether the output is one number, also where there are no events."""
    return asked.form is OutputForm.COUNT and not asked.query.resolved.partition_by


def _warn_of_one_task(outputs: Sequence[Output], asked: Sequence[Asked]) -> None:
    for output, one in zip(outputs, asked, strict=True):
        if not one.shares.cuts:
            why = why_whole(one.query, one.form)
            text = f"the query {quoted(output.name)} runs as one task of Spark: {why}"
            warnings.warn(text, OneTaskWarning, stacklevel=4)


@dataclass(frozen=True)
class _Part:
    """Some of the queries: what they find, and the rows that they read."""

    frame: DataFrame
    rows: Rows
    queries: tuple[LogicalQuery, ...]


@dataclass(frozen=True)
class _Call:
    """What is asked of some events."""

    events: DataFrame
    outputs: Sequence[Output]
    columns: Joined
    form: OutputForm
    evaluate: EvaluateAll
    fails_on_bad_rows: bool

    @property
    def _names(self) -> list[str]:
        """Columns go by their place until nothing reads their names any more."""
        return [f"c{place}" for place in range(len(self.columns.schema))]

    def together(self, numbers: Sequence[int]) -> _Part:
        """Queries that share tasks."""
        queries = together([self.outputs[number].query for number in numbers], self.form)
        shares = _shares(queries, self.form)
        rows = Rows(self.events, *queries)
        rows.keep_relevant(keyed=shares.keyed, fails_on_bad_rows=self.fails_on_bad_rows)
        rows.share_out(shares)
        if shares.slices is not None:
            queries = [sliced(query, shares.slices) for query in queries]
        named = {self.outputs[n].name: query for n, query in zip(numbers, queries, strict=True)}
        self.evaluate(named, queries[0].resolved.shape.schema.empty_table(), self.form)
        task = Together(
            queries=named,
            numbers=tuple(numbers),
            form=self.form,
            outputs=tuple(self.outputs[number].schema for number in numbers),
            joined=self.columns,
            evaluate=self.evaluate,
            cuts=shares.cuts,
            slices=shares.slices,
            fails_on_bad_rows=self.fails_on_bad_rows,
        )
        fields = zip(self.columns.schema, self._names, strict=True)
        schema = pa.schema([field.with_name(name) for field, name in fields])
        found = rows.frame.mapInArrow(task, spark_schema(schema))
        if task.counts_all:
            found = self._added_up(found, numbers)
        return _Part(found, rows, tuple(queries))

    def _added_up(self, found: DataFrame, numbers: Sequence[int]) -> DataFrame:
        """The numbers of matches that tasks tell of, added up for each query, none told is zero."""
        (place,) = (place for place in self.columns.places[numbers[0]] if place is not None)
        count = self._names[1 + self.columns.places[numbers[0]].index(place)]
        names = [sf.lit(self.columns.names[number]) for number in numbers]
        none = found.sparkSession.range(1, numPartitions=1).select(
            sf.explode(sf.array(*names)).alias("c0"),
            sf.lit(0).cast(spark_type(COUNT_TYPE)).alias(count),
        )
        told = found.select("c0", count).unionAll(none)
        total = told.groupBy("c0").agg(sf.sum(count).cast(spark_type(COUNT_TYPE)).alias(count))
        return total.select(*(self._column(total, name) for name in self._names))

    def apart(self, number: int, asked: Asked) -> _Part:
        """A query whose tasks are followed by others."""
        evaluate = partial(_alone, self.evaluate, self.outputs[number].name)
        rows, task = distributed(
            self.events, asked, evaluate, fails_on_bad_rows=self.fails_on_bad_rows
        )
        found = result(rows.frame, task, asked.finish)
        places = self.columns.places[number]
        own = [None if place is None else found.columns[place] for place in places]
        name = sf.lit(self.columns.names[number]).alias("c0")
        shown = [
            (sf.lit(None) if column is None else found[column]).cast(spark_type(field.type))
            for column, field in zip(own, list(self.columns.schema)[1:], strict=True)
        ]
        return _Part(found.select(name, *shown), rows, (task.query,))

    def _column(self, frame: DataFrame, name: str) -> Column:
        if name in frame.columns:
            return frame[name]
        field = self.columns.schema.field(self._names.index(name))
        return sf.lit(None).cast(spark_type(field.type)).alias(name)


def _shares(queries: Sequence[LogicalQuery], form: OutputForm) -> Shares:
    """How the work of queries is cut that are cut alike."""
    shares = [plan_shares(query, form) for query in queries]
    slices = [one.slices for one in shares if one.slices is not None]
    return Shares(shares[0].keyed, widest(slices) if slices else None)


def _alone(
    evaluate: EvaluateAll, name: str, query: LogicalQuery, table: pa.Table, form: OutputForm
) -> Found:
    (found,) = evaluate({name: query}, table, form)
    return found
