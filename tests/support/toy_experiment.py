"""An experiment that takes no time: sums of small numbers, found in good and in bad ways."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from time import sleep

import pyarrow as pa
import pyarrow.parquet as pq

from kleene.bench.data import Dataset
from kleene.bench.experiment import (
    Answer,
    Case,
    Experiment,
    Input,
    Job,
    Place,
    RateAtLeast,
    TimeAtMost,
    TooMuch,
    Unavailable,
    Variant,
)

LOG = "rounds.txt"
LARGE = 200 << 20


def make_numbers(events: int, step: int) -> pa.Table:
    """Numbers with gaps."""
    return pa.table({"n": [number * step for number in range(events)]})


def variant(name: str, total: Callable[[list[int]], int], place: str = "here") -> Variant:
    """A variant that also writes down when it ran."""

    def prepare(given: Input) -> Job:
        numbers = pq.read_table(given.events).column("n").to_pylist()

        def run() -> int:
            with (given.folder / LOG).open("a") as log:
                log.write(f"{name}\n")
            return total(numbers)

        return Job(run, lambda found: Answer(len(numbers), found))

    return Variant(name, prepare, Place(place))


def with_loop(numbers: list[int]) -> int:
    total = 0
    for number in numbers:
        total += number
    return total


def with_memory(numbers: list[int]) -> int:
    held = bytearray(b"x") * LARGE  # written, so that it is there
    sleep(0.5)  # long enough to be seen where the machine is busy
    return sum(numbers) + len(held) - LARGE


def broken(numbers: list[int]) -> int:
    raise ValueError("no [sums] today")


def dying(numbers: list[int]) -> int:
    os.write(2, b"out of patience")
    os._exit(3)


def endless(numbers: list[int]) -> int:
    sleep(600)
    return 0


def greedy(numbers: list[int]) -> int:
    raise TooMuch("all of the memory")


def unavailable(given: Input) -> Job:
    raise Unavailable("it needs a quantum computer")


NUMBERS = Dataset("toy", make_numbers, {"step": 3}, 1_000)
SUMS = Case(
    "sums",
    "what is the sum?",
    NUMBERS,
    (variant("loop", with_loop), variant("builtin", sum), variant("large", with_memory, "large")),
    "loop",
    (TimeAtMost("builtin", 1000.0, "loop"), RateAtLeast("loop", 1e12)),
)
TROUBLE = Case(
    "trouble",
    "who fails?",
    NUMBERS,
    (
        variant("loop", with_loop),
        variant("wrong", max),
        variant("broken", broken),
        variant("dying", dying, "deathbed"),
        Variant("unavailable", unavailable),
        Variant("absent", unavailable, needs=("no_such_module",)),
        Variant("floor", lambda _: Job(lambda: None, answer=None)),
        Variant("many cores", unavailable, Place("many cores", 10_000)),
    ),
    "loop",
)

LIMITS = Case(
    "limits",
    "who takes too much?",
    NUMBERS,
    (variant("loop", with_loop), variant("endless", endless, "apart"), variant("greedy", greedy)),
    "loop",
    at={"of": "numbers", "size": 1.0},
)
MORE = replace(LIMITS, name="more", at={"of": "numbers", "size": 2.0})
OTHERS = replace(LIMITS, name="others", variants=LIMITS.variants[2:], at={"of": "x", "size": 2.0})
LIMITED = Experiment(
    "limited", "too much", lambda _: (LIMITS, MORE, OTHERS), seconds=5.0, weighs=False
)

EXPERIMENT = Experiment(
    "toy", "sums of numbers", lambda quick: (SUMS,) if quick else (SUMS, TROUBLE)
)
