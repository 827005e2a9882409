"""Many queries over the same events: at once, one after the other, and the cheapest one alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from itertools import pairwise
from time import perf_counter
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame

import kleene
from kleene.bench.answers import answer_of
from kleene.bench.data import Dataset
from kleene.bench.experiment import Case, Experiment, Input, Job, Place, TimeAtMost, Variant
from kleene.bench.floor import make_events
from kleene.bench.ours import threads
from kleene.bench.sparks import ON_SPARK, answer_on_spark, consume, session

_IDS = ("a", "c")
_SPARSE, _DENSE = 50, 6
"""Types of events, each as frequent as the others; the queries name three of them."""
_QUESTIONS = {
    "dip": "SEQ(A a, B b, C c) WHERE [key] AND b.price > a.price AND c.price < a.price",
    "peak": "SEQ(A a, B b, C c) WHERE [key] AND b.price < a.price AND c.price > a.price",
    "large": "SEQ(A a, B b, C c) WHERE [key] AND b.quantity > a.quantity AND c.price > b.price",
    "dear": "SEQ(A a, B b, C c) WHERE [key] AND a.price > 102 AND c.price < b.price",
    "cheap": "SEQ(A a, B b, C c) WHERE [key] AND a.price < 98 AND c.price > b.price",
    "pair": "SEQ(A a, C c) WHERE [key] AND c.price < a.price AND a.quantity > 500",
    "no rise": "SEQ(A a, !B b, C c) WHERE [key] AND b.price > a.price AND c.price < a.price",
    "no sale": "SEQ(A a, !B b, C c) WHERE [key] AND b.quantity > 500 AND c.price > a.price",
    "next": "SEQ(A a, B b, C c) WHERE [key] AND c.price < a.price STRATEGY skip_till_next_match",
    "steps": "SEQ(A a, B+ b[], C c) WHERE [key] AND b[i].price > a.price "
    "STRATEGY skip_till_next_match",
}


def queries(window: str) -> dict[str, str]:
    """Ten queries about the same three types of events."""
    end = f"WITHIN {window} RETURN a.id AS a, c.id AS c"
    return {name: f"PATTERN {question} {end}" for name, question in _QUESTIONS.items()}


def _match(events: Any, query: str) -> Any:
    return kleene.match(events, query, time="ts", type="type")


def _match_all(events: Any, asked: dict[str, str]) -> Any:
    return kleene.match_all(events, asked, time="ts", type="type")


def _cheapest(asked: dict[str, str], ask: Callable[[str], Any]) -> str:
    """The query that takes least time, when all have been asked once before."""
    for query in asked.values():
        ask(query)
    moments = [perf_counter()]
    for query in asked.values():
        ask(query)
        moments.append(perf_counter())
    times = [after - before for before, after in pairwise(moments)]
    return min(zip(times, asked.values(), strict=True))[1]


def _alone(asked: dict[str, str], read: Callable[[Input], Any], given: Input) -> Job:
    events = read(given)
    cheapest = _cheapest(asked, lambda query: _done(_match(events, query)))
    return Job(lambda: _done(_match(events, cheapest)), answer=None)


def _at_once(asked: dict[str, str], read: Callable[[Input], Any], given: Input) -> Job:
    events = read(given)
    return Job(lambda: _done(_match_all(events, asked)), _answer)


def _one_by_one(asked: dict[str, str], read: Callable[[Input], Any], given: Input) -> Job:
    events = read(given)
    return Job(
        lambda: [_done(_match(events, query)) for query in asked.values()],
        lambda found: _answer(_joined(found)),
    )


def _done(found: Any) -> Any:
    """What is found, computed."""
    return consume(found) if isinstance(found, DataFrame) else found


def _joined(found: list[Any]) -> Any:
    if isinstance(found[0], DataFrame):
        return reduce(DataFrame.unionAll, found)
    return pa.concat_tables(found)


def _answer(found: Any) -> Any:
    return (answer_on_spark if isinstance(found, DataFrame) else answer_of)(found, _IDS)


def _table(given: Input) -> pa.Table:
    return pq.read_table(given.events)


def _frame(given: Input) -> DataFrame:
    return session().read.parquet(str(given.events))


def cases(quick: bool) -> tuple[Case, ...]:  # noqa: FBT001 - the signature of cases
    """On Spark, and in this process, where few and where many events take part."""
    sparse, dense = queries("1 hour"), queries("10 minutes")
    few, many = _data(_SPARSE, quick=quick), _data(_DENSE, quick=quick)
    return (
        _case("Spark", sparse, few, _frame, ON_SPARK),
        _case("in-process, few take part", sparse, few, _table, threads(1)),
        _case("in-process, dense", dense, many, _table, threads(1)),
    )


def _data(types: int, *, quick: bool) -> Dataset:
    keys = 20 if quick else 2_000
    parameters = {"keys": keys, "types": types, "by_key": 0}
    return Dataset("floor", make_events, parameters, 20_000 if quick else 2_000_000)


def _case(
    name: str, asked: dict[str, str], data: Dataset, read: Callable[[Input], Any], place: Place
) -> Case:
    alone = Variant("the cheapest alone", partial(_alone, asked, read), place)
    at_once = Variant("ten at once", partial(_at_once, asked, read), place)
    apart = Variant("one by one", partial(_one_by_one, asked, read), place)
    told = "; ".join(asked)
    target = TimeAtMost(at_once.name, 2.0, alone.name)
    return Case(name, f"ten queries: {told}", data, (alone, at_once, apart), alone.name, (target,))


EXPERIMENT = Experiment(
    "many", "ten queries at once, beside the cheapest of them and all one by one", cases
)
