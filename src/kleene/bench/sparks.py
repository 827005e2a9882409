"""Spark for variants: one session for all of them, results that go nowhere, and their answers."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from pyspark.sql import DataFrame, SparkSession

from kleene.bench.answers import BASE, MODULUS
from kleene.bench.experiment import Answer, Place

ON_SPARK = Place("Spark")
CORES = 2
_SETTINGS = {
    "spark.driver.memory": "4g",
    "spark.sql.shuffle.partitions": "8",
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.pyspark.python": sys.executable,
}


def session(more: Mapping[str, str] = MappingProxyType({})) -> SparkSession:
    """The session of this process; whoever is first may have it with more settings."""
    builder = SparkSession.builder.master(f"local[{CORES}]").appName("kleene bench")
    for name, value in {**_SETTINGS, **more}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def consume(frame: DataFrame) -> DataFrame:
    """Compute every row and column, and keep nothing."""
    frame.write.format("noop").mode("overwrite").save()
    return frame


def answer_on_spark(found: DataFrame, columns: Sequence[str]) -> Answer:
    """The answer that a DataFrame holds."""
    mixed = columns[0]
    for column in columns[1:]:
        mixed = f"({mixed} * {BASE} + {column}) % {MODULUS}"
    row = found.selectExpr("count(*)", f"coalesce(sum(({mixed}) % {MODULUS}), 0)").collect()[0]
    return Answer(row[0], row[1])
