"""Cases of meaning on Spark: which of them, and whether Spark says what this process says."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable
from functools import reduce
from itertools import pairwise
from random import Random
from typing import Any

import pyarrow as pa

import kleene
from support.cases import Case, read_cases


def chosen_cases(number: int) -> list[Case]:
    """Some cases of every file, always the same ones."""
    fitting = [case for case in read_cases() if "error" not in case.data]
    files: dict[str, list[Case]] = {}
    for case in fitting:
        files.setdefault(case.path.stem, []).append(case)
    every = len(fitting) / number
    return [
        cases[int(n * every)] for cases in files.values() for n in range(int(len(cases) // every))
    ]


def in_process(case: Case) -> pa.Table:
    """What this process says."""
    return _matched(case, case.stream.table())


def on_spark(case: Case, session: Any) -> Any:
    """The same as a DataFrame, from shuffled rows in one to three partitions."""
    chance = Random(case.name)  # noqa: S311 - nothing secret
    table = case.stream.table()
    order = list(range(table.num_rows))
    chance.shuffle(order)
    rows = table.take(pa.array(order, pa.int64()))
    pieces = chance.randint(1, 3)
    bounds = [rows.num_rows * piece // pieces for piece in range(pieces + 1)]
    frames = [
        session.createDataFrame(rows.slice(start, end - start))
        for start, end in pairwise(bounds)
        if end > start or pieces == 1
    ] or [session.createDataFrame(rows)]
    union: Callable[[Any, Any], Any] = lambda one, other: one.unionAll(other)  # noqa: E731
    return _matched(case, reduce(union, frames))


def _matched(case: Case, events: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kleene.match(
            events,
            case.data["query"],
            **case.roles(case.stream),
            output=case.data.get("output", "matches"),
            options=case.data.get("options"),
        )


def multiset(table: pa.Table) -> Counter[str]:
    """The rows, each as often as it comes."""
    return Counter(map(repr, table.to_pylist()))


def assert_same(found: pa.Table, expected: pa.Table) -> None:
    """The same columns, types and multiset of rows; Spark tells moments in the session's zone."""
    assert found.column_names == expected.column_names
    assert multiset(found.cast(expected.schema)) == multiset(expected)
