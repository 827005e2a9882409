"""The job that the demo watches: on two cores, with a skewed stage and tasks that fail."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import SparkSession

Step = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]

CUSTOMERS, RESELLER = 200, 7
"""Customers of the shop, and the one who places most of the orders."""
ORDERS, READERS, PRICERS = 6_000, 4, 8
LOOK_UP = 0.0012
"""Seconds that the price service takes for an order."""
_SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""For a Java that lives for seconds: compiling thoroughly would cost more than it brings."""
FAILURES = {2: 1, 4: 2}
"""Injected failures: so many attempts of these partitions fail, and the next succeeds."""


def session(folder: Path, *, logged: bool) -> SparkSession:
    """Spark in this process; if `logged`, it writes its event log into a folder."""
    settings = {
        "spark.driver.extraJavaOptions": _SHORT_LIVED,
        "spark.eventLog.enabled": str(logged).lower(),
        "spark.eventLog.dir": folder.as_uri(),
        "spark.log.level": "WARN",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master("local[2,4]").appName("Price the orders of a shop")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def run_job(spark: SparkSession) -> int:
    """Price all orders, and count them."""
    customer = f"IF(id % 5 < 4, {RESELLER}, id % {CUSTOMERS}) AS customer"
    orders = spark.range(0, ORDERS, 1, READERS).selectExpr("id", customer)
    check, price = _steps()
    checked = orders.mapInArrow(check, orders.schema)
    priced = checked.repartition(PRICERS, "customer").mapInArrow(price, "orders long")
    return sum(row.orders for row in priced.collect())


def _steps() -> tuple[Step, Step]:
    """What the tasks of the two stages do; made here, so that workers need not import Kleene."""

    def check(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            time.sleep(batch.num_rows * LOOK_UP / 4)
            yield batch

    def price(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        task = TaskContext.get()
        assert task is not None
        orders = sum(batch.num_rows for batch in batches)
        if task.attemptNumber() < FAILURES.get(task.partitionId(), 0):
            time.sleep(orders * LOOK_UP / 2)
            raise ConnectionError("the price service does not answer")
        time.sleep(orders * LOOK_UP)
        yield pa.record_batch({"orders": pa.array([orders], pa.int64())})

    return check, price


@contextmanager
def quiet(log: Path) -> Iterator[None]:
    """Whatever starts in here writes its messages into a file: Java and all below it."""
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        with log.open("ab") as file:
            os.dup2(file.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
