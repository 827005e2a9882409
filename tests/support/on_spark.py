"""Calls of `match` on Spark: which of them, and whether Spark says what the definition says."""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any
from unittest.mock import patch

import pyarrow as pa

import kleene
from kleene.spark.types import spark_schema
from support.cases import Case, read_cases

_SPREAD = "spark.sql.leafNodeDefaultParallelism"
_SHUFFLED = "spark.sql.shuffle.partitions"


def without_compiler() -> Any:
    """A context in which no kernels are compiled ahead: for few events none is needed."""
    return patch.object(sys.modules["kleene.api.match"], "compile_ahead")


@dataclass(frozen=True)
class Call:
    """A call of `match`, the same on Spark as in this process."""

    name: str
    query: str
    table: pa.Table
    roles: Mapping[str, Any]
    output: str = "matches"
    options: Mapping[str, Any] = field(default_factory=dict)

    def of(self, events: Any, **options: Any) -> Any:
        """What is found among the events."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return kleene.match(
                events,
                self.query,
                **self.roles,
                output=self.output,
                options={**self.options, **options},
            )

    @property
    def expected(self) -> pa.Table:
        """What the definition says."""
        found: pa.Table = self.of(self.table, evaluation="denotation")
        return found

    def on(self, session: Any) -> pa.Table:
        """What Spark says, of shuffled rows in one to four pieces and shuffled into as many."""
        chance = Random(self.name)  # noqa: S311 - nothing secret
        session.conf.set(_SPREAD, str(chance.randint(1, 4)))
        session.conf.set(_SHUFFLED, str(chance.randint(1, 4)))
        found: pa.Table = self.of(shuffled(self.table, chance, session)).toArrow()
        return found

    def check(self, session: Any) -> None:
        """Spark says what the definition says."""
        try:
            assert_same(self.on(session), self.expected)
        except Exception as error:
            rows = self.table.to_pylist()
            error.add_note(f"{self.query}\n{self.roles} {self.output} {self.options}\n{rows}")
            raise


def shuffled(table: pa.Table, chance: Random, session: Any) -> Any:
    """The rows as a DataFrame, in any order; left alone Spark gives every moment a zone."""
    order = list(range(table.num_rows))
    chance.shuffle(order)
    rows = table.take(pa.array(order, pa.int64()))
    return session.createDataFrame(rows, schema=spark_schema(table.schema))


def written_calls(number: int) -> list[Call]:
    """About as many of the cases of meaning, some of every file, always the same ones."""
    fitting = [case for case in read_cases() if "error" not in case.data]
    files: dict[str, list[Case]] = {}
    for case in fitting:
        files.setdefault(case.path.stem, []).append(case)
    every = len(fitting) / number
    return [
        _call_of(cases[int(n * every)])
        for cases in files.values()
        for n in range(int(len(cases) // every))
    ]


def _call_of(case: Case) -> Call:
    stream, data = case.stream, case.data
    roles = case.roles(stream)
    options = data.get("options", {})
    output = data.get("output", "matches")
    return Call(case.name, data["query"], stream.table(), roles, output, options)


def multiset(table: pa.Table) -> Counter[str]:
    """The rows, each as often as it comes."""
    return Counter(map(repr, table.to_pylist()))


def assert_same(found: pa.Table, expected: pa.Table) -> None:
    """The same columns, types and multiset of rows; Spark tells moments in the session's zone."""
    assert found.column_names == expected.column_names
    assert multiset(found.cast(expected.schema)) == multiset(expected)
