"""Kleene as variants: each method of evaluation, and each form of output."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from statistics import median
from time import process_time

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import kleene
from kleene.api.options import Evaluation
from kleene.bench.answers import BASE, MODULUS
from kleene.bench.experiment import Answer, Input, Job, Place, TooMuch, Variant
from kleene.bench.sase.counting import Jobs
from kleene.bench.sase.point import Point
from kleene.bench.sase.threshold import threshold
from kleene.errors import LimitError
from kleene.optimizer.methods import Method

METHODS: tuple[Evaluation, ...] = tuple(each.value for each in Method)
"""The cloning automaton, which the others are compared with, comes first."""
AUTOMATON: Evaluation = Method.NFA.value
AUTO: Evaluation = "auto"
RETURNS = " RETURN a.id AS a, b[].id AS b, c.id AS c"
THRESHOLD, RUNS = "threshold", "runs"
STARTING, MATCHING, CONSTRUCTING = "starting s", "matching s", "constructing s"
"""Names of figures."""
BROKEN_DOWN = 0.01
"""The selectivity at which runs and costs are told."""
ENDLESS = 1e18
"""So many runs need not be told apart from more."""
_REPEATS, _LONG = 3, 1.0
_COMPILED = 100
"""A threshold that is soon done: the program is then compiled for every other."""


@dataclass(frozen=True)
class Measured:
    """A query over the events of a point, in one thread."""

    point: Point
    events: pa.Table
    threshold: int
    evaluation: Evaluation = AUTO

    def match(self, query: str, output: str = "matches") -> pa.Table:
        """What the query finds."""
        options = kleene.Options(evaluation=self.evaluation)
        try:
            found: pa.Table = kleene.match(
                self.events, query, time="time", type="type", output=output, options=options
            )
        except LimitError as error:
            raise TooMuch(error.reason) from None
        return found

    def figures(self) -> dict[str, float]:
        """The threshold, the runs, and what the stages of the evaluation cost in seconds."""
        told: dict[str, float] = {THRESHOLD: self.threshold}
        if self.point.selectivity == BROKEN_DOWN and self.evaluation in METHODS:
            told[RUNS] = self._runs()
            starts = replace(self, evaluation=AUTOMATON).seconds(lambda _: self.point.starts())
            unfinished = self.seconds(lambda each: self.point.unfinished(each) + RETURNS)
            whole = self.seconds(lambda each: self.point.query(each) + RETURNS)
            told[STARTING] = starts
            told[MATCHING] = max(unfinished - starts, 0.0)
            told[CONSTRUCTING] = max(whole - max(starts, unfinished), 0.0)
        return told

    def _runs(self) -> float:
        """How many runs there are: in a cloning automaton one for each beginning of a match."""
        if self.evaluation == AUTOMATON:
            return Jobs(self.events).beginnings(self.point, self.threshold, ENDLESS)
        return float(pc.sum(pc.equal(self.events.column("type"), "A")).as_py())

    def seconds(self, query: Callable[[int], str]) -> float:
        """The processor time of a query with a threshold: the median, unless it takes long."""
        self.match(query(_COMPILED))
        taken: list[float] = []
        while len(taken) < _REPEATS and sum(taken) < _LONG:
            start = process_time()
            self.match(query(self.threshold))
            taken.append(process_time() - start)
        return median(taken)


def by_method(point: Point, method: Evaluation) -> Variant:
    """All matches, by one method."""

    def prepare(given: Input) -> Job:
        measured = _measured(point, given, method)
        query = point.query(measured.threshold) + RETURNS
        return Job(lambda: measured.match(query), _answer, figures=measured.figures)

    return Variant(method, prepare, Place(method, 1))


def by_output(point: Point, output: str, read: Callable[[pa.Table], Answer]) -> Variant:
    """Another form of output, by whatever method is chosen for it."""

    def prepare(given: Input) -> Job:
        measured = _measured(point, given)
        query = point.query(measured.threshold)
        return Job(run=lambda: measured.match(query, output), answer=read)

    return Variant(output, prepare, Place(output, 1))


def variants(point: Point) -> tuple[Variant, ...]:
    """All of a point."""
    methods = (by_method(point, method) for method in (*METHODS, AUTO))
    forms = (by_output(point, "collapsed", _collapsed), by_output(point, "count", _counted))
    return (*methods, *forms)


def _measured(point: Point, given: Input, method: Evaluation = AUTO) -> Measured:
    events = _table(given.events)
    return Measured(point, events, threshold(point, events, given.folder), method)


@lru_cache(maxsize=1)
def _table(path: Path) -> pa.Table:
    return pq.read_table(path)


def _ends(a: pa.ChunkedArray, c: pa.ChunkedArray) -> np.ndarray:
    """A number for the events at both ends of each match."""
    found: np.ndarray = (a.to_numpy() * BASE + c.to_numpy()) % MODULUS
    return found


def _answer(found: pa.Table) -> Answer:
    return Answer(found.num_rows, int(_ends(found.column("a"), found.column("c")).sum()))


def _collapsed(found: pa.Table) -> Answer:
    """What all matches together would have added up to."""
    flat = found.flatten()
    numbers = [int(number) for number in found.column("match_count").to_pylist()]
    ends = _ends(flat.column("a.id"), flat.column("c.id")).tolist()
    total = sum(number * end for number, end in zip(numbers, ends, strict=True))
    return Answer(sum(numbers), total)


def _counted(found: pa.Table) -> Answer:
    return Answer(int(found.column("match_count")[0].as_py()), None)
