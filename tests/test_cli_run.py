"""`kleene run`."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from kleene.cli import DONE, FAILED, INTERRUPTED, WRONG, main
from kleene.cli.write import written

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
    shown = capsys.readouterr().err
    assert "the events cannot be read to their end" in shown
    assert "invalid value 'oops'" in shown
    damaged = bytearray(Path(events).read_bytes())
    damaged[8:60] = bytes(52)
    (tmp_path / "damaged.parquet").write_bytes(damaged)
    assert main(["run", QUERY, "--events", str(tmp_path / "damaged.parquet")]) == FAILED
    assert "the events cannot be read to their end" in capsys.readouterr().err
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


def test_the_version_and_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == DONE
    assert "find the matches of a query" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out.startswith("kleene ")


def test_keys_and_options(events: str, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["run", "SEQ(Search s, Purchase p) RETURN p.amount", "--events", events]
    assert main([*call, "--partition-by", "amount"]) == DONE
    assert "0 rows from 4 events" in capsys.readouterr().err
    assert main([*call, "--option", "max_matches=1"]) == FAILED
    assert "the limit max_matches" in capsys.readouterr().err
    assert main([*call, "--option", "bad_rows=error"]) == FAILED
    assert "1 row is no event" in capsys.readouterr().err
    for wrong in ("max_matches", "max_match=1", "max_matches=many", "bad_rows=no"):
        assert main([*call, "--option", wrong]) == WRONG
    assert main(["explain", *call[1:], "--option", "evaluation=denotation"]) == DONE
    assert "the definition" in capsys.readouterr().out


def test_events_that_do_not_fit_into_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = pa.table({"ts": range(20_000), "event": ["A", "B"] * 10_000, "x": ["y"] * 20_000})
    pq.write_table(table, tmp_path / "events.parquet", row_group_size=1000)
    out = tmp_path / "matches.parquet"
    call = ["run", "SEQ(A a, B b) WITHIN 4", "--events", str(tmp_path / "events.parquet")]
    assert main([*call, "-o", str(out), "--option", "spill_bytes=200000"]) == DONE
    assert "19,999 rows from 20,000 events" in capsys.readouterr().err
    assert pq.read_metadata(out).num_rows == 19_999


VALUES = pa.table(
    {
        "ts": [1, 2],
        "event": ["A", "B"],
        "raw": [b"\x00\xff", None],
        "odd": [float("nan"), float("inf")],
        "place": [{"city": {"name": "x"}}, None],
        "exact": pa.array([Decimal("1.50"), None], pa.decimal128(10, 2)),
        "span": pa.array([timedelta(seconds=90), None], pa.duration("us")),
    }
)


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".jsonl"])
@pytest.mark.parametrize("query", ["SEQ(A a, B b)", "SEQ(A a, C b)"])
def test_values_of_all_types_are_written(tmp_path: Path, suffix: str, query: str) -> None:
    path, out = tmp_path / "events.parquet", tmp_path / f"matches{suffix}"
    pq.write_table(VALUES, path)
    assert main(["run", query, "--events", str(path), "-o", str(out)]) == DONE
    if "C" in query:
        assert out.exists()
    elif suffix == ".jsonl":
        row = json.loads(out.read_text())
        assert row["a"]["raw"] == "AP8="
        assert (row["a"]["odd"], row["b"]["odd"]) == ("NaN", "Infinity")
        assert row["a"]["place"] == {"city": {"name": "x"}}
    elif suffix == ".csv":
        (row,) = pyarrow.csv.read_csv(out).to_pylist()
        assert (row["a_raw"], row["a_place_city_name"], row["a_span"]) == ("AP8=", "x", 90.0)


def test_counts_are_numbers(events: str, tmp_path: Path) -> None:
    for suffix in ("csv", "jsonl"):
        out = tmp_path / f"count.{suffix}"
        call = ["run", "SEQ(Search s, Purchase p)", "--events", events, "--output", "count"]
        assert main([*call, "-o", str(out)]) == DONE
        assert out.read_text().split() in (['"match_count"', "2"], ['{"match_count":', "2}"])


def test_a_file_is_whole_or_is_not(events: str, tmp_path: Path) -> None:
    out = tmp_path / "matches.parquet"
    out.write_text("what was there before")
    call = ["run", "SEQ(Search s, Purchase p)", "--events", events, "-o", str(out)]
    assert main([*call, "--option", "max_matches=1"]) == FAILED
    assert main(["run", "SEQ(Search s, Purchase+ p[])", *call[2:4], "-o", str(tmp_path)]) == WRONG
    assert out.read_text() == "what was there before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["events.parquet", out.name]


@pytest.mark.parametrize("number", [600, 30_000])
def test_ctrl_c_ends_a_run(tmp_path: Path, number: int) -> None:
    """Also where a kernel, in Python or compiled, looks for what it never finds."""
    table = pa.table({"ts": range(number), "event": ["A"] * number, "x": [0] * number})
    pq.write_table(table, tmp_path / "events.parquet")
    command = [sys.executable, "-c", "from kleene.cli import command; command()"]
    query = "SEQ(A a, A b, A c, A d) WHERE a.x + b.x + c.x + d.x = 1"
    call = [*command, "run", query, "--events", str(tmp_path / "events.parquet")]
    call += ["-o", str(tmp_path / "m.parquet")]
    with subprocess.Popen(call, stderr=subprocess.PIPE) as process:
        while not list(tmp_path.glob(".m.parquet.*")):
            assert process.poll() is None
            time.sleep(0.05)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == INTERRUPTED
        assert process.stderr is not None
        assert process.stderr.read().endswith(b"interrupted\n")
    assert [path.name for path in tmp_path.iterdir()] == ["events.parquet"]


def test_numbers_are_shown_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = pa.table({"ts": [2024], "event": ["A"], "x": [1234567.89], "y": [0.1 + 0.2]})
    pq.write_table(rows, tmp_path / "events.parquet")
    call = ["run", "A a RETURN a.ts, a.x, a.y", "--events", str(tmp_path / "events.parquet")]
    assert main(call) == DONE
    assert "│ 2024 │ 1234567.89 │ 0.3 │" in capsys.readouterr().out


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".jsonl"])
def test_all_events_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], suffix: str
) -> None:
    path = tmp_path / f"events{suffix}"
    rows = pa.table({"ts": [1, 2, 3, 4], "event": ["A", "Z", "Z", "B"]})
    with written(path, rows.schema) as write:
        for batch in rows.to_batches():
            write(batch)
    assert main(["run", "SEQ(A a, B b)", "--events", str(path)]) == DONE
    assert "1 row from 4 events" in capsys.readouterr().err
