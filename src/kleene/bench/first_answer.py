"""The first answer: few events at once, kernels that are compiled, workers that begin."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

import kleene
from kleene.bench.answers import answer_of
from kleene.bench.data import Dataset
from kleene.bench.experiment import (
    Answer,
    Case,
    Experiment,
    Input,
    Job,
    Place,
    SecondsAtMost,
    Variant,
)
from kleene.bench.floor import empty, make_events
from kleene.bench.ours import threads
from kleene.bench.sparks import answer_on_spark, consume, session
from kleene.program.compile import native, plain

_NEW_WORKERS = Place("Spark, new workers")
_STEPS = """
    PATTERN SEQ(A a, B b, C c)
    WHERE [key] AND b.price > a.price AND c.price < a.price
    WITHIN 1 hour
    RETURN a.id AS a, c.id AS c
"""
_NEXT = """
    PATTERN SEQ(A a, B+ b[], C c)
    WHERE [key] AND b[i].price > a.price AND c.price < a.price
    STRATEGY skip_till_next_match
    WITHIN 1 hour
    RETURN a.id AS a, c.id AS c, max(b[].price) AS top
"""
_NEGATION = """
    PATTERN SEQ(A a, !B b, C c)
    WHERE [key] AND b.price > a.price AND c.price < a.price
    WITHIN 1 hour
    RETURN a.id AS a, c.id AS c
"""
_IDS = ("a", "c")
_FEW, _ENOUGH = 1_000, 30_000
"""Events for which nothing is compiled, and for which all is from the start."""


def cases(quick: bool) -> tuple[Case, ...]:  # noqa: FBT001, ARG001 - the signature of cases
    """Always small: what is measured is what comes before the work."""
    return (
        _at_once("a thousand events", _STEPS),
        _compiling("compiling three steps", _STEPS),
        _compiling("compiling skip-till-next", _NEXT),
        _compiling("compiling negation", _NEGATION),
        _beginning("a worker's first call", _STEPS.replace("1 hour", "5 minutes")),
    )


def _at_once(name: str, query: str) -> Case:
    first = Variant("Kleene, nothing compiled", partial(_prepare_at_once, query), threads(1))
    target = SecondsAtMost(first.name, 0.1)
    return Case(name, _told(query), _data(_FEW), (first,), first.name, (target,))


def _prepare_at_once(query: str, given: Input) -> Job:
    events = pq.read_table(given.events)

    def run() -> pa.Table:
        plain.cache_clear()
        native.cache_clear()
        with TemporaryDirectory() as cache:
            os.environ["KLEENE_CACHE"] = cache
            return matched(events, query)

    return Job(run, lambda found: answer_of(found, _IDS))


def _compiling(name: str, query: str) -> Case:
    before = Variant(
        "process, compiled before", partial(_prepare_process, query, compiled_before=True)
    )
    first = Variant(
        "process, nothing compiled", partial(_prepare_process, query, compiled_before=False)
    )
    target = SecondsAtMost(first.name, 2.0, before.name)
    return Case(name, _told(query), _data(_ENOUGH), (before, first), before.name, (target,))


def _prepare_process(query: str, given: Input, *, compiled_before: bool) -> Job:
    kept = TemporaryDirectory()

    def run() -> Answer:
        if compiled_before:
            return _in_new_process(query, given.events, kept.name)
        with TemporaryDirectory() as cache:
            return _in_new_process(query, given.events, cache)

    return Job(run, lambda found: found, kept.cleanup)


def _in_new_process(query: str, events: Path, cache: str) -> Answer:
    command = [sys.executable, "-m", __name__, str(events), query]
    variables = {**os.environ, "KLEENE_CACHE": cache}
    done = subprocess.run(command, env=variables, stdout=subprocess.PIPE, check=True)  # noqa: S603
    matches, checksum = map(int, done.stdout.split())
    return Answer(matches, checksum)


def main() -> None:
    """Match the events of a file, in a process of its own."""
    path, query = sys.argv[1:]
    found = answer_of(matched(pq.read_table(path), query), _IDS)
    sys.stdout.write(f"{found.matches} {found.checksum}\n")


def _beginning(name: str, query: str) -> Case:
    floor = Variant("empty function", _prepare_empty, _NEW_WORKERS)
    ours = Variant("Kleene on Spark", partial(_prepare_spark, query), _NEW_WORKERS)
    target = SecondsAtMost(ours.name, 0.6, floor.name)
    return Case(name, _told(query), _data(_ENOUGH), (floor, ours), floor.name, (target,))


def _prepare_empty(given: Input) -> Job:
    found = _in_one_task(given).mapInArrow(empty, "nothing bigint")
    return Job(lambda: consume(found), answer=None)


def _prepare_spark(query: str, given: Input) -> Job:
    found = matched(_in_one_task(given), query)
    return Job(lambda: consume(found), lambda _: answer_on_spark(found, _IDS))


def _in_one_task(given: Input) -> DataFrame:
    return _new_workers().read.parquet(str(given.events))


def _new_workers() -> SparkSession:
    """A session in which every task has a worker that was not there before."""
    return session({"spark.python.worker.reuse": "false", "spark.sql.shuffle.partitions": "1"})


def matched(events: Any, query: str) -> Any:
    """The matches."""
    return kleene.match(events, query, time="ts", type="type")


def _data(events: int) -> Dataset:
    return Dataset("floor", make_events, {"keys": 20, "types": 3, "by_key": 0}, events)


def _told(query: str) -> str:
    return " ".join(query.split())


EXPERIMENT = Experiment("first-answer", "what a first call waits for, besides its work", cases)

if __name__ == "__main__":
    main()
