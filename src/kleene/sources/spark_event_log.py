"""The event log that Spark writes of an application, as a DataFrame of events."""

from __future__ import annotations

import re
from collections.abc import Mapping
from os import PathLike, fspath

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from kleene.errors import NOWHERE, InputError
from kleene.sources.spark_event_columns import JOINED, LINE, OWN, PLACE, TYPE

_FIRST = ("log", "position", "time", "started", "type", "job", "execution")
_PACKED = re.compile(r"\.(zstd|lz4|lzf|snappy)(\.inprogress|\.compact)?$")
_READS_ZSTD = (4, 1)


def spark_event_log(spark: SparkSession, path: str | PathLike[str]) -> DataFrame:
    """The events of Spark's own event log: jobs, stages, tasks and executors, one row each.

    `path` is a file, a rolling log (a folder `eventlog_v2_…`), or a folder of many logs, such as
    `spark.eventLog.dir`; the application may still be running. The time is in the column `time`,
    the type in `type`, and `position` is the place in the log, which breaks ties of time:

        events = spark_event_log(spark, "/var/log/spark-events")
        kleene.match(events, query, time="time", type="type", order_by="position")

    Types are ApplicationStart, ApplicationEnd, ExecutorAdded, ExecutorRemoved, SQLStart, SQLEnd,
    SQLFailed, JobStart, JobEnd, JobFailed, StageSubmitted, StageCompleted, StageFailed, TaskStart,
    TaskEnd, TaskFailed and TaskKilled. `docs/spark-event-log.md` explains every column.
    """
    reader = spark.read.schema(LINE).option("recursiveFileLookup", "true")
    lines = reader.json(fspath(path))
    _check_files(lines.inputFiles(), spark.version)
    placed = lines.selectExpr("*", *_aliased(PLACE), f"{TYPE} AS type")
    typed = placed.filter("type IS NOT NULL")
    stage, job = _member("stage", OWN["stage"]), _member("job", "`Job ID`")
    of = f"if({OWN['stage']} IS NULL, {job}, {stage}) AS of"
    own = typed.selectExpr("log", "position", "type", of, *_aliased(OWN | JOINED))
    return _with_jobs(typed, own)


def _aliased(columns: Mapping[str, str]) -> list[str]:
    return [f"{expression} AS {name}" for name, expression in columns.items()]


def _member(kind: str, number: str) -> str:
    """A stage or a job, as what it has in common with its events."""
    return f"named_struct('kind', '{kind}', 'number', {number})"


def _with_jobs(typed: DataFrame, own: DataFrame) -> DataFrame:
    """The events, each with its job and SQL execution: those of the first job with its stage."""
    stages = f"transform(`Stage IDs`, stage -> {_member('stage', 'stage')})"
    members = f"explode(concat({stages}, array({_member('job', '`Job ID`')}))) AS of"
    jobs = (
        typed.filter("type = 'JobStart'")
        .selectExpr("log", members, *_aliased(JOINED))
        .groupBy("log", "of")
        .agg(sf.expr("min(struct(job, execution)) AS first"))
    )
    found = own.join(sf.broadcast(jobs), ["log", "of"], "left")
    told = {name: f"coalesce({name}, first.{name}) AS {name}" for name in JOINED}
    rest = [name for name in OWN if name not in _FIRST]
    return found.selectExpr(*(told.get(name, name) for name in (*_FIRST, *rest)))


def _check_files(names: list[str], version: str) -> None:
    """Refuse what Spark would take for text, or not be able to unpack."""
    reads_zstd = tuple(map(int, version.split(".")[:2])) >= _READS_ZSTD
    for name in names:
        packed = _PACKED.search(name)
        if packed is None or (reads_zstd and packed[0] == ".zstd"):
            continue
        file = name.rsplit("/", 1)[-1]
        if packed[1] != "zstd":
            hint = "spark.eventLog.compression.codec=zstd, the default, writes what can be read"
        elif packed[2] is not None:
            hint = "wait until the application has ended, or let it write a rolling log"
        else:
            hint = "read it with Spark 4.1 or newer, or unpack it: zstd -d"
        raise InputError(f"Spark {version} cannot unpack {file}", NOWHERE, hint)
