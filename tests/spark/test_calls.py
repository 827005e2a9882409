"""`kleene.match` on Spark, classic and Connect, says what the definition says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

import kleene
from kleene.runtime.evaluate import prepared
from kleene.spark import batch
from kleene.spark.task import Task
from spark.conftest import prepare_environment
from support.on_spark import Call, written_calls
from support.random_calls import KINDS, random_calls

pytestmark = pytest.mark.spark

TESTS = Path(__file__).parent.parent
RANDOM = 60
ON_CONNECT = 30
"""Calls on Connect: two of three are random."""


@pytest.fixture(scope="module")
def session(spark: Any) -> Iterator[Any]:
    """Spark without its adaptive execution, which would make one task of so few rows."""
    adaptive = "spark.sql.adaptive.enabled"
    names = (adaptive, "spark.sql.leafNodeDefaultParallelism", "spark.sql.shuffle.partitions")
    before = {name: spark.conf.get(name, None) for name in names}
    spark.conf.set(adaptive, "false")
    yield spark
    for name, value in before.items():
        if value is None:
            spark.conf.unset(name)
        else:
            spark.conf.set(name, value)


@pytest.mark.parametrize("call", written_calls(40), ids=lambda call: call.name)
def test_cases_of_meaning(session: Any, call: Call) -> None:
    call.check(session)


def test_random_calls_are_of_every_kind() -> None:
    seen = Counter(kind for drawn in random_calls(RANDOM) for kind in drawn.kinds)
    assert {kind for kind, count in seen.items() if count >= 6} == KINDS


@pytest.mark.parametrize("number", range(RANDOM))
def test_random_calls(session: Any, number: int) -> None:
    random_calls(RANDOM)[number].call.check(session)


@pytest.mark.parametrize("output", ["matches", "count"])
def test_what_tasks_run_is_compiled_ahead(
    session: Any, ahead: Mock, monkeypatch: pytest.MonkeyPatch, output: str
) -> None:
    made = Mock(wraps=Task)
    monkeypatch.setattr(batch, "Task", made)
    ahead.reset_mock()
    events = session.createDataFrame([(1, "A", 2.5)], "t long, type string, x double")
    kleene.match(
        events, "SEQ(A a, B b) WHERE a.x < b.x WITHIN 10", time="t", type="type", output=output
    )
    query, form, *_ = made.call_args.args
    kernel = prepared(query, form).walks
    ahead.assert_called_once_with(kernel.source, kernel.kinds)


def test_connect() -> None:
    prepare_environment()
    path = os.pathsep.join([str(TESTS), *sys.path])
    result = subprocess.run(
        [sys.executable, "-m", "support.connect", str(ON_CONNECT)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path, "SPARK_TESTING": "1"},  # a port that is free
    )
    assert result.returncode == 0, result.stderr
    told = json.loads(result.stdout.splitlines()[-1])
    assert told == {"session": "pyspark.sql.connect.session", "same": ON_CONNECT, "other": []}
