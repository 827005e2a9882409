"""Columns of a kernel: what shares one, and how they are read from a table."""

from __future__ import annotations

from decimal import Decimal
from itertools import product

import numpy as np
import pyarrow as pa
import pytest

from kleene.errors import InputError, UnknownFunctionError
from kleene.language.expressions import Arithmetic, Attribute, Call, Comparison, Literal
from kleene.logical.arithmetic import EXACT
from kleene.logical.ordering import sort_key
from kleene.program.columns import ColumnKind, Columns
from kleene.program.constants import as_int
from kleene.program.kinds import natural_kind
from kleene.runtime.columns import Loaded
from support.loading import load
from support.typed_events import COLUMNS, rows, table
from support.written import conditions, write

INT, FLOAT, CODE = ColumnKind.INT, ColumnKind.FLOAT, ColumnKind.CODE


def row(name: str, type_: pa.DataType, variable: str = "a") -> Attribute:
    return Attribute(variable, (), tuple(name.split(".")), type_)


def loaded(events: pa.Table, *wanted: tuple[str, ColumnKind]) -> Loaded:
    columns = Columns(events.schema)
    for name, kind in wanted:
        type_ = events.schema.field(name).type
        columns.column(row(name, type_), kind, type_)
    return load(events, columns)


def test_equal_expressions_share_a_column_whatever_event_they_read() -> None:
    columns = Columns()
    x = [row("x", pa.int64(), variable) for variable in "ab"]
    assert columns.column(x[0], INT, pa.int64()) == (0, True)
    assert columns.column(Arithmetic("+", x[0], x[0]), INT, pa.int64()) == (1, True)
    assert columns.column(x[1], INT, pa.int64()) == (0, True)
    assert columns.column(x[1], FLOAT, pa.int64()) == (2, True)
    assert columns.column(Arithmetic("+", x[1], x[1]), INT, pa.int64()) == (1, True)
    assert [spec.kind for spec in columns.specs] == [INT, INT, FLOAT]


def test_what_the_schema_requires_is_never_null() -> None:
    inner = pa.struct([pa.field("k", pa.int64(), nullable=False)])
    schema = pa.schema([pa.field("x", pa.int64(), nullable=False), pa.field("g", inner)])
    columns = Columns(schema)
    x, k = row("x", pa.int64()), row("g.k", pa.int64())
    test = Comparison((x, Literal(3)), (">",))
    assert [columns.nullable(e) for e in (x, k, test)] == [False, True, False]
    assert columns.nullable(Comparison((k, Literal(3)), (">",)))
    assert not columns.nullable(Comparison((k, Literal(3)), ("<=>",)))


def test_a_null_where_the_schema_has_none_is_an_error() -> None:
    schema = pa.schema([pa.field("x", pa.int64(), nullable=False)])
    events = pa.Table.from_arrays([pa.array([1, None])], schema=schema)
    with pytest.raises(InputError, match="x has a null"):
        loaded(events, ("x", INT))


@pytest.mark.parametrize("name", COLUMNS)
def test_numbers_are_those_of_the_values(name: str) -> None:
    kind = natural_kind(COLUMNS[name][0])
    found = loaded(table(), (name, kind))
    for event, number, null in zip(rows(), found.values[0], found.masks[0], strict=True):
        assert null == (event[name] is None)
        if not null and kind is FLOAT:
            assert repr(float(number)) == repr(event[name])
        elif not null and kind is INT:
            assert number == as_int(event[name])


@pytest.mark.parametrize("name", COLUMNS)
def test_codes_are_ordered_as_the_values_are(name: str) -> None:
    codes = loaded(table(), (name, CODE)).values[0]
    ranked = [(e[name], c) for e, c in zip(rows(), codes, strict=True) if e[name] is not None]
    for (one, rank), (other, second) in product(ranked, ranked):
        assert (rank < second) == (sort_key(one) < sort_key(other))
        assert (rank == second) == (sort_key(one) == sort_key(other))


def test_columns_are_zero_copy_and_read_only() -> None:
    events = pa.table({"x": pa.array([1, 2, 3]), "y": pa.array([1.0, 2.0, 3.0])})
    found = loaded(events, ("x", INT), ("y", FLOAT))
    address = events.column("x").chunk(0).buffers()[1].address
    assert found.values[0].__array_interface__["data"][0] == address
    assert not any(array.flags.writeable for array in (*found.values, *found.masks, found.literals))
    assert found.lists() == ([[1, 2, 3], [1.0, 2.0, 3.0]], [[0, 0, 0]] * 2, [])


def test_a_column_may_come_in_pieces() -> None:
    chunks = pa.chunked_array([["b", None], [], ["a", "b"]])
    events = pa.table({"s": chunks}).slice(1)
    found = loaded(events, ("s", CODE))
    assert found.values[0].tolist()[1:] == [0, 1]
    assert found.masks[0].tolist() == [1, 0, 0]


def test_no_rows() -> None:
    for condition in ("a.s = b.s", "a.x + 1 > b.x", "a.v = b.v", "upper(a.s) = b.s"):
        written = write(conditions(condition)[0])
        found = load(table().slice(0, 0), written.columns)
        assert all(len(values) == 0 for values in found.values)


def test_numbers_and_decimals_are_ranked_together() -> None:
    decimals = pa.array([Decimal("1.50"), Decimal("3.00"), None], pa.decimal128(10, 2))
    wide = pa.array([Decimal("1.5"), Decimal(2), Decimal("9" * 38)], pa.decimal256(60, 20))
    events = pa.table({"p": decimals, "w": wide, "x": pa.array([3, -1, 2**63 - 1])})
    columns = Columns(events.schema)
    for name in events.column_names:
        type_ = events.schema.field(name).type
        columns.column(row(name, type_), CODE, type_)
    columns.literal(Decimal(2), pa.decimal128(1, 0))
    found = load(events, columns)
    assert [values.tolist() for values in found.values] == [[1, 3, 0], [1, 2, 5], [3, 0, 4]]
    assert found.literals.tolist() == [2]


def test_decimals_become_the_floats_next_to_them() -> None:
    texts = ["0.1", "123456789012345", "-0.07", "1.005", "99999999999999999999.123456789"]
    for type_ in (pa.decimal128(15, 3), pa.decimal128(38, 9), pa.decimal256(40, 9)):
        values = [
            Decimal(text).quantize(Decimal(1).scaleb(-type_.scale), context=EXACT) for text in texts
        ]
        values = [value for value in values if value.adjusted() < type_.precision - type_.scale]
        array = pa.array([None, *values], type_).slice(1)
        found = loaded(pa.table({"p": array}), ("p", FLOAT))
        assert found.values[0].tolist() == [float(value) for value in values]


def test_what_only_spark_evaluates_is_given() -> None:
    soundex = Call("soundex", (row("s", pa.string(), ""),))
    test = Comparison((soundex, Literal("A1")), ("=",))
    columns = Columns(table().schema)
    columns.column(test, INT, pa.bool_())
    with pytest.raises(UnknownFunctionError):
        load(table(), columns)
    truth = np.arange(table().num_rows) % 2 == 0
    found = load(table(), columns, {test: pa.array(truth)})
    assert found.values[0].tolist() == truth.astype(int).tolist()
