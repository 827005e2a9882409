"""`kleene bench`, and its experiments at a small size."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kleene.bench import registry
from kleene.cli import DONE, FAILED, WRONG, main

JAVA = Path(__file__).parent.parent.parent / "scripts" / "java_home.py"


@pytest.fixture(autouse=True)
def with_toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.MODULES, "toy", "support.toy_experiment")


@pytest.fixture
def java(monkeypatch: pytest.MonkeyPatch) -> None:
    if "JAVA_HOME" not in os.environ:
        told = subprocess.run([sys.executable, JAVA], capture_output=True, text=True, check=True)
        monkeypatch.setenv("JAVA_HOME", told.stdout.strip())


def test_experiments_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench"]) == DONE
    lines = capsys.readouterr().out.splitlines()
    named = [line.split() for line in lines if not line.startswith(" ")]  # others go on
    assert [words[0] for words in named] == list(registry.MODULES)
    assert all(len(words) > 2 for words in named)


def test_a_result_in_all_forms(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    data = ["--data", str(tmp_path / "data")]
    picture = ["--picture", str(tmp_path / "elsewhere" / "toy.svg")]
    assert main(["bench", "toy", "--quick", *data, "-o", str(out), *picture]) == DONE
    assert "sums: 1,000 events" in capsys.readouterr().out
    assert sorted(path.name for path in out.iterdir()) == ["toy.json", "toy.png", "toy.txt"]
    assert (out / "toy.png").read_bytes().startswith(b"\x89PNG")
    assert "builtin" in (out / "toy.txt").read_text()
    assert (tmp_path / "elsewhere" / "toy.svg").stat().st_size > 1000
    told = json.loads((out / "toy.json").read_text())
    assert told["quick"]
    assert told["machine"]["cores"] >= 1
    assert os.uname().nodename not in (out / "toy.json").read_text().split('"')


def test_a_variant_that_fails_is_told_and_fails_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = ["bench", "toy", "--rounds", "1", "--case", "trouble", "--data", str(tmp_path)]
    assert main(call) == FAILED
    shown = capsys.readouterr()
    assert "broken failed: ValueError: no [sums] today" in shown.out
    assert "wrong (trouble)" in shown.err


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (["floo"], "did you mean floor?"),
        (["toy", "--case", "sum"], "did you mean sums?"),
        (["toy", "--install", "flink"], "toy does not install flink"),
        (["toy", "--picture", "toy.bmp"], "it is one of .png, .svg, .pdf"),
    ],
)
def test_wrong_calls(
    call: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", *call, "--data", str(tmp_path)]) == WRONG
    assert message in capsys.readouterr().err


def outcomes(name: str, folder: Path, *cases: str) -> dict[str, dict[str, dict[str, object]]]:
    """What becomes of the variants of an experiment at a small size, each by case and name."""
    call = ["bench", name, "--quick", "--data", str(folder), "--json", str(folder / "json")]
    assert main([*call, "--case", *cases]) == DONE
    told = json.loads((folder / "json").read_text())
    return {case["name"]: case["variants"] for case in told["cases"]}


def test_floor_in_process(tmp_path: Path) -> None:
    case = "in-process, few take part"
    found = outcomes("floor", tmp_path, case)[case]
    assert list(found) == ["filter alone", "Kleene, 1 thread"]


@pytest.mark.spark
def test_floor_on_spark(java: None, tmp_path: Path) -> None:
    case = "Spark, 10k keys"
    found = outcomes("floor", tmp_path, case)[case]
    assert list(found) == ["empty function", "Kleene on Spark"]


def test_first_answer(tmp_path: Path) -> None:
    found = outcomes("first-answer", tmp_path, "a thousand events", "compiling negation")
    assert [len(variants) for variants in found.values()] == [1, 2]


@pytest.mark.spark
def test_first_answer_on_spark(java: None, tmp_path: Path) -> None:
    case = "a worker's first call"
    found = outcomes("first-answer", tmp_path, case)[case]
    assert list(found) == ["empty function", "Kleene on Spark"]


@pytest.mark.spark
def test_limits(java: None, tmp_path: Path) -> None:
    names = ("exponential", "100 million matches", "20 orders of storage")
    found = outcomes("limits", tmp_path, *names)
    assert [len(variants) for variants in found.values()] == [1, 2, 2]
    assert all("answer" in told for variants in found.values() for told in variants.values())


@pytest.mark.spark
def test_many(java: None, tmp_path: Path) -> None:
    found = outcomes("many", tmp_path, "Spark", "in-process, dense")
    assert [len(variants) for variants in found.values()] == [3, 3]
    assert all("answer" in variants["ten at once"] for variants in found.values())


@pytest.mark.spark
def test_peers(java: None, tmp_path: Path) -> None:
    found = outcomes("peers", tmp_path, "600 s, 200 keys", "neighbours")
    assert len(found) == 2
    for variants in found.values():
        left_out = [name for name, told in variants.items() if "skipped" in told]
        assert set(left_out) <= {"Flink SQL", "Kleene, 2 threads"}
        assert len(variants) - len(left_out) >= 5
