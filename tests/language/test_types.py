"""Types of expressions, and what is refused. Types of decimals were compared with Spark 4.3."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest

from kleene.errors import TypeMismatchError
from kleene.language.casting import CAST_NAMES
from kleene.language.coercion import coerce
from kleene.language.expressions import Call, Literal
from kleene.language.functions import AGGREGATES, FUNCTIONS
from kleene.language.instants import parse_date, parse_day, parse_timestamp
from kleene.language.kinds import Kind, describe, kind_of
from kleene.language.signatures import ANY, Function
from kleene.language.spark_functions import (
    SPARK_AGGREGATES,
    SPARK_FUNCTIONS,
    is_spark_aggregate,
    is_spark_function,
)
from kleene.language.types import check_condition, type_of
from support.expressions import read

UTC = "timestamp[us, tz=UTC]"

TYPES = {
    # constants
    "NULL": "null",
    "TRUE": "bool",
    "3": "int64",
    "9223372036854775808": "decimal128(19, 0)",
    "0.95": "decimal128(2, 2)",
    "95%": "decimal128(2, 2)",
    "1e3": "double",
    "'x'": "string",
    "x'ff'": "binary",
    "10 minutes": "duration[us]",
    "DATE '2024-01-01'": "date32[day]",
    "TIMESTAMP '2024-01-01'": UTC,
    "TIMESTAMP_NTZ '2024-01-01'": "timestamp[us]",
    # attributes keep their type, arithmetic widens it
    "a.tiny": "int8",
    "a.tiny + a.tiny": "int64",
    "-a.tiny": "int64",
    "a.single * a.single": "double",
    "-a.single": "double",
    "a.whole / 2": "double",
    "a.whole div 2": "int64",
    "a.price div 2": "int64",
    "a.whole % 3": "int64",
    "a.whole + NULL": "int64",
    "NULL / NULL": "double",
    # decimals as in Spark
    "a.price + a.long": "decimal128(23, 2)",
    "a.price + 1": "decimal128(11, 2)",
    "a.price * a.tiny": "decimal128(14, 2)",
    "a.price / 3": "decimal128(14, 6)",
    "a.price / -3": "decimal128(14, 6)",
    "a.price / a.whole": "decimal128(21, 13)",
    "a.fine * a.fine": "decimal128(38, 6)",
    "a.fine + a.wide": "decimal128(38, 6)",
    "a.fine % a.price": "decimal128(26, 18)",
    "-a.price": "decimal128(10, 2)",
    "a.price * a.double": "double",
    "a.price + NULL": "decimal128(11, 2)",
    # time
    "a.ts - a.ntz": "duration[us]",
    "a.day - a.day": "duration[us]",
    "a.ts - a.day": "duration[us]",
    "a.ts + 10 minutes": UTC,
    "10 minutes + a.ntz": "timestamp[us]",
    "a.day + 10 minutes": "timestamp[us]",
    "a.day + 1": "date32[day]",
    "1 + a.day": "date32[day]",
    "a.span - 5 s": "duration[us]",
    "a.span * 1.5": "duration[us]",
    "2 * a.span": "duration[us]",
    "a.span / 2": "duration[us]",
    "a.span / 1 hour": "double",
    "-a.span": "duration[us]",
    # text
    "a.text || 'x' || a.word": "string",
    "a.text || NULL": "string",
    # conditions
    "a.tiny < a.fine": "bool",
    "a.ts >= a.day": "bool",
    "a.ts = a.ntz": "bool",
    "a.list = a.list": "bool",
    "a.place <=> a.place": "bool",
    "a.clock < a.clock": "bool",
    "a.text = NULL": "bool",
    "a.flag AND NOT a.unsure OR NULL": "bool",
    "a.whole IN (1, 2.5, 3e0, NULL)": "bool",
    "a.whole BETWEEN 1 AND a.double": "bool",
    "a.text LIKE 'x%'": "bool",
    "a IS NULL": "bool",
    # one value of several
    "CASE WHEN a.flag THEN 1 ELSE 2.5 END": "decimal128(21, 1)",
    "CASE WHEN a.flag THEN a.tiny END": "int8",
    "CASE WHEN a.flag THEN a.tiny ELSE a.whole END": "int64",
    "CASE a.text WHEN 'x' THEN NULL ELSE a.word END": "string",
    "CASE WHEN a.flag THEN a.day ELSE a.ts END": UTC,
    "coalesce(a.lost, a.double)": "double",
    "coalesce(a.fine, a.wide)": "decimal128(38, 0)",
    "if(a.flag, a.map, NULL)": "map<string, int64>",
    "greatest(a.day, a.ntz)": "timestamp[us]",
    "nvl2(a.text, 1, 2)": "int64",
    "nullif(a.tiny, 2.5)": "int8",
    # elements
    "element_at(a.list, 1)": "int64",
    "element_at(a.map, 'a')": "int64",
    "element_at(NULL, 1)": "null",
    "array_contains(a.list, 2.5)": "bool",
    # functions
    "abs(a.tiny)": "int64",
    "abs(a.span)": "duration[us]",
    "round(a.price, 1)": "decimal128(10, 1)",
    "round(a.price, -2)": "decimal128(9, 0)",
    "round(a.price)": "decimal128(9, 0)",
    "round(a.price, NULL)": "decimal128(9, 0)",
    "round(a.double, a.tiny)": "double",
    "floor(a.price)": "decimal128(9, 0)",
    "floor(a.double)": "int64",
    "pmod(a.price, 2)": "decimal128(3, 2)",
    "power(a.price, 2)": "double",
    "length(a.raw)": "int64",
    "concat_ws(',', a.words, a.text)": "string",
    "date_trunc('week', a.day)": "timestamp[us]",
    "date_trunc('week', a.ts)": UTC,
    "date_add(a.ts, 1)": "date32[day]",
    "timestamp_millis(a.long)": UTC,
    "reverse(a.list)": "list<item: int64>",
    # casts
    "CAST(a.number AS int)": "int32",
    "CAST(a.tiny AS Decimal( 5 , 2 ))": "decimal128(5, 2)",
    "CAST(a.ntz AS timestamp)": UTC,
    "CAST(a.ts AS timestamp_ntz)": "timestamp[us]",
    "CAST(NULL AS double)": "double",
    "CAST(a.ts AS long)": "int64",
    "double(a.number)": "double",
    "to_date(a.number)": "date32[day]",
    # aggregates
    "count(r[])": "int64",
    "count(r[].text)": "int64",
    "sum(r[].tiny)": "int64",
    "sum(r[].single)": "double",
    "sum(r[].price)": "decimal128(20, 2)",
    "sum(r[].span)": "duration[us]",
    "avg(r[].tiny)": "double",
    "avg(r[].price)": "decimal128(14, 6)",
    "avg(r[].fine)": "decimal128(38, 22)",
    "min(r[].tiny)": "int8",
    "max(r[].word)": "string",
    "first(r[].list)": "list<item: int64>",
    "sum(NULL)": "double",
    # what only Spark knows
    "levenshtein(a.text, 'x')": "None",
    "levenshtein(a.text, 'x') + 1": "None",
    "levenshtein(a.text, 'x') < 'y'": "bool",
    "coalesce(levenshtein(a.text, 'x'), 1)": "None",
    "upper(soundex(a.text))": "string",
    "soundex(a.text) || 1": "string",
}


@pytest.mark.parametrize("text", TYPES)
def test_type(text: str) -> None:
    assert str(type_of(coerce(read(text)))) == TYPES[text]


REFUSED = {
    # text: (reason, the part that is marked)
    "a.text = 3": ("a string cannot be compared with a number", "a.text = 3"),
    "a.flag = 1": ("a boolean cannot be compared with a number", "a.flag = 1"),
    "1 < a.tiny < a.text": ("a number cannot be compared with a string", "a.tiny < a.text"),
    "a.span > 5": ("a duration cannot be compared with a number", "a.span > 5"),
    "a.raw = a.text": ("a binary string cannot be compared with a string", "a.raw = a.text"),
    "a.ts = a.text": ("a timestamp cannot be compared with a string", "a.ts = a.text"),
    "a.map = a.map": ("a map cannot be compared with a map", "a.map = a.map"),
    "a.list = a.words": ("an array cannot be compared with an array", "a.list = a.words"),
    "a.list = a.floats": ("an array cannot be compared with an array", "a.list = a.floats"),
    "a.list < a.list": ("an array has no order", "a.list"),
    "a.clock = a.ts": ("a time of day cannot be compared with a timestamp", "a.clock = a.ts"),
    "a.months = a.months": ("a value of type month_day_nano_interval", "a.months = a.months"),
    "max(r[].months)": ("max takes a value that has an order", "r[].months"),
    "a.text IN ('x', 1)": ("a string cannot be compared with a number", "1"),
    "a.tiny BETWEEN 1 AND 'x'": ("a number cannot be compared", "'x'"),
    "a = b": ("a is a whole event", "a"),
    "coalesce(a, b)": ("a is a whole event", "a"),
    "max(r[])": ("r is a whole event", "r[]"),
    "a.flag AND 1": ("a condition is a boolean, not a number", "1"),
    "NOT a.text": ("a condition is a boolean, not a string", "a.text"),
    "CASE WHEN a.tiny THEN 1 END": ("a condition is a boolean, not a number", "a.tiny"),
    "CASE a.tiny WHEN 'x' THEN 1 END": ("a number cannot be compared with a string", None),
    "CASE WHEN TRUE THEN 1 ELSE 'x' END": ("a number and a string cannot be values", "1 ELSE 'x'"),
    "coalesce(a.list, a.words)": ("list<item: int64> and list<item: string>", None),
    "if(a.tiny, 1, 2)": ("if takes a boolean, not a number", "a.tiny"),
    "a.text + 1": ("+ is not defined for a string and a number", "a.text + 1"),
    "a.text || 1": ("|| is not defined for a string and a number", "a.text || 1"),
    "a.double div 2": ("div is not defined for a number and a number", "a.double div 2"),
    "a.ts + 1": ("+ is not defined for a timestamp and a number", "a.ts + 1"),
    "a.ts + a.ts": ("+ is not defined for a timestamp and a timestamp", "a.ts + a.ts"),
    "1 - a.day": ("- is not defined for a number and a date", "1 - a.day"),
    "a.span * a.span": ("* is not defined for a duration and a duration", "a.span * a.span"),
    "1 / a.span": ("/ is not defined for a number and a duration", "1 / a.span"),
    "a.span + 5": ("+ is not defined for a duration and a number", "a.span + 5"),
    "TRUE + 1": ("+ is not defined for a boolean and a number", "TRUE + 1"),
    "-a.text": ("only numbers and durations have a negative, not a string", "a.text"),
    "a.tiny LIKE 'x'": ("LIKE compares strings, not a number", "a.tiny"),
    "a.text LIKE 'a#b' ESCAPE '#'": ("# escapes nothing here", "'a#b'"),
    "array_contains(a.list, 'x')": ("a number cannot be compared with a string", "a.list, 'x'"),
    "element_at(a.list, 'x')": ("elements of an array are counted in whole numbers", "'x'"),
    "element_at(a.map, 1)": ("a string cannot be compared with a number", "a.map, 1"),
    "size(a.text)": ("size takes an array or a map, not a string", "a.text"),
    "lower(a.tiny)": ("lower takes a string, not a number", "a.tiny"),
    "concat_ws(',', a.list)": ("concat_ws joins strings, not a number", "a.list"),
    "left(a.text, 1.5)": ("takes a whole number, not one of type decimal128(2, 1)", "1.5"),
    "substring(a.text)": ("substring takes 2 to 3 arguments", "substring(a.text)"),
    "abs()": ("abs takes 1 argument", "abs()"),
    "greatest(1)": ("greatest takes 2 or more arguments", "greatest(1)"),
    "greatest(a.list, a.list)": (
        "greatest takes a value that has an order, not an array",
        "a.list",
    ),
    "round(a.price, a.tiny)": ("the places to round to must be a constant", "a.tiny"),
    "date_trunc('aeon', a.ts)": ("date_trunc does not know the unit 'aeon'", "'aeon'"),
    "nullif(a.tiny, 'x')": ("a number cannot be compared with a string", "a.tiny, 'x'"),
    "CAST(a.day AS int)": ("a date cannot be cast to a number", "CAST(a.day AS int)"),
    "CAST(a.ntz AS int)": ("a timestamp cannot be cast to a number", "CAST(a.ntz AS int)"),
    "CAST(a.list AS string)": ("an array cannot be cast to a string", "CAST(a.list AS string)"),
    "CAST(a.tiny AS flout)": ("flout is not a type that CAST knows", "flout"),
    "CAST(a.tiny AS decimal(39, 2))": ("there is no type", "CAST(a.tiny AS decimal(39, 2))"),
    "sum(r[].text)": ("sum takes a number or a duration, not a string", "r[].text"),
    "min(r[].map)": ("min takes a value that has an order, not a map", "r[].map"),
    "a.day = '2024-02-30'": ("'2024-02-30' is not a date", "'2024-02-30'"),
    "a.day < '2024-02-29 10:00'": ("'2024-02-29 10:00' is not a date", "'2024-02-29 10:00'"),
    "a.ts > 'noon'": ("'noon' is not a timestamp", "'noon'"),
    "datediff(a.day, 'x')": ("'x' is not a date or timestamp", "'x'"),
}


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text: str) -> None:
    reason, part = REFUSED[text]
    with pytest.raises(TypeMismatchError) as caught:
        type_of(coerce(read(text)))
    assert reason in caught.value.reason
    if part is not None:
        assert text[caught.value.span.start : caught.value.span.end] == part


def test_hints_tell_the_way_out() -> None:
    for text, hint in {
        "a.text = 3": "'3'",
        "a.text = a.tiny": "CAST(a.text AS double)",
        "a.ts = a.text": "CAST(a.text AS timestamp)",
        "a.map = a.map": "element_at(a.map, 'key')",
        "a = b": "one of its attributes: a.",
        "a.text || 1": "CAST(1 AS string)",
        "CAST(a.tiny AS flout)": "did you mean float?",
        "a.day = 'x'": "'2024-01-31'",
    }.items():
        with pytest.raises(TypeMismatchError) as caught:
            type_of(coerce(read(text)))
        assert hint in " ".join(caught.value.hints)


def test_numbers_of_more_than_38_digits_are_refused() -> None:
    with pytest.raises(TypeMismatchError, match="at most 38 digits"):
        type_of(Literal(10**38))


def test_a_condition_is_boolean() -> None:
    check_condition(read("a.tiny < 3"))
    check_condition(read("NULL"))
    check_condition(read("regexp_like(a.text, 'x')"))
    with pytest.raises(TypeMismatchError, match="a condition is a boolean"):
        check_condition(read("a.tiny"))


def test_aggregates_of_the_user() -> None:
    median = Function("median", (ANY,), lambda _arguments, _span: pa.float32())
    aggregate = read("sum(r[].tiny)")
    object.__setattr__(aggregate, "name", "median")
    assert type_of(aggregate) is None
    assert type_of(aggregate, {"median": median}) == pa.float32()


COERCED = {
    "a.day = '2024-01-02'": "a.day = DATE '2024-01-02'",
    "'2024-01-02' < a.ts < '2024-01-03 12:30'": (
        "TIMESTAMP '2024-01-02' < a.ts < TIMESTAMP '2024-01-03 12:30:00'"
    ),
    "a.ts = '2024-01-02T10:00+02:00'": "a.ts = TIMESTAMP '2024-01-02 08:00:00'",
    "a.ntz = '2024-01-02T10:00+02:00'": "a.ntz = TIMESTAMP_NTZ '2024-01-02 08:00:00'",
    "a.day IN ('2024-01-02', NULL)": "a.day IN (DATE '2024-01-02', NULL)",
    "a.ts BETWEEN '2024-01-02' AND a.day": "a.ts BETWEEN TIMESTAMP '2024-01-02' AND a.day",
    "a.ntz - '2024-01-02'": "a.ntz - TIMESTAMP_NTZ '2024-01-02'",
    "CASE a.day WHEN '2024-01-02' THEN 'x' END": "CASE a.day WHEN DATE '2024-01-02' THEN 'x' END",
    "CASE WHEN TRUE THEN '2024-01-02' ELSE a.day END": (
        "CASE WHEN TRUE THEN DATE '2024-01-02' ELSE a.day END"
    ),
    "coalesce(a.day, '2024-01-02')": "coalesce(a.day, DATE '2024-01-02')",
    "nvl2(a.text, a.day, '2024-01-02')": "nvl2(a.text, a.day, DATE '2024-01-02')",
    "nvl2('2024-01-02', a.day, a.day)": "nvl2('2024-01-02', a.day, a.day)",
    "datediff('2024-01-02', '2024-01-02 10:00')": (
        "datediff(DATE '2024-01-02', TIMESTAMP_NTZ '2024-01-02 10:00')"
    ),
    "a.text = '2024-01-02'": "a.text = '2024-01-02'",
    "date_trunc('day', a.ts) > '2024-01-02'": "date_trunc('day', a.ts) > TIMESTAMP '2024-01-02'",
    "to_date('2024-01-02') = '2024-01-02'": "to_date('2024-01-02') = DATE '2024-01-02'",
}


@pytest.mark.parametrize("text", COERCED)
def test_strings_beside_dates(text: str) -> None:
    assert coerce(read(text)) == read(COERCED[text])


NAIVE = dt.datetime(2024, 1, 2)  # noqa: DTZ001 - what has no zone is meant
INSTANTS = {
    "2024": dt.datetime(2024, 1, 1),  # noqa: DTZ001
    " 2024-1-2\n": NAIVE,
    "+2024-01-02": NAIVE,
    "2024-01-02 3": NAIVE.replace(hour=3),
    "2024-01-02T03:04:05.": NAIVE.replace(hour=3, minute=4, second=5),
    "2024-01-02 03:04:05.1234567": NAIVE.replace(hour=3, minute=4, second=5, microsecond=123456),
    "2024-01-02 03:04Z": NAIVE.replace(hour=3, minute=4, tzinfo=dt.UTC),
    "2024-01-02 03:00 -0130": NAIVE.replace(hour=4, minute=30, tzinfo=dt.UTC),
    "2024-01-02 03:00 UTC+1": NAIVE.replace(hour=2, tzinfo=dt.UTC),
    "2024-07-02 03:00 Europe/Berlin": dt.datetime(2024, 7, 2, 1, tzinfo=dt.UTC),
    "2024-01-02Z": None,
    "2024-01-02 24:00": None,
    "2024-01-02 03:00 +19:00": None,
    "2024-01-02 03:00 +02:99": None,
    "2024-01-02 03:00 ../Berlin": None,
    "2024-01-02 03:00 Nowhere": None,
    "0001-01-01 00:00 +02:00": None,
    "2024-01 03:00": None,
    "2024-02-30": None,
    "24-01-02": None,
    "12024-01-02": None,
    "03:00": None,
    "": None,
    "٢٠٢٤-01-02": None,
}


@pytest.mark.parametrize("text", INSTANTS)
def test_instants(text: str) -> None:
    assert parse_timestamp(text) == INSTANTS[text]


def test_days() -> None:
    assert parse_date("2024-01-02") == parse_day("2024-01-02T10:00") == NAIVE.date()
    assert parse_date("2024-01-02 x") is parse_day("2024-01-02x") is None


def test_encodings_do_not_change_a_kind() -> None:
    encoded = pa.run_end_encoded(pa.int32(), pa.dictionary(pa.int8(), pa.large_string()))
    assert kind_of(encoded) is Kind.STRING
    assert kind_of(pa.uuid()) is Kind.BINARY
    assert kind_of(pa.list_view(pa.int8())) is Kind.LIST
    assert kind_of(pa.month_day_nano_interval()) is Kind.OTHER
    assert describe(None) == "a value that only Spark knows"


def test_functions_are_sparks() -> None:
    assert set(FUNCTIONS) <= SPARK_FUNCTIONS
    assert set(AGGREGATES) <= SPARK_AGGREGATES
    assert not SPARK_FUNCTIONS & SPARK_AGGREGATES
    assert is_spark_function("SOUNDEX")
    assert is_spark_aggregate("Median")
    assert not is_spark_function("no_such_function")


def test_every_function_takes_null() -> None:
    null = Literal(None)
    for function in FUNCTIONS.values():
        arguments = (null,) * len(function.parameters)
        type_of(Call(function.name, arguments))


def test_every_cast_is_of_its_type() -> None:
    for name, target in CAST_NAMES.items():
        assert type_of(read(f"CAST(NULL AS {name})")) == target
