"""The page that answers questions about real logs: its queries, on made-up events and on those."""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import cluster_monitoring as case
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import kleene

START = datetime(2011, 2, 10, 6, 30)  # noqa: DTZ001 - as the logs have it
LOGS = "KLEENE_LOGS"
NAMES = ["Q1", "Q2", "Q3, pulls", "Q3", "Q3, silence", "Q4", "Q5", "Q6", "Q6, all"]


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def attempt(task: str, kind: str, host: str, start: float, end: float) -> list[dict[str, Any]]:
    same = {"task_type": kind, "task_id": task, "attempt_id": task, "host": host}
    finish = {"result": "SUCCESS", "duration_ms": round(1000 * (end - start))}
    return [
        {**same, "type": "ATTEMPT_START", "ts": at(start)},
        {**same, "type": "ATTEMPT_FINISH", "ts": at(end), **finish},
    ]


def hadoop() -> pa.Table:
    """A job with two mappers and six reducers, of which one waits for its data on a lone host."""
    rows = [{"type": "JOB_LAUNCH", "ts": at(0)}, {"type": "JOB_FINISH", "ts": at(400)}]
    rows += attempt("m1", "MAP", "h1", 1, 11) + attempt("m2", "MAP", "h2", 1, 31)
    for number in range(5):
        end = 52 + number
        rows += attempt(f"r{number}", "REDUCE", f"h{number % 2 + 1}", 40, end)
        rows.append({**rows[-1], "type": "SHUFFLE_FINISH", "ts": at(50)})
    rows += attempt("r5", "REDUCE", "h1", 40, 240)
    rows.append({**rows[-1], "type": "SHUFFLE_FINISH", "ts": at(230)})
    columns = ["task_type", "task_id", "attempt_id", "host", "result", "duration_ms"]
    empty = dict.fromkeys(columns)
    known = {"trace": "gridmix_x", "job_id": "job_1"}
    return pa.Table.from_pylist([{**empty, **known, **row} for row in rows])


def spark() -> pa.Table:
    moved = [(0, 0), (10, 0), (20, 0), (0, 25), (0, 5)]
    rows = [
        {"type": "TASK_END", "ts": at(number), "shuffle_write": write, "shuffle_read": read}
        for number, (write, read) in enumerate(moved)
    ]
    rows.insert(0, {"type": "APP_START", "ts": at(-1), "shuffle_write": 0, "shuffle_read": 0})
    known = {"log": "app", "stage_id": 1}
    return pa.Table.from_pylist(
        [{"event_id": number, **known, **row} for number, row in enumerate(rows)]
    )


@pytest.fixture(scope="module")
def answers() -> dict[str, list[dict[str, Any]]]:
    asked = case.Cluster(hadoop(), spark()).ask()
    return {each.name: each.found.to_pylist() for each in asked}


def test_the_page_has_all_queries() -> None:
    assert list(case.queries()) == NAMES
    for query in case.queries().values():
        assert kleene.parse(str(kleene.parse(query))) == kleene.parse(query)


def test_lifetimes(answers: dict[str, list[dict[str, Any]]]) -> None:
    (mappers,), (reducers,) = answers["Q1"], answers["Q2"]
    assert (mappers["mappers"], mappers["average_s"], mappers["longest_s"]) == (2, 20.0, 30.0)
    assert (reducers["reducers"], reducers["longest_s"]) == (6, 200.0)


def test_stragglers(answers: dict[str, list[dict[str, Any]]]) -> None:
    (slow,) = answers["Q3"]
    assert (slow["task_id"], slow["pull_s"], slow["others_s"]) == ("r5", 190.0, 10.0)
    (silent,) = answers["Q3, silence"]
    assert (silent["host"], silent["silent"]) == ("h1", timedelta(seconds=184))


def test_what_waits(answers: dict[str, list[dict[str, Any]]]) -> None:
    assert sorted(row["waiting"] for row in answers["Q4"]) == [0, 5, 30]


def test_uneven_load(answers: dict[str, list[dict[str, Any]]]) -> None:
    assert [(row["task_id"], row["samples"]) for row in answers["Q5"]] == []
    assert answers["Q6"] == []
    assert [row["trace"] for row in answers["Q6, all"]] == ["gridmix_x"]
    assert answers["Q6, all"][0]["match_count"] > 2**36


def test_what_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [tmp_path / "hadoop.parquet", tmp_path / "spark.parquet"]
    for table, file in zip((hadoop(), spark()), files, strict=True):
        pq.write_table(table, file)
    call = ["--hadoop", str(files[0]), "--spark", str(files[1]), "--log", "app"]
    case.main([*call, "--pictures", str(tmp_path / "pictures")])
    shown = capsys.readouterr().out
    assert all(f"{name}: " in shown for name in NAMES)
    assert "0.0 GB" in shown
    pictures = sorted(file.name for file in (tmp_path / "pictures").iterdir())
    assert pictures == ["lifetimes.png", "queue.png"]


@pytest.mark.skipif(
    LOGS not in os.environ,
    reason=f"{LOGS} names no folder with hadoop.parquet and spark.parquet, no part of Kleene",
)
def test_the_page_tells_what_the_logs_say(capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path(os.environ[LOGS])
    files = ["--hadoop", str(folder / "hadoop.parquet"), "--spark", str(folder / "spark.parquet")]
    case.main(files)
    shown = capsys.readouterr().out
    page = case.PAGE.read_text("utf-8")
    pictures = [line for line in page.splitlines() if "█" in line and "; █ is" not in line]
    assert len(pictures) > 15
    assert not [line for line in pictures if line not in shown]
    for rows in ("Q1: 150 rows", "Q2: 147 rows", "Q3: 64 rows", "Q5: 14 rows", "Q6: 11 rows"):
        assert rows in shown
