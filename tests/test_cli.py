"""The command line."""

from __future__ import annotations

import io
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from kleene.cli import DONE, WRONG, main

EVENTS = pa.table({"ts": [1, 2], "event": ["Search", "Purchase"], "amount": [1.0, 2.0]})


@pytest.fixture
def events(tmp_path: Path) -> str:
    path = tmp_path / "events.parquet"
    pq.write_table(EVENTS, path)
    return str(path)


def test_a_good_query_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "seq(A a,B b)"]) == DONE
    assert capsys.readouterr().out == "PATTERN SEQ(A a, B b)\n"


def test_a_wrong_query_is_shown_at_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "SEQ(A a, B+ b)"]) == WRONG
    assert capsys.readouterr().err.splitlines()[1:3] == [
        "   1 | SEQ(A a, B+ b)",
        "     |             ^",
    ]


def test_names_are_checked_without_events(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "SEQ(Search s, Buy b) WHERE serch.price > 1"]) == WRONG
    assert "no variable is called serch" in capsys.readouterr().err
    assert main(["check", "SEQ(Search s, Buy b) WHERE s.price > b.address.zip"]) == DONE


def test_why_a_binding_is_no_match(events: str, capsys: pytest.CaptureFixture[str]) -> None:
    query = "SEQ(Search s, Purchase p) WHERE p.amount < s.amount"
    assert main(["why", query, "--events", events, "--bind", "s=0", 'p={"amount": 2.0}']) == DONE
    told = capsys.readouterr().out.splitlines()
    reason = "p.amount < s.amount is false: p.amount = 2.0, s.amount = 1.0"
    assert told[0] == f"no match, because {reason}"
    named = ["--id", "event", "--bind", "s=Search", "p=Purchase"]
    assert main(["why", "SEQ(Search s, Purchase p)", "--events", events, *named]) == DONE
    assert capsys.readouterr().out.startswith("a match\n")


@pytest.mark.parametrize("bound", ["s", "s=x"])
def test_what_binds_nothing(bound: str, events: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why", "Search s", "--events", events, "--bind", bound]) == WRONG
    assert "hint: " in capsys.readouterr().err


def test_columns_of_no_events(capsys: pytest.CaptureFixture[str]) -> None:
    for roles in (["--time", "ts"], ["--type", "event"]):
        assert main(["check", "Search s", *roles]) == WRONG
        assert "no events are named" in capsys.readouterr().err


def test_a_query_from_a_file_or_from_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "query.kleene"
    path.write_text("A a")
    assert main(["check", str(path)]) == DONE
    monkeypatch.setattr("sys.stdin", io.StringIO("B b"))
    assert main(["check", "-"]) == DONE
    assert capsys.readouterr().out == "PATTERN A a\nPATTERN B b\n"
    assert main(["check", "A a, " * 2000]) == WRONG


def test_names_are_checked_against_events(
    events: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "Search s WHERE s.amont > 1", "--events", events]) == WRONG
    assert "did you mean amount?" in capsys.readouterr().err
    assert main(["check", "Search s WHERE s.amount > 'x'", "--events", events]) == WRONG
    as_csv = tmp_path / "events.csv"
    pyarrow.csv.write_csv(EVENTS, as_csv)
    assert main(["check", "Search s WITHIN 3 minutes", "--events", str(as_csv)]) == WRONG
    assert main(["check", "Search s WITHIN 3", "--events", str(tmp_path / "events.csv")]) == DONE


def test_a_type_that_does_not_occur_is_a_warning(
    events: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "Serach s", "--events", events, "--type", "event"]) == DONE
    shown = capsys.readouterr()
    assert shown.err.startswith("warning: no event of these files is of type Serach\n")
    assert "hint: did you mean Search?" in shown.err
    assert shown.out == "-- time: ts; type: event\nPATTERN Serach s\n"
    assert main(["check", "Xyz s", "--events", events, "--type", "event"]) == DONE
    assert "hint: types are Purchase, Search" in capsys.readouterr().err


def test_roles_of_columns_may_be_said(events: str, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["check", "Search s", "--events", events]
    assert main([*call, "--time", "amount", "--type", "event"]) == DONE
    assert main([*call, "--time", "moment"]) == WRONG
    assert main([*call, "--type", "evnt"]) == WRONG


def test_files_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "events.txt").write_text("")
    (tmp_path / "bad.parquet").write_text("no")
    pq.write_table(pa.table({"a": [1]}), tmp_path / "timeless.parquet")
    (tmp_path / "latin.kleene").write_bytes(b"A \xe9")
    for query in ("latin.kleene", "absent.kleene"):
        assert main(["check", str(tmp_path / query)]) == WRONG
        assert capsys.readouterr().err.startswith("error: ")
    for name in ("absent.csv", "events.txt", "bad.parquet", "timeless.parquet"):
        assert main(["check", "A a", "--events", str(tmp_path / name)]) == WRONG
        assert capsys.readouterr().err.startswith("error: ")
    several = ["--events", str(tmp_path / "timeless.parquet"), str(tmp_path / "events.csv")]
    assert main(["check", "A a", *several]) == WRONG
