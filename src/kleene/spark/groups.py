"""RETURN … GROUP BY on Spark: groups that may span tasks are added up behind a second shuffle."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from kleene.language.measures import Grouping
from kleene.language.syntax import Query
from kleene.runtime.partials import finished, merged
from kleene.spark.reports import MatchingError
from kleene.spark.task import bounded, chunks, conformed
from kleene.spark.types import spark_schema, spark_type


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
