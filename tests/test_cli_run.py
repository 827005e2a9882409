"""`kleene run`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from kleene.cli import DONE, FAILED, WRONG, main

EVENTS = pa.table(
    {
        "ts": [1, 2, 3, None],
        "event": ["Search", "Purchase", "Purchase", "Search"],
        "amount": [1.0, 2.0, 3.0, None],
    }
)
QUERY = "SEQ(Search s, Purchase p) RETURN s.ts AS searched, p.amount"


@pytest.fixture
def events(tmp_path: Path) -> str:
    path = tmp_path / "events.parquet"
    pq.write_table(EVENTS, path)
    return str(path)


def test_matches_are_shown_as_a_table(events: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", QUERY, "--events", events]) == DONE
    shown = capsys.readouterr()
    assert "searched" in shown.out
    assert "3" in shown.out
    assert "2 rows from 4 events" in shown.err
    assert "1 row is no event" in shown.err


def test_whole_events_are_shown_too(events: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "SEQ(Search s, Purchase+ p[])", "--events", events]) == DONE
    assert "2, Purchase, 2" in capsys.readouterr().out


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".jsonl"])
def test_matches_are_written(events: str, tmp_path: Path, suffix: str) -> None:
    out = tmp_path / f"matches{suffix}"
    assert main(["run", QUERY, "--events", events, "-o", str(out)]) == DONE
    if suffix == ".parquet":
        rows = pq.read_table(out).to_pylist()
    elif suffix == ".csv":
        rows = pyarrow.csv.read_csv(out).to_pylist()
    else:
        rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert sorted(rows, key=str) == [
        {"searched": 1, "amount": 2.0},
        {"searched": 1, "amount": 3.0},
    ]


def test_structs_are_flat_in_csv_and_arrays_are_refused(events: str, tmp_path: Path) -> None:
    out = tmp_path / "matches.csv"
    assert main(["run", "SEQ(Search s, Purchase p)", "--events", events, "-o", str(out)]) == DONE
    names = pyarrow.csv.read_csv(out).schema.names
    assert names[:3] == ["s_ts", "s_event", "s_amount"]
    call = ["run", "SEQ(Search s, Purchase+ p[])", "--events", events, "-o", str(out)]
    assert main(call) == WRONG


def test_forms_of_output(events: str, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["run", "SEQ(Search s, Purchase+ p[])", "--events", events, "--output"]
    assert main([*call, "count"]) == DONE
    assert "3" in capsys.readouterr().out
    assert main([*call, "counts"]) == WRONG


def test_what_cannot_be_written_is_refused_before_the_run(events: str) -> None:
    assert main(["run", QUERY, "--events", events, "-o", "matches.xlsx"]) == WRONG


def test_a_query_is_explained(events: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "SEQ(Search s, !X x, Purchase p)", "--events", events]) == DONE
    told = capsys.readouterr().out
    assert "├── NOT  (between s and p)" in told
    assert "def kernel" not in told
    assert main(["explain", QUERY, "--events", events, "--kernel"]) == DONE
    assert "def kernel(part, time" in capsys.readouterr().out
    assert main(["explain", "SEQ(Search s, Purchase p", "--events", events]) == WRONG
    assert main(["explain", QUERY, "--events", events, "--output", "count"]) == WRONG


def test_what_goes_wrong_while_reading_or_writing_is_said(
    events: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    late = tmp_path / "late.csv"
    late.write_text("ts,event\n" + "1,A\n" * 400_000 + "oops,B\n")
    assert main(["run", "SEQ(A a, B b)", "--events", str(late)]) == FAILED
    assert "invalid value 'oops'" in capsys.readouterr().err
    assert main(["run", QUERY, "--events", events, "-o", "/no/such/folder/x.csv"]) == WRONG
    assert "no folder" in capsys.readouterr().err
    assert main(["run", QUERY, "--events", events, "--time", "ts", "ts", "amount"]) == WRONG


def test_files_have_the_same_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.csv").write_text("ts,event\n1,A\n")
    (tmp_path / "b.csv").write_text("ts,kind\n2,B\n")
    assert main(["run", "SEQ(A a, B b)", "--events", str(tmp_path)]) == WRONG
    assert "event is in some of the files only" in capsys.readouterr().err


def test_values_cannot_paint_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "events.parquet"
    values = ["[red]no[/red]\x1b[31m", "y " * 100_000]
    pq.write_table(pa.table({"ts": [1, 2], "event": ["A", "A"], "[bold]x": values}), path)
    assert main(["run", "A a RETURN a.`[bold]x`", "--events", str(path)]) == DONE
    shown = capsys.readouterr()
    assert "[bold]x" in shown.out
    assert "[red]no[/red]�[31m" in shown.out
    assert len(shown.out) < 5_000
    assert "2 rows from 2 events" in shown.err


def test_a_reader_that_has_seen_enough_is_no_failure(tmp_path: Path) -> None:
    table = pa.table({"ts": range(60), "event": ["A"] * 60, "x": ["y " * 190] * 60})
    pq.write_table(table, tmp_path / "events.parquet")
    command = [sys.executable, "-c", "from kleene.cli import command; command()"]
    call = [*command, "run", "A a", "--events", str(tmp_path / "events.parquet")]
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert b"Traceback" not in process.stderr.read()
        assert process.wait() == DONE
