"""Aggregates as generated code give what `logical.aggregates` gives."""

from __future__ import annotations

from decimal import Decimal
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from kleene.language.expressions import Aggregate, Attribute, Expression
from kleene.language.functions import AGGREGATES
from kleene.logical.aggregates import aggregate_values
from kleene.logical.ordering import sort_key
from kleene.program.columns import ColumnKind, Columns, Unsupported
from kleene.program.conditions import Translator, aggregate_code
from kleene.program.constants import as_int
from kleene.program.support import NAMES
from kleene.program.text import Operand
from support.loading import load
from support.typed_events import COLUMNS, COUNT, SCHEMA, rows, table
from support.written import compiled as compile_kernel

SUMMED = ("x", "w", "n", "y", "z", "l", "p", "q")
COMPILED = [
    ("sum", "p"),
    ("avg", "q"),
    ("sum", "x"),
    ("avg", "l"),
    ("max", "y"),
    ("last", "f"),
    ("avg", "w"),
]
REFUSED = [("sum", "h"), ("own", "x")]
CASES = [
    *((name, column) for name in ("count", "first", "last") for column in COLUMNS),
    *((name, column) for name in ("min", "max") for column in COLUMNS if column not in "gv"),
    *((name, column) for name in ("sum", "avg") for column in SUMMED),
    ("avg", "h"),
]


def argument(column: str) -> Expression:
    return Attribute("r", (), (column,), SCHEMA.field(column).type)


def fail(node: object) -> Operand:
    raise AssertionError(node)


def written(node: Aggregate) -> tuple[str, Columns, Operand]:
    """The aggregate as the source of a function of the positions."""
    columns = Columns(SCHEMA)
    code = aggregate_code(node, Translator(columns, lambda _: "p", fail), "g")
    body = [*code.before, "for p in r:", *(f"    {line}" for line in code.each), *code.after]
    body += [f"return {code.result.value}, {code.result.null}, {code.result.beyond}"]
    names = [f"{letter}{i}" for i in range(len(columns.specs)) for letter in "cm"]
    header = f"def kernel({', '.join([*names, 'r'])}):"
    return "\n    ".join([header, *body]), columns, code.result


def ranges() -> list[list[int]]:
    random = Random(3)  # noqa: S311 - no secret
    lengths = (0, *(1, 1, 1, 2, 2, 3, 5, 8, 13) * 6)
    return [[random.randrange(COUNT) for _ in range(length)] for length in lengths]


def same(expected: object, value: Any, result: Operand, column: list[Any], name: str) -> bool:
    """Whether a number of a kernel stands for a value; a rank by the rows that have it."""
    match result.kind:
        case ColumnKind.SCALED:
            return Decimal(int(value)).scaleb(-result.scale) == expected
        case ColumnKind.FLOAT:
            return repr(float(value)) == repr(expected)
        case ColumnKind.INT:
            return type(value) is int and value == as_int(expected)
        case ColumnKind.CODE:
            found = [row[name] for row, rank in zip(rows(), column, strict=True) if rank == value]
            return sort_key(expected) in map(sort_key, found)


@pytest.mark.parametrize(
    ("name", "column", "compiled"),
    [*((*case, False) for case in CASES), *((*case, True) for case in COMPILED)],
)
def test_aggregate(name: str, column: str, compiled: bool) -> None:  # noqa: FBT001
    source, columns, result = written(Aggregate(name, argument(column)))
    loaded = load(table(), columns)
    namespace: dict[str, Any] = dict(NAMES)
    exec(source, namespace)  # noqa: S102 - that is what is tested
    values, masks, _ = loaded.lists()
    arguments: list[Any] = [each for pair in zip(values, masks, strict=True) for each in pair]
    kernel = namespace["kernel"]
    if compiled:
        pairs = zip(loaded.values, loaded.masks, strict=True)
        kernel, arguments = compile_kernel(kernel), [each for pair in pairs for each in pair]
    for chosen in ranges():
        expected = aggregate_values(name, [rows()[place][column] for place in chosen])
        value, null, beyond = kernel(*arguments, np.array(chosen, np.int64))
        if beyond:
            assert column == "q", "only decimals of 38 digits are"
            continue
        assert null is (expected is None), (chosen, source)
        assert null or same(expected, value, result, values[0] if values else [], column), source


def test_only_the_total_of_whole_numbers_overflows() -> None:
    events = pa.table({"x": pa.array([2**63 - 1, 2**63 - 1, -(2**63), -(2**63), 1])})
    node = Aggregate("sum", Attribute("r", (), ("x",), pa.int64()))
    source, columns, _ = written(node)
    namespace: dict[str, Any] = dict(NAMES)
    exec(source, namespace)  # noqa: S102 - that is what is tested
    (values,), (mask,), _ = load(events, columns).lists()
    kernel = namespace["kernel"]
    assert kernel(values, mask, [0, 1, 2, 3, 4]) == (-1, False, False)
    assert kernel(values, mask, [0, 4])[1] is True
    assert kernel(values, mask, [2, 3])[1] is True
    assert kernel(values, mask, [0]) == (2**63 - 1, False, False)
    assert kernel(values, mask, [2]) == (-(2**63), False, False)


@pytest.mark.parametrize(("name", "column"), REFUSED)
def test_refused(name: str, column: str) -> None:
    with pytest.raises(Unsupported):
        written(Aggregate(name, argument(column)))


def test_every_aggregate_has_code() -> None:
    assert {name for name, _ in CASES} == set(AGGREGATES)
