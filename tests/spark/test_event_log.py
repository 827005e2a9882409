"""Spark's event log as events, on logs made here; the demo reads one that Spark wrote."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import kleene
from kleene.cli.demo_questions import QUESTIONS
from kleene.errors import InputError
from spark.conftest import prepare_environment

PAGE = Path(__file__).parent.parent.parent / "docs" / "spark-event-log.md"
pytestmark = pytest.mark.spark

SQL = "org.apache.spark.sql.execution.ui.SparkListenerSQLExecution"
TRACEBACK = """[PYTHON_EXCEPTION] An exception was thrown from the Python worker: Traceback (most \
recent call last):
  File "job.py", line 16, in work
    raise OSError("no answer")
OSError: no answer
 SQLSTATE: 38000"""


def line(event: str, **fields: Any) -> str:
    return json.dumps({"Event": event if "." in event else f"SparkListener{event}", **fields})


def job_start(job: int, time: int, stages: list[int], execution: int | None = None) -> str:
    properties = {} if execution is None else {"spark.sql.execution.id": str(execution)}
    told = {"Job ID": job, "Submission Time": time, "Stage IDs": stages, "Properties": properties}
    return line("JobStart", **told)


def stage(event: str, number: int, **fields: Any) -> str:
    info = {"Stage ID": number, "Stage Attempt ID": 0, "Stage Name": "count", "Number of Tasks": 3}
    return line(event, **{"Stage Info": info | fields})


def task(event: str, number: int, launch: int, finish: int = 0, **fields: Any) -> str:
    info = {
        "Task ID": 10 + number,
        "Index": number,
        "Attempt": 0,
        "Partition ID": number,
        "Launch Time": launch,
        "Finish Time": finish,
        "Executor ID": "1",
        "Host": "h1",
        "Locality": "ANY",
        "Speculative": False,
    }
    return line(event, **{"Stage ID": 5, "Stage Attempt ID": 0, "Task Info": info}, **fields)


def end(number: int, launch: int, finish: int, **reason: Any) -> str:
    return task("TaskEnd", number, launch, finish, **{"Task End Reason": reason})


METRICS = {
    "Executor Run Time": 7,
    "Executor CPU Time": 5_999_999,
    "JVM GC Time": 2,
    "Memory Bytes Spilled": 100,
    "Disk Bytes Spilled": 50,
    "Input Metrics": {"Bytes Read": 30, "Records Read": 3},
    "Shuffle Read Metrics": {
        "Remote Bytes Read": 1,
        "Local Bytes Read": 2,
        "Total Records Read": 4,
        "Fetch Wait Time": 6,
    },
    "Shuffle Write Metrics": {"Shuffle Bytes Written": 8, "Shuffle Records Written": 9},
}
APPLICATION = [
    line("LogStart", **{"Spark Version": "4.3.0"}),
    line("ExecutorAdded", **{"Timestamp": 1, "Executor ID": "1", "Executor Info": {"Host": "h1"}}),
    line("ApplicationStart", **{"App Name": "shop", "App ID": "app-1", "Timestamp": 2}),
    line(f"{SQL}Start", executionId=3, time=4, description="show"),
    job_start(0, 5, [4, 5], execution=3),
    stage("StageSubmitted", 5, **{"Submission Time": 6}),
    *(task("TaskStart", number, 7) for number in range(4)),
    task(
        "TaskEnd", 0, 7, 17, **{"Task End Reason": {"Reason": "Success"}, "Task Metrics": METRICS}
    ),
    end(1, 7, 18, Reason="ExceptionFailure", Description=TRACEBACK),
    end(2, 7, 19, Reason="TaskKilled", **{"Kill Reason": "another attempt succeeded"}),
    end(3, 7, 20, Reason="FetchFailed", Message="Connection refused\n at Netty"),
    line("ExecutorRemoved", **{"Timestamp": 21, "Executor ID": "1", "Removed Reason": "lost"}),
    stage("StageCompleted", 5, **{"Submission Time": 6, "Completion Time": 22}),
    stage(
        "StageCompleted",
        5,
        **{"Submission Time": 6, "Completion Time": 23, "Failure Reason": "Job aborted\nwhy"},
    ),
    line(
        "JobEnd",
        **{
            "Job ID": 0,
            "Completion Time": 24,
            "Job Result": {"Result": "JobFailed", "Exception": {"Message": "Job aborted\nwhy"}},
        },
    ),
    line(f"{SQL}End", executionId=3, time=25, errorMessage="Job aborted"),
    line(
        "JobEnd", **{"Job ID": 9, "Completion Time": 26, "Job Result": {"Result": "JobSucceeded"}}
    ),
    line(f"{SQL}End", executionId=4, time=27, errorMessage=""),
    line("ApplicationEnd", Timestamp=28),
]


def write(path: Path, lines: Iterable[str], last: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{one}\n" for one in lines) + last, "utf-8")
    return path


def read(spark: Any, path: Path) -> list[dict[str, Any]]:
    """The events in their order, times as milliseconds."""
    from kleene.sources import spark_event_log  # noqa: PLC0415 - Spark is there by now

    sorted_events = spark_event_log(spark, path).orderBy("log", "time", "position")
    rows: list[dict[str, Any]] = sorted_events.toArrow().to_pylist()
    for row in rows:
        for name in ("time", "started"):
            row[name] = row[name] and round(row[name].timestamp() * 1000)
    return rows


@pytest.fixture(scope="module")
def events(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The events of the application."""
    return read(spark, write(tmp_path_factory.mktemp("logs") / "app-1", APPLICATION))


def test_every_type_of_event(events: list[dict[str, Any]]) -> None:
    names = ("time", "type", "job", "execution", "stage", "partition", "duration_ms", "message")
    starts = [(7, "TaskStart", 0, 3, 5, number, None, None) for number in range(4)]
    assert [tuple(row[name] for name in names) for row in events] == [
        (1, "ExecutorAdded", None, None, None, None, None, None),
        (2, "ApplicationStart", None, None, None, None, None, None),
        (4, "SQLStart", None, 3, None, None, None, None),
        (5, "JobStart", 0, 3, None, None, None, None),
        (6, "StageSubmitted", 0, 3, 5, None, None, None),
        *starts,
        (17, "TaskEnd", 0, 3, 5, 0, 10, None),
        (18, "TaskFailed", 0, 3, 5, 1, 11, "OSError: no answer"),
        (19, "TaskKilled", 0, 3, 5, 2, 12, "another attempt succeeded"),
        (20, "TaskFailed", 0, 3, 5, 3, 13, "Connection refused"),
        (21, "ExecutorRemoved", None, None, None, None, None, "lost"),
        (22, "StageCompleted", 0, 3, 5, None, 16, None),
        (23, "StageFailed", 0, 3, 5, None, 17, "Job aborted"),
        (24, "JobFailed", 0, 3, None, None, None, "Job aborted"),
        (25, "SQLFailed", None, 3, None, None, None, "Job aborted"),
        (26, "JobEnd", 9, None, None, None, None, None),
        (27, "SQLEnd", None, 4, None, None, None, None),
        (28, "ApplicationEnd", None, None, None, None, None, None),
    ]


def test_what_is_known_of_a_task(events: list[dict[str, Any]]) -> None:
    (found,) = (row for row in events if row["type"] == "TaskEnd")
    expected = {
        "log": "app-1",
        "started": 7,
        "stage_attempt": 0,
        "task": 10,
        "attempt": 0,
        "speculative": False,
        "executor": "1",
        "host": "h1",
        "locality": "ANY",
        "run_ms": 7,
        "cpu_ms": 5,
        "gc_ms": 2,
        "fetch_wait_ms": 6,
        "input_bytes": 30,
        "input_rows": 3,
        "shuffle_read_bytes": 3,
        "shuffle_read_rows": 4,
        "shuffle_write_bytes": 8,
        "shuffle_write_rows": 9,
        "memory_spill_bytes": 100,
        "disk_spill_bytes": 50,
        "reason": "Success",
    }
    assert {name: found[name] for name in expected} == expected


def test_a_stage_belongs_to_the_first_job_that_names_it(spark: Any, tmp_path: Path) -> None:
    lines = [
        job_start(1, 2, [5], execution=8),
        job_start(0, 1, [5]),
        stage("StageSubmitted", 5, **{"Submission Time": 3}),
    ]
    write(tmp_path / "one", lines)
    write(tmp_path / "other", [job_start(7, 1, [5], execution=9), lines[-1]])
    found = [(row["log"], row["job"], row["execution"]) for row in read(spark, tmp_path)]
    assert found == [
        ("one", 0, None),
        ("one", 1, 8),
        ("one", 0, None),
        ("other", 7, 9),
        ("other", 7, 9),
    ]


def test_a_rolling_log_goes_on_from_file_to_file(spark: Any, tmp_path: Path) -> None:
    folder = tmp_path / "eventlog_v2_app-1"
    write(folder / "appstatus_app-1.inprogress", [])
    for part in (1, 2, 10):
        lines = [task("TaskStart", part * 100 + number, 7) for number in range(3)]
        write(folder / f"events_{part}_app-1", lines)
    rows = read(spark, tmp_path)
    assert [row["partition"] for row in rows] == [
        part * 100 + number for part in (1, 2, 10) for number in range(3)
    ]
    assert {row["log"] for row in rows} == {"app-1"}


def test_a_log_that_is_being_written(spark: Any, tmp_path: Path) -> None:
    half = APPLICATION[6][: len(APPLICATION[6]) // 2]
    path = write(tmp_path / "app-1.inprogress", APPLICATION[:6], last=half)
    rows = read(spark, path)
    assert [row["type"] for row in rows][-2:] == ["JobStart", "StageSubmitted"]
    assert {row["log"] for row in rows} == {"app-1"}


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("app-1.lz4", "compression.codec=zstd"),
        ("app-1.snappy.inprogress", "compression.codec=zstd"),
        ("app-1.zstd.inprogress", "until the application has ended"),
        ("eventlog_v2_app-1/events_1_app-1.lzf", "compression.codec=zstd"),
    ],
)
def test_what_spark_cannot_unpack_is_refused(
    spark: Any, tmp_path: Path, name: str, hint: str
) -> None:
    write(tmp_path / name, ["?"])
    with pytest.raises(InputError) as refused:
        read(spark, tmp_path)
    assert Path(name).name in str(refused.value)
    assert hint in str(refused.value)


def test_the_log_is_matched(spark: Any, tmp_path: Path) -> None:
    from kleene.sources import spark_event_log  # noqa: PLC0415 - Spark is there by now

    events = spark_event_log(spark, write(tmp_path / "app-1", APPLICATION))
    query = """
        SEQ(StageSubmitted s, TaskFailed f, JobFailed j) WHERE [log] AND [job]
        RETURN s.stage, f.message"""
    found = kleene.match(events, query, time="time", type="type", order_by="position")
    assert sorted(found.toArrow().to_pylist(), key=str) == [
        {"stage": 5, "message": "Connection refused"},
        {"stage": 5, "message": "OSError: no answer"},
    ]


def test_the_page_explains_every_column_and_its_queries_fit(spark: Any, tmp_path: Path) -> None:
    from kleene.sources import spark_event_log  # noqa: PLC0415 - Spark is there by now

    events = spark_event_log(spark, write(tmp_path / "app-1", APPLICATION))
    page = PAGE.read_text("utf-8")
    rows = re.findall(r"^\| (`.*?`) \|", page.split("## Columns")[1].split("## ")[0], re.MULTILINE)
    assert sorted(re.findall(r"`(\w+)`", " ".join(rows))) == sorted(events.columns)
    queries = re.findall(r"```kleene\n(.*?)\n```", page, re.DOTALL)
    assert {question.query for question in QUESTIONS} < set(queries)
    for query in queries:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            kleene.match(events, query, time="time", type="type", order_by="position")


ON_CONNECT = """
import sys
from pyspark.sql import SparkSession
from kleene.sources import spark_event_log
builder = SparkSession.builder.remote("local[1]").config("spark.ui.enabled", "false")
spark = builder.config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1").getOrCreate()
rows = spark_event_log(spark, sys.argv[1]).toArrow()
print(type(spark).__module__, rows.num_rows, rows.column("job").to_pylist().count(0))
"""


def test_spark_connect(tmp_path: Path) -> None:
    prepare_environment()
    path = write(tmp_path / "app-1", APPLICATION)
    command = [sys.executable, "-c", ON_CONNECT, str(path)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    told = f"pyspark.sql.connect.session {len(APPLICATION) - 1} 13"
    assert told in result.stdout, result.stderr
