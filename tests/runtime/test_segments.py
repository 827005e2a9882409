"""Aggregates of many arrays at once give what `logical.aggregates` gives, array by array."""

from __future__ import annotations

from decimal import Decimal
from functools import reduce
from itertools import pairwise
from random import Random

import numpy as np
import pyarrow as pa
import pytest

from kleene.language.expressions import Aggregate, Attribute
from kleene.language.functions import AGGREGATES
from kleene.language.types import type_of
from kleene.language.user_aggregates import UserAggregate
from kleene.logical.aggregates import aggregate_values
from kleene.runtime.bindings import offsets_of
from kleene.runtime.rows import Rows, stored
from kleene.runtime.segments import Segments, aggregated
from support.typed_events import COLUMNS, COUNT, SCHEMA, table

SUMMED = ("x", "w", "n", "h", "y", "z", "l", "p", "q")
CASES = [
    *((name, column) for name in ("count", "first", "last") for column in COLUMNS),
    *((name, column) for name in ("min", "max") for column in COLUMNS if column not in "gv"),
    *((name, column) for name in ("sum", "avg") for column in SUMMED),
]


def segments(column: str) -> Segments:
    """Arrays of rows of the table in any order, empty ones and long ones among them."""
    random = Random(5)  # noqa: S311 - no secret
    lengths = [0, *(1, 1, 2, 0, 3, 5, 70) * 9, 0]
    places = [random.randrange(COUNT) for _ in range(sum(lengths))]
    values = Rows(table(), {}).attribute((column,)).take(pa.array(places))
    return Segments(values, offsets_of(np.array(lengths)))


def by_definition(name: str, given: Segments) -> list[object]:
    values, ends = given.values.to_pylist(), given.offsets.tolist()
    return [aggregate_values(name, values[s:e]) for s, e in pairwise(ends)]


@pytest.mark.parametrize(("name", "column"), CASES)
def test_aggregate(name: str, column: str) -> None:
    given = segments(column)
    type_ = type_of(Aggregate(name, Attribute("r", (), (column,), SCHEMA.field(column).type)))
    found = aggregated(name, given, type_, {})
    expected = stored(by_definition(name, given), type_)
    assert repr(found.cast(expected.type).to_pylist()) == repr(expected.to_pylist())


def test_every_aggregate_is_here() -> None:
    assert {name for name, _ in CASES} == set(AGGREGATES)


def test_floats_are_added_from_left_to_right() -> None:
    random = Random(11)  # noqa: S311 - no secret
    values = [random.uniform(-1, 1) * 10 ** random.randrange(20) for _ in range(5000)]
    given = Segments(pa.array(values), np.array([0, 7, 70, 1000, 5000]))
    ends = given.offsets.tolist()
    parts = [values[start:end] for start, end in pairwise(ends)]
    sums = aggregated("sum", given, pa.float64(), {}).to_pylist()
    assert sums == [reduce(float.__add__, part) for part in parts]


def test_only_the_total_of_whole_numbers_overflows() -> None:
    values = pa.array([2**63 - 1, 2**63 - 1, -(2**63), -(2**63), 1, 2**63 - 1, 1, -(2**63), -1])
    given = Segments(values, np.array([0, 5, 7, 9]))
    assert aggregated("sum", given, pa.int64(), {}).to_pylist() == [-1, None, None]


def test_long_decimals_are_added_exactly() -> None:
    values = pa.array([Decimal("9" * 28), Decimal(1), None], pa.decimal128(28, 0))
    given = Segments(values, np.array([0, 2, 3]))
    found = aggregated("sum", given, pa.decimal128(38, 0), {}).to_pylist()
    assert found == [Decimal("1" + "0" * 28), None]


def test_aggregates_of_the_user() -> None:
    product = UserAggregate("product", 1, lambda state, x: state * x, pa.int64())  # type: ignore[operator]
    given = Segments(pa.array([2, None, 3, 5]), np.array([0, 3, 3, 4]))
    found = aggregated("product", given, pa.int64(), {"product": product})
    assert found.to_pylist() == [6, None, 5]
