"""The public call: frames in and out, roles of columns, options."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import kleene
from kleene.errors import (
    BadRowsError,
    InputError,
    KleeneError,
    OutputError,
    UnknownColumnError,
    UnknownOptionError,
)

CLICKS = pa.table({"t": [1, 2, 3], "event": ["A", "B", "B"], "x": [1.5, None, 2.5]})
QUERY = "PATTERN SEQ(A a, B b) RETURN a.t AS first, b.x"


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
    with pytest.raises(InputError, match="cannot be read from a list"):
        kleene.match([1, 2], QUERY, time="t", type="event")


def test_a_query_object_is_as_good_as_text() -> None:
    query = kleene.parse(QUERY)
    assert kleene.match(CLICKS, query, time="t", type="event").num_rows == 2


def test_columns_carry_their_types() -> None:
    table = pa.table(
        {
            "ts": pa.array([dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 2)], pa.timestamp("ns")),
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
        kleene.match(
            table, "SEQ(A a, B b)", time="t", type="event", options={"bad_rows": "error"}
        )


def test_options_are_refused_by_name() -> None:
    with pytest.raises(UnknownOptionError, match="there is no option bad_row"):
        kleene.match(CLICKS, QUERY, time="t", type="event", options={"bad_row": "skip"})
    with pytest.raises(UnknownOptionError, match="bad_rows cannot be 'drop'"):
        kleene.Options(bad_rows="drop")  # type: ignore[arg-type]
    with pytest.raises(UnknownOptionError, match="output cannot be 'matched'"):
        kleene.match(CLICKS, QUERY, time="t", type="event", output="matched")


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
    call = {"time": ("from", "to"), "type": "event"}
    found = kleene.match(table, "SEQ(A a, B b)", **call, options={"unit": "1 second"})
    assert found.to_pylist()[0]["confidence"] == pytest.approx(1 / 3)
    with pytest.raises(UnknownOptionError, match="need the unit"):
        kleene.match(table, "SEQ(A a, B b)", **call)
    with pytest.raises(UnknownOptionError, match="unit cannot be"):
        kleene.match(table, "SEQ(A a, B b)", **call, options={"unit": "1 fortnight"})


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
        kleene.match(
            table, "B b", time="t", type="event", options={"aggregates": (clash,)}
        )


def test_every_error_is_a_kleene_error_with_a_code() -> None:
    from kleene.errors import error_types

    codes = error_types()
    assert len(codes) > 15
    assert all(issubclass(kind, KleeneError) for kind in codes.values())
