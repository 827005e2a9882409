"""Calls of `match` on Spark Connect, in a process of their own: `python -m support.connect 24`."""

from __future__ import annotations

import json
import sys
from typing import Any

from pyspark.sql import SparkSession

from support.on_spark import Call, without_compiler, written_calls
from support.random_calls import random_calls

_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.session.timeZone": "America/New_York",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
}


def calls(number: int) -> list[Call]:
    """So many calls, a third of them written; others than the first that classic Spark gets."""
    written = written_calls(2 * number)
    random = random_calls(3 * number)[-(number - number // 3) :]
    return [*written[: 2 * (number // 3) : 2], *(drawn.call for drawn in random)]


def session() -> Any:
    """A session of Connect, whose server ends with this process."""
    builder = SparkSession.builder.remote("local[2]")
    for name, value in _SETTINGS.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def main() -> None:
    """Tell how many calls say what the definition says, and what is wrong with the others."""
    spark = session()
    same, other = 0, []
    for call in calls(int(sys.argv[1])):
        try:
            with without_compiler():
                call.check(spark)
            same += 1
        except Exception as error:  # noqa: BLE001 - whatever is wrong is told
            other.append(f"{call.name}: {error!r} {error.__notes__}")
    sys.stdout.write(json.dumps({"session": type(spark).__module__, "same": same, "other": other}))


if __name__ == "__main__":
    main()
