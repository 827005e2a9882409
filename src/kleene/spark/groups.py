"""RETURN … GROUP BY on Spark: groups that may span tasks are added up behind a second shuffle.

Each task then tells what its matches say of each group: keys and parts of aggregates. Equal keys
have one spelling, so Spark brings them together. A whole event is no value that Spark could bring
together, for two of equal content are two; such groups stay within a task.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from kleene.language.expressions import Attribute
from kleene.language.measures import Grouping
from kleene.language.syntax import Query
from kleene.logical.algebra import And, Event, LogicalQuery, Node, Seq
from kleene.runtime.partials import finished, merged
from kleene.spark.reports import MatchingError
from kleene.spark.slices import first_variable
from kleene.spark.task import bounded, chunks, conformed
from kleene.spark.types import spark_schema, spark_type


def span_tasks(query: LogicalQuery, *, keyed: bool, sliced: bool) -> bool:
    """Whether matches of one group may be found by several tasks."""
    grouping = query.resolved.grouping
    if grouping is None:
        return False
    if not grouping.keys:
        return True  # also where there is one task: it may have no rows, and there is a row
    if sliced:
        return first_variable(query) not in _events(grouping)
    if not keyed:
        return False
    columns = {(key.variable, key.path) for key in _attributes(grouping)}
    whole = {("", path) for path in query.resolved.partition_by} <= columns
    return not whole and _always_bound(query.pattern).isdisjoint(_events(grouping))


def needs_one_task(query: LogicalQuery, *, keyed: bool, sliced: bool) -> bool:
    """Whether groups that may span tasks have a whole event as a key."""
    grouping = query.resolved.grouping
    return (
        grouping is not None
        and any(key.is_event for key in grouping.keys)
        and span_tasks(query, keyed=keyed, sliced=sliced)
    )


def _attributes(grouping: Grouping) -> Iterator[Attribute]:
    for key in grouping.keys:
        if isinstance(key.expression, Attribute):
            yield key.expression


def _events(grouping: Grouping) -> set[str]:
    """The single variables whose events are keys."""
    keys = _attributes(grouping)
    return {key.variable for key in keys if not key.path and not key.indices}


def _always_bound(node: Node) -> set[str]:
    """The single variables that every match binds."""
    match node:
        case Event():
            return {node.variable}
        case Seq() | And():
            return {name for part in node.parts for name in _always_bound(part)}
        case _:
            return set()


def partially(query: LogicalQuery) -> LogicalQuery:
    """The query that tells parts of aggregates in place of the rows that come back."""
    grouping = query.resolved.grouping
    assert grouping is not None, "there are parts of groups alone"
    return replace(query, resolved=replace(query.resolved, grouping=grouping.partial()))


@dataclass(frozen=True)
class Finish:
    """Makes rows of parts of groups, which come sorted by their keys."""

    source: Query
    grouping: Grouping
    parts: pa.Schema
    output: pa.Schema

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The rows that come back."""
        keys = [(key.name,) for key in self.grouping.keys]
        read = (conformed(batch, self.parts) for batch in batches if batch.num_rows)
        try:
            for table in chunks(read, keys, self.parts):
                groups = merged([table], self.grouping)
                yield from bounded(finished(groups, self.grouping, self.output))
        except Exception as error:
            raise MatchingError(self.source, error) from error


def added_up(found: DataFrame, finish: Finish) -> DataFrame:
    """The rows of groups of whose matches several tasks have told."""
    keys = [found.columns[place] for place in range(len(finish.grouping.keys))]
    if keys:
        found = found.repartition(*keys).sortWithinPartitions(*keys)
    else:
        found = found.unionAll(_nothing(found, finish)).repartition(1)
    safe = (field.with_name(f"c{place}") for place, field in enumerate(finish.output))
    return found.mapInArrow(finish, spark_schema(pa.schema(safe)))


def _nothing(found: DataFrame, finish: Finish) -> DataFrame:
    """What no matches tell: without keys there is a row, always."""
    parts = zip(finish.grouping.parts, finish.parts, found.columns, strict=True)
    values = [
        sf.lit(0 if part.name == "count" else None).cast(spark_type(field.type)).alias(name)
        for part, field, name in parts
    ]
    return found.sparkSession.range(1, numPartitions=1).select(*values)
