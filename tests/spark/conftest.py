"""A session of classic Spark; Connect gets a process of its own: a process has one or the other."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest

from support.on_spark import without_compiler

SCRIPTS = Path(__file__).parent.parent.parent / "scripts"
SETTINGS = {
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.session.timeZone": "America/New_York",
    "spark.ui.enabled": "false",
}


def prepare_environment() -> None:
    """What Spark needs of the machine, where nobody has said it."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    if "JAVA_HOME" not in os.environ:
        command: list[str | Path] = [sys.executable, SCRIPTS / "java_home.py"]
        told = subprocess.run(command, capture_output=True, text=True, check=True)
        os.environ["JAVA_HOME"] = told.stdout.strip()


@pytest.fixture(scope="session", autouse=True)
def ahead() -> Iterator[Mock]:
    """What was to be compiled ahead."""
    with without_compiler() as asked:
        yield asked


@pytest.fixture(scope="session")
def spark() -> Iterator[object]:
    """A classic session on this machine."""
    prepare_environment()
    from pyspark.sql import SparkSession  # noqa: PLC0415 - after the environment is known

    builder = SparkSession.builder.master("local[2]")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
