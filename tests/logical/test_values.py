"""Values of expressions. What Spark can say of them was compared with Spark 4.3 (ANSI, UTC)."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from itertools import pairwise, product
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleene.errors import UnknownFunctionError
from kleene.language.coercion import coerce
from kleene.language.expressions import Aggregate, Attribute, Expression
from kleene.language.functions import AGGREGATES, CASTS, FUNCTIONS
from kleene.language.types import type_of
from kleene.logical.aggregates import aggregate_values
from kleene.logical.ordering import compare, sort_key
from kleene.logical.scalars import SCALARS
from kleene.logical.values import evaluate
from support.expressions import EVENT, attribute, read

D = Decimal
BERLIN = ZoneInfo("Europe/Berlin")


def no_aggregate(node: Aggregate) -> object:
    raise AssertionError(node)


def value(text: str) -> object:
    return evaluate(coerce(read(text)), attribute, no_aggregate)


def same(one: object, other: object) -> bool:
    """Equal, of one class, with as many places behind the point and the same sign of zero."""
    return type(one) is type(other) and repr(one) == repr(other)


def utc(*fields: int) -> dt.datetime:
    return dt.datetime(*fields, tzinfo=dt.UTC)  # type: ignore[arg-type, misc]


def naive(*fields: int) -> dt.datetime:
    return utc(*fields).replace(tzinfo=None)


def micros(count: int) -> dt.timedelta:
    return dt.timedelta(microseconds=count)


LOGIC = {
    "TRUE AND NULL": None,
    "FALSE AND NULL": False,
    "NULL AND FALSE": False,
    "TRUE AND TRUE": True,
    "TRUE OR NULL": True,
    "FALSE OR NULL": None,
    "FALSE OR FALSE": False,
    "NOT NULL": None,
    "NOT FALSE": True,
    "a.unsure = a.unsure": None,
    "a.unsure <=> NULL": True,
    "a.lost <=> 1": False,
    "1 <=> 1.0": True,
    "a.lost IS NULL": True,
    "a.lost IS NOT NULL": False,
    "a IS NULL": False,
    "1 IN (2, NULL)": None,
    "1 IN (NULL, 1)": True,
    "1 IN (2, 3)": False,
    "NULL IN (1)": None,
    "1 NOT IN (2, NULL)": None,
    "1 NOT IN (1, NULL)": False,
    "1 NOT IN (2)": True,
    "2 BETWEEN 1 AND 3": True,
    "5 BETWEEN NULL AND 3": False,
    "2 BETWEEN NULL AND 3": None,
    "5 NOT BETWEEN NULL AND 3": True,
    "1 < 2 < 3": True,
    "1 < 3 < 2": False,
    "1 < NULL < 0": None,
    "3 < 2 < NULL": False,
    "a.text LIKE NULL": None,
    "a.lines LIKE 'one%two'": True,
    "a.lines LIKE 'one_two'": True,
    "'aXb' LIKE 'a_b'": True,
    "'a.b' LIKE 'a.b'": True,
    "'axb' LIKE 'a.b'": False,
    "'50%' LIKE '50#%' ESCAPE '#'": True,
    "'50#' LIKE '50##' ESCAPE '#'": True,
    "'507' LIKE '50#%' ESCAPE '#'": False,
    "'abc' LIKE 'b'": False,
    "'' LIKE '%'": True,
    "'x' NOT LIKE 'y'": True,
    "'abcab' LIKE 'a%b'": True,
    "'abab' LIKE '%a%b%a%'": True,
    "'abab' LIKE '%b%b%a%'": False,
    "'aab' LIKE 'a%_b%'": True,
    "repeat('a', 20000) LIKE '%a%a%a%a%a%b'": False,
    "'a' LIKE concat('a', '#')": False,
    "'a' LIKE '#' || '' ESCAPE '#'": None,
    "CASE WHEN NULL THEN 1 ELSE 2 END": 2,
    "CASE WHEN FALSE THEN 1 END": None,
    "CASE NULL WHEN NULL THEN 1 ELSE 2 END": 2,
    "CASE a.whole WHEN 1 THEN 'x' WHEN 2147483647 THEN 'y' END": "y",
    "CASE WHEN TRUE THEN 1 ELSE 2.5 END": D("1.0"),
    "CASE WHEN TRUE THEN 1 ELSE 2e0 END": 1.0,
    "CASE WHEN TRUE THEN a.day ELSE a.ts END": utc(2024, 2, 29),
    "CASE WHEN TRUE THEN a.day ELSE a.ntz END": naive(2024, 2, 29),
}

COMPARISONS = {
    "a.nan = a.nan": True,
    "a.nan > a.infinite": True,
    "a.nan < 1": False,
    "a.nan != 1": True,
    "-0e0 = 0": True,
    "-0e0 < 0e0": False,
    "a.nan IN (1e0, a.nan)": True,
    "a.single = 0.1": False,
    "a.price = 123.45": True,
    "a.price = 123.45e0": True,
    "a.long = 9223372036854775807e0": True,
    "a.long < 9223372036854775808": True,
    "a.long > 9223372036854775806": True,
    "a.day = a.ts": False,
    "a.day < a.ntz < a.ts": True,
    "a.day = '2024-02-29'": True,
    "a.ts >= '2024-02-29 23:59:58.123456'": True,
    "a.ntz = TIMESTAMP '2024-02-29 01:02:03'": True,
    "'a' > 'B'": True,
    "'😀' > '￿'": True,
    "'a' < 'aa'": True,
    "a.raw < x'62'": True,
    "a.flag > FALSE": True,
    "a.span > a.back": True,
    "a.span = 600 min": True,
    "a.list = a.list": True,
    "a.place = a.place": True,
    "a.clock = a.clock": True,
}

ARITHMETIC = {
    "a.tiny + a.tiny": 200,
    "a.whole + 1": 2147483648,
    "a.long + 1": None,
    "a.least - 1": None,
    "a.long * 2": None,
    "-a.least": None,
    "a.least div -1": None,
    "a.least % -1": 0,
    "abs(a.least)": None,
    "1 + NULL": None,
    "7 / 2": 3.5,
    "7 / 0": None,
    "7 % 0": None,
    "7 div 0": None,
    "7e0 / 0": None,
    "7e0 % 0": None,
    "7.5 / 0": None,
    "-7 div 2": -3,
    "7 div -2": -3,
    "-7 % 3": -1,
    "7 % -3": 1,
    "-7.5 % 2": D("-1.5"),
    "-7.5e0 % 2": -1.5,
    "a.infinite % 3": math.nan,
    "3 % a.infinite": 3.0,
    "a.infinite - a.infinite": math.nan,
    "1e308 * 10": math.inf,
    "7.5 div 2": 3,
    "a.wide div 1": None,
    "a.price / 3": D("41.150000"),
    "1.5 / 3.25": D("0.461538"),
    "a.price + 1": D("124.45"),
    "a.price * 2": D("246.90"),
    "a.price * 2e0": 246.9,
    "a.fine * a.fine": D("9.869604"),
    "a.fine / a.price": D("-0.0254483001505856"),
    "-a.fine": D("3.141592653589793238"),
    "abs(a.fine)": D("3.141592653589793238"),
    "a.wide + 1": None,
    "a.wide * a.wide": None,
    "9223372036854775808 - 1": D(9223372036854775807),
    "-a.minus": 7,
    "'a' || NULL": None,
    "'a' || 'b'": "ab",
}

TIME = {
    "a.ts - a.ntz": dt.timedelta(hours=22, minutes=57, seconds=55, microseconds=123456),
    "a.ts - a.day": dt.timedelta(hours=23, minutes=59, seconds=58, microseconds=123456),
    "a.day - DATE '2024-02-28'": dt.timedelta(days=1),
    "a.day + 1": dt.date(2024, 3, 1),
    "1 + a.day": dt.date(2024, 3, 1),
    "a.day - 1": dt.date(2024, 2, 28),
    "a.day + 10 hours": naive(2024, 2, 29, 10),
    "a.ntz - 1 day": naive(2024, 2, 28, 1, 2, 3),
    "2 s + a.ts": utc(2024, 3, 1, 0, 0, 0, 123456),
    "a.span + a.back": dt.timedelta(hours=10) - micros(3),
    "a.span - a.span": micros(0),
    "a.span * 1.5": dt.timedelta(hours=15),
    "2 * a.span": dt.timedelta(hours=20),
    "a.back / 2": micros(-2),
    "a.back * 2.5": micros(-8),
    "a.back * 0.5e0": micros(-2),
    "a.span / 4 hours": 2.5,
    "a.span / 0": None,
    "a.span / (1 s - 1 s)": None,
    "a.span / 0e0": None,
    "a.span * a.infinite": None,
    "a.span * a.long": None,
    "-a.back": micros(3),
    "abs(a.back)": micros(3),
    "DATE '9999-12-31' + 1": None,
    "TIMESTAMP '9999-12-31 23:59:59' + 1 s": None,
    "a.ts + a.span * 10000000": None,
    "year(a.ts) + month(a.day)": 2026,
    "hour(a.day)": 0,
    "minute(a.ts)": 59,
    "second(a.ts)": 58,
    "quarter(DATE '2024-12-31')": 4,
    "weekofyear(DATE '2023-01-01')": 52,
    "dayofyear(DATE '2024-12-31')": 366,
    "dayofweek(DATE '2024-05-05')": 1,
    "weekday(DATE '2024-05-05')": 6,
    "dayofmonth(a.ts)": 29,
    "date_add(a.ts, 1)": dt.date(2024, 3, 1),
    "date_sub(a.ntz, 29)": dt.date(2024, 1, 31),
    "date_add(a.day, a.long)": None,
    "datediff('2024-03-01', a.ts)": 1,
    "unix_seconds(TIMESTAMP '1969-12-31 23:59:59.5')": -1,
    "unix_millis(a.ntz)": 1709168523000,
    "unix_micros(a.ts)": 1709251198123456,
    "timestamp_millis(-1)": utc(1969, 12, 31, 23, 59, 59, 999000),
    "timestamp_seconds(a.long)": None,
    "date_trunc('year', a.ts)": utc(2024, 1, 1),
    "date_trunc('QUARTER', TIMESTAMP '2024-06-07')": utc(2024, 4, 1),
    "date_trunc('mon', a.day)": naive(2024, 2, 1),
    "date_trunc('week', TIMESTAMP '2024-05-05 10:00:00')": utc(2024, 4, 29),
    "date_trunc('dd', a.ts)": utc(2024, 2, 29),
    "date_trunc('hour', a.ts)": utc(2024, 2, 29, 23),
    "date_trunc('minute', a.ts)": utc(2024, 2, 29, 23, 59),
    "date_trunc('second', a.ts)": utc(2024, 2, 29, 23, 59, 58),
    "date_trunc('millisecond', a.ts)": utc(2024, 2, 29, 23, 59, 58, 123000),
    "date_trunc('microsecond', a.ts) = a.ts": True,
    "date_trunc(a.text, a.ts)": None,
}

CASTS_OF_VALUES = {
    "CAST(a.number AS int)": 42,
    "CAST('+7' AS tinyint)": 7,
    "CAST('128' AS tinyint)": None,
    "CAST('1.5' AS int)": None,
    "CAST('1e3' AS int)": None,
    "CAST('' AS int)": None,
    "CAST('٤' AS int)": None,
    "CAST('00000000000000000000000000042' AS bigint)": 42,
    "CAST('9223372036854775808' AS bigint)": None,
    "CAST('-9223372036854775808' AS bigint)": -(2**63),
    "CAST(-1.9e0 AS int)": -1,
    "CAST(2.5 AS int)": 2,
    "CAST(a.whole AS smallint)": None,
    "CAST(a.nan AS int)": None,
    "CAST(1e10 AS int)": None,
    "CAST(9223372036854775807e0 AS bigint)": 2**63 - 1,
    "CAST(1e19 AS bigint)": None,
    "CAST(TRUE AS int)": 1,
    "CAST(a.ts AS bigint)": 1709251198,
    "CAST(TIMESTAMP '1969-12-31 23:59:59.5' AS double)": -0.5,
    "CAST(TIMESTAMP '1969-12-31 23:59:59.5' AS decimal(10, 2))": D("-0.50"),
    "CAST(' nan ' AS double)": math.nan,
    "CAST('-Infinity' AS double)": -math.inf,
    "CAST('inf' AS double)": math.inf,
    "CAST('1.5d' AS double)": 1.5,
    "CAST('.5' AS double)": 0.5,
    "CAST('1e400' AS double)": math.inf,
    "CAST('1_0' AS double)": None,
    "CAST('x' AS double)": None,
    "CAST(0.1 AS float)": 0.10000000149011612,
    "CAST(1e40 AS float)": math.inf,
    "CAST(TRUE AS double)": 1.0,
    "CAST(1.255e0 AS decimal(5, 2))": D("1.26"),
    "CAST('1.255' AS decimal(5, 2))": D("1.26"),
    "CAST('1e2' AS decimal(5, 2))": D("100.00"),
    "CAST('1e999999999' AS decimal(5, 2))": None,
    "CAST('1e99999999999999999999' AS decimal(5, 2))": None,
    "CAST('1e-999' AS decimal(5, 2))": D("0.00"),
    "CAST('nan' AS decimal(5, 2))": None,
    "CAST(999.995 AS decimal(5, 2))": None,
    "CAST(1e10 AS decimal(5, 2))": None,
    "CAST(a.infinite AS decimal(5, 2))": None,
    "CAST(TRUE AS decimal(5, 2))": D("1.00"),
    "CAST(12 AS string)": "12",
    "CAST(1e0 AS string)": "1.0",
    "CAST(1e7 AS string)": "1.0E7",
    "CAST(12345678.9e0 AS string)": "1.23456789E7",
    "CAST(1e-3 AS string)": "0.001",
    "CAST(-1e-4 AS string)": "-1.0E-4",
    "CAST(-0e0 AS string)": "-0.0",
    "CAST(a.nan AS string)": "NaN",
    "CAST(-a.infinite AS string)": "-Infinity",
    "CAST(a.single AS string)": "0.1",
    "CAST(CAST(1e-10 AS decimal(20, 15)) AS string)": "0.000000000100000",
    "CAST(TRUE AS string)": "true",
    "CAST(x'6162' AS string)": "ab",
    "CAST('ab' AS binary)": b"ab",
    "CAST(a.ts AS string)": "2024-02-29 23:59:58.123456",
    "CAST(TIMESTAMP '2024-01-01 10:00:00.120' AS string)": "2024-01-01 10:00:00.12",
    "CAST(a.ntz AS string)": "2024-02-29 01:02:03",
    "CAST(TIMESTAMP '2024-01-01 10:00:00' AS string)": "2024-01-01 10:00:00",
    "CAST(a.day AS string)": "2024-02-29",
    "CAST(' YES ' AS boolean)": True,
    "CAST('n' AS boolean)": False,
    "CAST('2' AS boolean)": None,
    "CAST(0 AS boolean)": False,
    "CAST(a.nan AS boolean)": True,
    "CAST('2024-02-29 xyz' AS date)": dt.date(2024, 2, 29),
    "CAST('2024-02-30' AS date)": None,
    "CAST(a.ts AS date)": dt.date(2024, 2, 29),
    "CAST('2024-02-29 10:00+02:00' AS timestamp)": utc(2024, 2, 29, 8),
    "CAST('2024-02-29 10:00+02:00' AS timestamp_ntz)": naive(2024, 2, 29, 10),
    "CAST('10:00' AS timestamp)": None,
    "CAST(a.day AS timestamp)": utc(2024, 2, 29),
    "CAST(a.ntz AS timestamp)": utc(2024, 2, 29, 1, 2, 3),
    "CAST(a.ts AS timestamp_ntz)": naive(2024, 2, 29, 23, 59, 58, 123456),
    "CAST(-1.5 AS timestamp)": utc(1969, 12, 31, 23, 59, 58, 500000),
    "CAST(1.5e0 AS timestamp)": utc(1970, 1, 1, 0, 0, 1, 500000),
    "CAST(a.ts AS timestamp) = a.ts": True,
    "CAST(a.day AS date)": dt.date(2024, 2, 29),
    "CAST('' AS timestamp)": None,
    "CAST(a.nan AS timestamp)": None,
    "CAST(1e300 AS timestamp)": None,
    "CAST(1e305 AS timestamp)": None,
    "CAST(NULL AS int)": None,
    "int(a.price)": 123,
    "double(a.number)": 42.0,
    "string(a.single)": "0.1",
    "to_date('2024-02-29 10:00')": dt.date(2024, 2, 29),
}

NUMBERS = {
    "sign(-3)": -1.0,
    "sign(a.nan)": math.nan,
    "sign(0)": 0.0,
    "floor(-2.5e0)": -3,
    "ceil(-2.5e0)": -2,
    "floor(a.nan)": 0,
    "ceil(a.infinite)": None,
    "floor(1e30)": None,
    "ceil(a.price)": D(124),
    "floor(a.fine)": D(-4),
    "floor(a.wide)": D("9" * 38),
    "ceiling(7)": 7,
    "round(2.5e0)": 3.0,
    "round(-2.5e0)": -3.0,
    "bround(2.5e0)": 2.0,
    "round(1.005e0, 2)": 1.01,
    "round(25, -1)": 30,
    "bround(25, -1)": 20,
    "round(4, -1)": 0,
    "round(4, -2)": 0,
    "round(a.long, -1)": None,
    "round(a.price, 1)": D("123.5"),
    "round(a.price, -2)": D(100),
    "round(a.price, 9)": D("123.45"),
    "round(a.wide, -1)": None,
    "round(a.price, NULL)": None,
    "round(a.nan, 1)": math.nan,
    "round(1e300, 2)": 1e300,
    "round(1e-300, 301)": 1e-300,
    "round(1e0, 2147483647)": 1.0,
    "sqrt(-1)": math.nan,
    "sqrt(a.price + 20.55)": 12.0,
    "exp(1000)": math.inf,
    "ln(0)": None,
    "ln(-1)": None,
    "log(a.nan)": math.nan,
    "log(2, 8)": 3.0,
    "log(1, 8)": math.inf,
    "log(1, 1)": math.nan,
    "log(-2, 8)": None,
    "log(10, 0)": None,
    "log2(8)": 3.0,
    "log10(1000)": 3.0,
    "log10(-1)": None,
    "power(2, 0.5)": math.sqrt(2),
    "pow(-8, 1 / 3)": math.nan,
    "pow(0, -1)": math.inf,
    "pow(-0e0, -1)": -math.inf,
    "pow(-0e0, -2)": math.inf,
    "pow(10, 400)": math.inf,
    "pow(-10, 401)": -math.inf,
    "pow(1, a.nan)": math.nan,
    "pow(-1, a.infinite)": math.nan,
    "pow(a.nan, 0)": 1.0,
    "mod(-7, 3)": -1,
    "pmod(-7, 3)": 2,
    "pmod(-7, -3)": -1,
    "pmod(-7.5, 2)": D("0.5"),
    "pmod(7, 0)": None,
    "isnan(NULL)": False,
    "isnan(a.nan)": True,
    "isnan(1)": False,
}

CHOICES = {
    "coalesce(NULL, 1, 2.5)": D("1.0"),
    "coalesce(a.lost, a.double)": 2.5,
    "coalesce(a.never, '2024-01-02')": dt.date(2024, 1, 2),
    "coalesce(a.lost, NULL)": None,
    "ifnull(a.tiny, 2e0)": 100.0,
    "nvl(a.mute, 'x')": "x",
    "nvl2(a.lost, 1, 2.5)": D("2.5"),
    "if(NULL, 1, 2)": 2,
    "if(a.flag, a.price, 1)": D("123.45"),
    "nullif(1, 1.0)": None,
    "nullif(1, NULL)": 1,
    "nullif(a.tiny, 2)": 100,
    "greatest(1, NULL, a.nan)": math.nan,
    "greatest(NULL, NULL)": None,
    "greatest(1, 2.5)": D("2.5"),
    "least(1, NULL, 2.5e0)": 1.0,
    "greatest(a.day, a.ts) = a.ts": True,
    "isnull(a.lost)": True,
    "isnotnull(a.lost)": False,
}

TEXTS = {
    "length(a.text)": 12,
    "length(a.raw)": 2,
    "octet_length(a.text)": 17,
    "octet_length(a.raw)": 2,
    "lower('ÀÉ')": "àé",
    "ucase('straße')": "STRASSE",
    "trim('\t a ')": "\t a",
    "ltrim('  a ')": "a ",
    "rtrim(' a  ')": " a",
    "btrim('xyaxy', 'yx')": "a",
    "substring('hello', 0, 2)": "he",
    "substring('hello', -3, 2)": "ll",
    "substring('hello', -7, 4)": "he",
    "substring('hello', 2)": "ello",
    "substring('hello', 2, -1)": "",
    "substr('hello', 10)": "",
    "left('hello', -1)": "",
    "left(a.text, 2)": "hé",
    "right('hello', 2)": "lo",
    "right('hello', 0)": "",
    "right('he', 9)": "he",
    "concat('a', NULL)": None,
    "concat('a', 'b', 'c')": "abc",
    "concat_ws(',', 'a', NULL, 'b')": "a,b",
    "concat_ws(',', a.words, 'c')": "a,b,c",
    "concat_ws(',')": "",
    "concat_ws(NULL, 'a')": None,
    "replace('abcabc', 'b', 'XX')": "aXXcaXXc",
    "replace('abcabc', 'b')": "acac",
    "replace('abc', '', 'x')": "abc",
    "translate('AaBbCc', 'abc', '12')": "A1B2C",
    "translate('aaa', 'aa', '12')": "111",
    "repeat('ab', 2)": "abab",
    "repeat('ab', -1)": "",
    "repeat('ab', a.long)": None,
    "reverse('ab')": "ba",
    "lpad('hi', 5, 'ab')": "abahi",
    "lpad('hi', 1, 'ab')": "h",
    "lpad('hi', 5, '')": "hi",
    "lpad('hi', -1)": "",
    "lpad('hi', a.long)": None,
    "rpad('hi', 5)": "hi   ",
    "rpad('hi', a.long)": None,
    "instr('hello', 'l')": 3,
    "instr('hello', '')": 1,
    "instr('hello', 'z')": 0,
    "locate('l', 'hello', 4)": 4,
    "locate('l', 'hello', 0)": 0,
    "locate('l', 'hello', NULL)": 0,
    "locate(NULL, 'hello', 0)": None,
    "locate('', 'hello', 9)": 1,
    "position('l', 'hello')": 3,
    "startswith('hello', '')": True,
    "endswith('hello', NULL)": None,
    "contains(a.text, 'wör')": True,
    "ascii('😀')": 128512,
    "ascii('')": 0,
}

COLLECTIONS = {
    "size(a.list)": 3,
    "size(a.nowhere)": None,
    "cardinality(a.map)": 2,
    "array_contains(a.list, 2.0)": True,
    "array_contains(a.list, 7)": None,
    "array_contains(a.floats, 7)": False,
    "array_contains(a.list, NULL)": None,
    "element_at(a.list, 1)": 1,
    "element_at(a.list, -1)": 2,
    "element_at(a.list, 0)": None,
    "element_at(a.list, 4)": None,
    "element_at(a.list, -4)": None,
    "element_at(a.map, 'a')": 1,
    "element_at(a.map, 'c')": None,
    "reverse(a.list)": [2, None, 1],
    "a.list[0]": 1,
    "a.list[3]": None,
    "a.list[-1]": None,
    "a.list[NULL]": None,
    "a.nowhere[0]": None,
    "a.map['a']": 1,
    "a.map['c']": None,
}

CASES = {
    **LOGIC,
    **COMPARISONS,
    **ARITHMETIC,
    **TIME,
    **CASTS_OF_VALUES,
    **NUMBERS,
    **CHOICES,
    **TEXTS,
    **COLLECTIONS,
}


@pytest.mark.parametrize("text", CASES)
def test_value(text: str) -> None:
    found = value(text)
    assert same(found, CASES[text]), repr(found)


def test_every_function_is_evaluated() -> None:
    assert set(FUNCTIONS) == set(SCALARS) | set(CASTS)


def test_what_only_spark_can_evaluate() -> None:
    with pytest.raises(UnknownFunctionError, match="soundex"):
        value("soundex(a.text)")


def test_aggregates_are_asked_for() -> None:
    expression = read("sum(r[].tiny) / count(r[])")
    worth = {"sum": 7, "count": 2}
    assert evaluate(expression, attribute, lambda node: worth[node.name]) == 3.5


def in_berlin(node: Attribute) -> object:
    return dt.datetime(2024, 10, 27, 1, 30, tzinfo=BERLIN)


BERLIN_VALUES: dict[str, object] = {
    "hour(a.ts)": 1,
    "CAST(a.ts AS date)": dt.date(2024, 10, 27),
    "unix_seconds(a.ts)": 1729985400,
    "a.ts = TIMESTAMP '2024-10-26 23:30:00'": True,
    # the clock was turned back at 3: 2 hours later it shows 2:30 for the second time
    "CAST(a.ts + 2 hours AS string)": "2024-10-27 02:30:00",
    "(a.ts + 2 hours) - a.ts = 2 hours": True,
    "a.ts + 1 hour < a.ts + 2 hours": True,
    "a.ts + 1 day - a.ts = 24 hours": True,
    "CAST(a.ts AS timestamp_ntz) = '2024-10-27 01:30'": True,
    "date_trunc('day', a.ts) = '2024-10-26 22:00'": True,
}


@pytest.mark.parametrize("text", BERLIN_VALUES)
def test_clocks_that_are_turned(text: str) -> None:
    assert evaluate(coerce(read(text)), in_berlin, no_aggregate) == BERLIN_VALUES[text]


ORDERS: list[list[object]] = [
    [False, True],
    [-math.inf, -1.5, -0.0, 1e-300, 2.0, math.inf, math.nan],
    [-(2**63), -1, 0, 2**63 - 1],
    [D("-1.5"), D(0), D("1.50"), D("9" * 38)],
    ["", "B", "a", "aa", "é", "￿", "😀"],
    [b"", b"a", b"a\x00", b"\xff"],
    [dt.date(1, 1, 1), dt.date(2024, 2, 29)],
    [naive(2024, 1, 1), utc(2024, 1, 1, 0, 0, 1), naive(2024, 1, 1, 0, 0, 2)],
    [
        dt.datetime(2024, 10, 27, 2, 30, tzinfo=BERLIN),
        utc(2024, 10, 27, 1),
        dt.datetime(2024, 10, 27, 2, 30, tzinfo=BERLIN, fold=1),
    ],
    [micros(-1), micros(0), dt.timedelta(days=3)],
    [dt.time(1), dt.time(2)],
    [[], [None], [None, 1], [1], [1, None], [1, math.nan], [2]],
    [{"x": None, "y": 9}, {"x": 1, "y": None}, {"x": 1, "y": 2}, {"x": 2, "y": 0}],
    [[], [("a", None)], [("a", 1)], [("b", 1), ("a", 1)], [("b", 0)]],
]


@pytest.mark.parametrize("values", ORDERS, ids=lambda values: type(values[-1]).__name__)
def test_total_order(values: list[Any]) -> None:
    for (i, one), (j, other) in product(enumerate(values), repeat=2):
        expected = (i > j) - (i < j)
        assert compare(one, other) == expected
        assert (sort_key(one) > sort_key(other)) - (sort_key(one) < sort_key(other)) == expected
    assert sorted([*reversed(values), None], key=sort_key) == [None, *values]


def test_equal_values() -> None:
    equals: list[tuple[object, object]] = [
        (0.0, -0.0),
        (math.nan, -math.nan),
        (1, D("1.00")),
        (1, 1.0),
        (D("0.5"), 0.5),
        (2**53 + 1, 2.0**53),
        (dt.date(2024, 1, 1), naive(2024, 1, 1)),
        (naive(2024, 1, 1), utc(2024, 1, 1)),
        (utc(2024, 1, 1), dt.datetime(2024, 1, 1, 1, tzinfo=BERLIN)),
        ([("a", 1), ("b", 2)], [("b", 2), ("a", 1)]),
    ]
    for one, other in equals:
        assert compare(one, other) == compare(other, one) == 0


def test_unlike_values_have_no_order() -> None:
    with pytest.raises(TypeError):
        sort_key(object())


@given(st.lists(st.lists(st.none() | st.floats() | st.floats(0, 1, width=16), max_size=3)))
def test_order_is_transitive(values: list[list[float | None]]) -> None:
    ordered = sorted(values, key=sort_key)
    assert all(compare(one, other) <= 0 for one, other in pairwise(ordered))


AGGREGATED: list[tuple[str, list[object], object]] = [
    ("count", [], 0),
    ("count", [None, 1, None], 1),
    ("count", [{"x": 1}], 1),
    ("sum", [1, None, 2], 3),
    ("sum", [2**63 - 1, 1], None),
    ("sum", [2**63 - 1, 1, -1], 2**63 - 1),
    ("sum", [0.1, 0.2, 0.3], 0.6000000000000001),
    ("sum", [1.0, math.nan], math.nan),
    ("sum", [D("1.50"), D("2.25")], D("3.75")),
    ("sum", [D("9" * 38), D(1)], None),
    ("sum", [micros(1), micros(2)], micros(3)),
    ("avg", [1, 2, None], 1.5),
    ("avg", [2**63 - 1, 2**63 - 1], 2.0**63),
    ("avg", [1.0, 2.5], 1.75),
    ("avg", [D("1.00"), D("2.00"), D("2.00")], D("1.666667")),
    ("avg", [micros(1), micros(2)], micros(2)),
    ("min", [2, None, 1], 1),
    ("max", [math.nan, math.inf, None], math.nan),
    ("min", [math.nan, math.inf], math.inf),
    ("max", ["a", "B"], "a"),
    ("min", [naive(2024, 1, 2), naive(2024, 1, 1)], naive(2024, 1, 1)),
    ("max", [False, True], True),
    ("first", [None, 1], None),
    ("last", [1, 2], 2),
]


@pytest.mark.parametrize("name", AGGREGATES)
def test_aggregates_of_nothing(name: str) -> None:
    nothing = 0 if name == "count" else None
    assert aggregate_values(name, []) == aggregate_values(name, [None]) == nothing


@pytest.mark.parametrize(("name", "values", "expected"), AGGREGATED)
def test_aggregates(name: str, values: list[object], expected: object) -> None:
    found = aggregate_values(name, values)
    assert same(found, expected), repr(found)


TYPED = [text for text in CASES if not text.startswith("CAST")]


@pytest.mark.parametrize("text", TYPED)
def test_values_are_of_their_type(text: str) -> None:
    """What is evaluated goes into an Arrow column of the type that was promised."""
    expression: Expression = coerce(read(text))
    promised = type_of(expression)
    found = evaluate(expression, attribute, no_aggregate)
    pa.array([found], promised)
    assert found is None or not pa.types.is_null(promised)


def test_events_have_values_of_their_types() -> None:
    for type_, held in EVENT.values():
        pa.array([held], type_)
