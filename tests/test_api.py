"""The public call: frames in and out, roles of columns, options."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from decimal import Decimal
from importlib import import_module
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import kleene
from kleene import errors
from kleene.errors import (
    BadRowsError,
    InputError,
    KleeneError,
    OutputError,
    UnknownColumnError,
    UnknownFunctionError,
    UnknownOptionError,
)
from kleene.runtime.evaluate import Found, evaluate
from kleene.runtime.threads import available

CLICKS = pa.table({"t": [1, 2, 3], "event": ["A", "B", "B"], "x": [1.5, None, 2.5]})
QUERY = "PATTERN SEQ(A a, B b) RETURN a.t AS first, b.x"


def test_few_events_of_arrow_load_no_large_library() -> None:
    script = (
        "import sys, kleene, pyarrow as pa\n"
        "assert 'pandas' not in sys.modules\n"  # Arrow loads it when it sees a list
        "events = pa.table({'t': [1, 2], 'event': ['A', 'B']})\n"
        f"assert kleene.match(events, {QUERY!r}, time='t', type='event').num_rows == 1\n"
        "assert not {'polars', 'pyspark', 'numba', 'matplotlib'} & set(sys.modules)\n"
    ).replace("b.x", "b.t")
    subprocess.run([sys.executable, "-c", script], check=True)


def test_the_same_kind_of_frame_comes_back() -> None:
    arrow = kleene.match(CLICKS, QUERY, time="t", type="event")
    assert arrow.to_pylist() == [{"first": 1, "x": None}, {"first": 1, "x": 2.5}]
    batch = kleene.match(CLICKS.to_batches()[0], QUERY, time="t", type="event")
    assert batch == arrow
    pandas = kleene.match(CLICKS.to_pandas(), QUERY, time="t", type="event")
    assert isinstance(pandas, pd.DataFrame)
    assert list(pandas.columns) == ["first", "x"]
    polars = kleene.match(pl.DataFrame(CLICKS), QUERY, time="t", type="event")
    assert isinstance(polars, pl.DataFrame)
    assert polars.rows() == [(1, None), (1, 2.5)]


def test_events_of_another_kind_are_refused() -> None:
    mixed = pd.DataFrame({"t": [1, 2], "event": ["A", 2]})
    for events, reason in (
        ([1, 2], "cannot be read from a list"),
        (mixed, "values of several types"),
        (pa.table([[1], [2]], names=["t", "t"]), "two columns called t"),
    ):
        with pytest.raises(InputError, match=reason):
            kleene.match(events, QUERY, time="t", type="event")


def test_it_runs_on_all_cores_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def evaluated(*arguments: Any, **named: Any) -> Found:
        asked.append(arguments[-1])
        return evaluate(*arguments, **named)

    monkeypatch.setattr(import_module("kleene.api.match"), "evaluate", evaluated)
    kleene.match(CLICKS, QUERY, time="t", type="event")
    assert asked == [available()]


def test_a_method_that_a_query_has_none_of_is_refused() -> None:
    """There is no repetition that could wait; the default takes what there is."""
    for call in (kleene.match, kleene.explain):
        with pytest.raises(UnknownOptionError, match="cannot be 'postponing' for this query"):
            call(CLICKS, QUERY, time="t", type="event", options={"evaluation": "postponing"})


def test_a_query_object_is_as_good_as_text() -> None:
    query = kleene.parse(QUERY)
    assert kleene.match(CLICKS, query, time="t", type="event").num_rows == 2


def test_columns_carry_their_types() -> None:
    table = pa.table(
        {
            "ts": pa.array([0, 86_400_000_000_000], pa.timestamp("ns")),
            "kind": pa.array(["A", "B"]).dictionary_encode(),
            "price": pa.array([Decimal("1.10"), Decimal("2.20")], pa.decimal128(10, 2)),
            "tags": [["x"], []],
            "place": [{"city": "Rom"}, {"city": None}],
            "raw": [b"\x00", b"\xff"],
            "day": [dt.date(2024, 1, 1), dt.date(2024, 1, 2)],
        }
    )
    found = kleene.match(
        table,
        "PATTERN SEQ(A a, B b) WHERE a.place.city = 'Rom' AND b.price = a.price * 2 WITHIN 2 days",
        time="ts",
        type="kind",
    )
    assert found.schema.names == ["a", "b", "match_start", "match_end"]
    assert found.to_pylist()[0]["a"]["tags"] == ["x"]
    assert found.schema.field("match_start").type == pa.timestamp("us")


def test_events_that_are_none_are_counted_and_reported() -> None:
    table = pa.table({"t": [1, None, 2], "event": ["A", "A", "B"]})
    with pytest.warns(kleene.BadRowsWarning, match="1 row is no event"):
        found = kleene.match(table, "SEQ(A a, B b)", time="t", type="event")
    assert found.num_rows == 1
    with pytest.raises(BadRowsError, match="1 row is no event"):
        kleene.match(table, "SEQ(A a, B b)", time="t", type="event", options={"bad_rows": "error"})


def test_options_are_refused_by_name() -> None:
    with pytest.raises(UnknownOptionError, match="there is no option bad_row"):
        kleene.match(CLICKS, QUERY, time="t", type="event", options={"bad_row": "skip"})
    with pytest.raises(UnknownOptionError, match="bad_rows cannot be 'drop'"):
        kleene.Options(bad_rows="drop")  # type: ignore[arg-type]
    with pytest.raises(UnknownOptionError, match="output cannot be 'matched'"):
        kleene.match(CLICKS, QUERY, time="t", type="event", output="matched")


def test_arguments_of_another_kind_are_refused() -> None:
    product = kleene.UserAggregate("product", 1, lambda state, _: state, pa.int64())
    for arguments, error, reason in (
        ({"query": None}, InputError, "a query is text, and this is a NoneType"),
        ({"query": b"A a"}, InputError, "a query is text, and this is a bytes"),
        ({"time": None}, InputError, "columns are called by their names, and None is none"),
        ({"order_by": [1]}, InputError, "columns are called by their names, and 1 is none"),
        ({"output": None}, UnknownOptionError, "output cannot be None"),
        ({"options": "kernel"}, UnknownOptionError, "options cannot be 'kernel'"),
        ({"options": {"bad_rows": None}}, UnknownOptionError, "bad_rows cannot be None"),
        ({"options": {"aggregates": ["x"]}}, UnknownOptionError, "aggregates cannot be"),
        ({"options": {"aggregates": product}}, UnknownOptionError, "aggregates cannot be"),
    ):
        call: dict[str, Any] = {"query": QUERY, "time": "t", "type": "event", **arguments}
        with pytest.raises(error, match=reason):
            kleene.match(CLICKS, **call)


def test_functions_of_spark_need_spark() -> None:
    for query in (
        "A a WHERE levenshtein(a.event, 'B') < 2",
        "X a DEFINE X AS soundex(event) = 'A'",
        "A a RETURN initcap(a.event)",
    ):
        with pytest.raises(UnknownFunctionError, match="only Spark can evaluate") as raised:
            kleene.match(CLICKS.slice(0, 0), query, time="t", type="event")
        assert raised.value.text == query


def test_roles_that_columns_cannot_have() -> None:
    table = pa.table({"t": [1], "at": [dt.datetime(2024, 1, 1, tzinfo=dt.UTC)], "event": ["A"]})
    with pytest.raises(InputError, match="t is a number and at a timestamp"):
        kleene.match(table, "A a", time=("t", "at"), type="event")
    with pytest.raises(InputError, match="event cannot hold probabilities"):
        kleene.match(table, "A a", time=("t", "t"), type="event", options={"pmf": "event"})


def test_columns_are_read_as_spark_would_below_the_surface_too() -> None:
    inner = pa.struct([("at", pa.timestamp("ns")), ("word", pa.large_string())])
    table = pa.table(
        {
            "t": [1, 2],
            "event": ["A", "A"],
            "list": pa.array([[{"at": 1500, "word": "x"}]] * 2, pa.list_(inner)),
        }
    )
    found = kleene.match(
        table, "SEQ(A a, A b) PARTITION BY list RETURN a.list", time="t", type="event"
    )
    values = pa.struct([("at", pa.timestamp("us")), ("word", pa.string())])
    assert found.schema.field("list").type == pa.list_(values)
    assert found.num_rows == 1


def test_return_goes_with_matches_only() -> None:
    with pytest.raises(OutputError, match="RETURN describes matches one by one"):
        kleene.match(CLICKS, QUERY, time="t", type="event", output="count")


def test_a_role_must_be_a_column() -> None:
    with pytest.raises(UnknownColumnError, match="did you mean event"):
        kleene.match(CLICKS, QUERY, time="t", type="events")
    with pytest.raises(InputError, match="event cannot be a time"):
        kleene.match(CLICKS, QUERY, time="event", type="event")


def test_imprecise_time_counts_in_units() -> None:
    second = dt.timedelta(seconds=1)
    start = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
    table = pa.table(
        {
            "from": [start, start + second],
            "to": [start + 2 * second, start + second],
            "event": ["A", "B"],
        }
    )

    def match(options: dict[str, object] | None) -> pa.Table:
        query = "SEQ(A a, B b)"
        return kleene.match(table, query, time=("from", "to"), type="event", options=options)

    found = match({"unit": "1 second"})
    assert found.to_pylist()[0]["confidence"] == pytest.approx(1 / 3)
    with pytest.raises(UnknownOptionError, match="need the unit"):
        match(None)
    for unit in ("1 fortnight", "0 seconds", 0, -1, "", "second", float("inf"), float("nan")):
        with pytest.raises(UnknownOptionError, match="unit cannot be"):
            match({"unit": unit})


def test_the_unit_is_one_that_the_time_column_holds() -> None:
    def match(unit: object, kind: pa.DataType) -> pa.Table:
        bounds = {name: pa.array([0, 1], kind) for name in ("from", "to")}
        table = pa.table({**bounds, "event": ["A", "B"]})
        options = {"unit": unit}
        return kleene.match(
            table, "SEQ(A a, B b)", time=("from", "to"), type="event", options=options
        )

    assert match(0.5, pa.float64()).num_rows == 1
    assert match("100 ms", pa.timestamp("s")).num_rows == 1
    for unit, kind in (
        (0.5, pa.int64()),
        ("12 hours", pa.date32()),
        ("0.05", pa.decimal128(5, 1)),
    ):
        with pytest.raises(UnknownOptionError, match="does not hold it"):
            match(unit, kind)


def test_aggregates_of_your_own() -> None:
    product = kleene.UserAggregate("product", 1, lambda state, x: state * x, pa.int64())  # type: ignore[operator]
    table = pa.table({"t": [1, 2, 3], "event": ["B", "B", "B"], "x": [2, 3, 4]})
    found = kleene.match(
        table,
        "B{2} b[] WHERE product(b[].x) > 6 RETURN product(b[].x) AS p",
        time="t",
        type="event",
        options={"aggregates": (product,)},
    )
    assert sorted(row["p"] for row in found.to_pylist()) == [8, 12]
    clash = kleene.UserAggregate("sum", 0, lambda state, _: state, pa.int64())
    with pytest.raises(UnknownOptionError, match="another function"):
        kleene.match(table, "B b", time="t", type="event", options={"aggregates": (clash,)})


def test_every_error_is_a_kleene_error_with_a_code() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    codes = [kind.code for kind in kinds if issubclass(kind, KleeneError)]
    assert len(set(codes)) == len(codes) > 15


@pytest.mark.parametrize("unit", ["s", "ms"])
def test_times_that_microseconds_do_not_reach_are_refused(unit: str) -> None:
    """They are not taken for others."""
    table = pa.table(
        {"t": pa.array([-(2**60), 2**60], pa.timestamp(unit)), "type": ["A", "B"]},
    )
    with pytest.raises(InputError, match=f"t .timestamp.{unit}.. has values that"):
        kleene.match(table, "SEQ(A a, B b)", time="t", type="type")
    with pytest.raises(InputError, match=f"t .timestamp.{unit}.. has values that"):
        kleene.match(table.to_reader(), "SEQ(A a, B b)", time="t", type="type").read_all()


def test_columns_in_runs() -> None:
    kinds = pa.RunEndEncodedArray.from_arrays([2, 3], ["A", "B"])
    table = pa.table({"t": [1, 2, 3], "type": kinds})
    found = kleene.match(table, "SEQ(A a, B b)", time="t", type="type")
    assert found.num_rows == 2
    assert (
        kleene.match(table.to_reader(), "SEQ(A a, B b)", time="t", type="type").read_all() == found
    )


def test_columns_of_pandas_with_one_name_are_refused() -> None:
    frame = pd.DataFrame([[1, "A", 1]], columns=["t", "type", "t"])
    with pytest.raises(InputError, match="two columns called t"):
        kleene.match(frame, "A a", time="t", type="type")


def test_how_files_are_read_is_said() -> None:
    with pytest.raises(InputError, match=r"pyarrow\.dataset\.dataset"):
        kleene.match("events.parquet", "A a", time="t", type="type")
