"""`kleene demo`, from end to end, and where something that it needs is missing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kleene.cli import FAILED, main
from kleene.cli.demo_job import FAILURES, PRICERS, READERS
from kleene.cli.demo_questions import QUESTIONS
from spark.conftest import prepare_environment

DEMO = "import sys; from kleene.cli import main; sys.exit(main(sys.argv[1:]))"


def demo(*options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, whose Java is its own."""
    return subprocess.run(
        [sys.executable, "-c", DEMO, "demo", *options],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.spark
def test_the_demo(tmp_path: Path) -> None:
    prepare_environment()
    picture = tmp_path / "demo.png"
    told = demo("-o", str(picture), "--keep", str(tmp_path / "kept"), COLUMNS="200")
    assert told.returncode == 0, told.stderr
    assert told.stderr == ""
    for question in QUESTIONS:
        assert question.text in told.stdout
        assert question.query.splitlines()[0] in told.stdout
    attempts = READERS + PRICERS + sum(FAILURES.values())
    assert f"{attempts} of them attempts at tasks" in told.stdout
    failed = [line for line in told.stdout.splitlines() if "the price service does not" in line]
    assert len(failed) == sum(FAILURES.values())
    assert str(picture) in told.stdout
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert list((tmp_path / "kept").glob("events-*/eventlog_v2_*/events_1_*"))


@pytest.mark.spark
def test_without_java_the_demo_says_what_it_needs(tmp_path: Path) -> None:
    told = demo("-o", str(tmp_path / "demo.png"), JAVA_HOME=str(tmp_path))
    assert told.returncode == FAILED
    assert "Spark does not start" in told.stderr
    assert "hint: it needs Java 17 or newer" in told.stderr


def test_without_pyspark_the_demo_says_what_it_needs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.errors", None)
    assert main(["demo"]) == FAILED
    assert "kleene[spark]" in capsys.readouterr().err
