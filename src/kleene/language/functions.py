"""The functions that Kleene evaluates itself, wherever it evaluates.

A function that is not here may still be one of Spark's (`spark_functions`): then only Spark can
tell its type, and only Spark can evaluate it. Whole numbers that a function makes are 64 bits wide.
"""

from __future__ import annotations

import pyarrow as pa

from kleene.language.casting import CAST_NAMES
from kleene.language.function_rules import (
    always,
    cast_to,
    common_from,
    containing,
    distinguished,
    element,
    first,
    joined,
    mean,
    remainder,
    rounded,
    total,
    truncated,
    whole,
    widened,
)
from kleene.language.signatures import (
    ANY,
    ARRAY,
    BOOLEAN,
    BYTES,
    COLLECTION,
    MOMENT,
    NUMBER,
    SIZED,
    SORTABLE,
    STRING,
    STRINGS,
    TIMESTAMP,
    TURNED,
    WHOLE,
    Function,
    Parameter,
    Rule,
)

_INTEGER = always(pa.int64())
_DOUBLE = always(pa.float64())
_TEXT = always(pa.string())
_TRUTH = always(pa.bool_())
_DATE = always(pa.date32())
_INSTANT = always(pa.timestamp("us", "UTC"))


def _functions(  # noqa: PLR0913 - the columns of the table
    names: str,
    parameters: tuple[Parameter, ...],
    rule: Rule,
    *,
    optional: int = 0,
    variadic: bool = False,
    beside: int | None = None,
) -> dict[str, Function]:
    """One function under each of its names."""
    return {
        name: Function(name, parameters, rule, optional, variadic, beside) for name in names.split()
    }


_NUMERIC = (
    _functions("abs", (SIZED,), widened)
    | _functions("sign signum sqrt exp ln log2 log10", (NUMBER,), _DOUBLE)
    | _functions("log", (NUMBER, NUMBER), _DOUBLE, optional=1)
    | _functions("pow power", (NUMBER, NUMBER), _DOUBLE)
    | _functions("mod pmod", (NUMBER, NUMBER), remainder)
    | _functions("floor ceil ceiling", (NUMBER,), whole)
    | _functions("round bround", (NUMBER, WHOLE), rounded, optional=1)
    | _functions("isnan", (NUMBER,), _TRUTH)
)

_CHOICES = (
    _functions("coalesce", (ANY,), common_from(0), variadic=True, beside=0)
    | _functions("ifnull nvl", (ANY, ANY), common_from(0), beside=0)
    | _functions("nvl2", (ANY, ANY, ANY), common_from(1), beside=1)
    | _functions("if", (BOOLEAN, ANY, ANY), common_from(1), beside=1)
    | _functions("nullif", (ANY, ANY), distinguished, beside=0)
    | _functions("greatest least", (SORTABLE, SORTABLE), common_from(0), variadic=True, beside=0)
    | _functions("isnull isnotnull", (ANY,), _TRUTH)
)

_TEXTS = (
    _functions("length len char_length character_length octet_length", (BYTES,), _INTEGER)
    | _functions("lower lcase upper ucase trim ltrim rtrim", (STRING,), _TEXT)
    | _functions("btrim", (STRING, STRING), _TEXT, optional=1)
    | _functions("substring substr", (STRING, WHOLE, WHOLE), _TEXT, optional=1)
    | _functions("left right repeat", (STRING, WHOLE), _TEXT)
    | _functions("concat", (STRING,), _TEXT, variadic=True)
    | _functions("concat_ws", (STRING, STRINGS), joined, optional=1, variadic=True)
    | _functions("replace", (STRING, STRING, STRING), _TEXT, optional=1)
    | _functions("translate", (STRING, STRING, STRING), _TEXT)
    | _functions("lpad rpad", (STRING, WHOLE, STRING), _TEXT, optional=1)
    | _functions("instr", (STRING, STRING), _INTEGER)
    | _functions("locate position", (STRING, STRING, WHOLE), _INTEGER, optional=1)
    | _functions("startswith endswith contains", (STRING, STRING), _TRUTH)
    | _functions("ascii", (STRING,), _INTEGER)
)

_CALENDAR = (
    _functions("year quarter month weekofyear day dayofmonth dayofyear", (MOMENT,), _INTEGER)
    | _functions("dayofweek weekday hour minute second", (MOMENT,), _INTEGER)
    | _functions("date_add date_sub", (MOMENT, WHOLE), _DATE)
    | _functions("datediff date_diff", (MOMENT, MOMENT), _INTEGER)
    | _functions("date_trunc", (STRING, MOMENT), truncated)
    | _functions("unix_seconds unix_millis unix_micros", (TIMESTAMP,), _INTEGER)
    | _functions("timestamp_seconds timestamp_millis timestamp_micros", (WHOLE,), _INSTANT)
)

_COLLECTIONS = (
    _functions("size cardinality", (COLLECTION,), _INTEGER)
    | _functions("array_contains", (ARRAY, ANY), containing)
    | _functions("element_at", (COLLECTION, ANY), element)
    | _functions("reverse", (TURNED,), first)
)

CASTS: dict[str, pa.DataType] = {
    name: CAST_NAMES[name]
    for name in (
        *("boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "decimal"),
        *("string", "binary", "date", "timestamp"),
    )
} | {"to_date": CAST_NAMES["date"]}
"""Functions that are casts by another name: `double(x)` is `CAST(x AS double)`."""

_CASTS = {name: Function(name, (ANY,), cast_to(target)) for name, target in CASTS.items()}

FUNCTIONS: dict[str, Function] = _NUMERIC | _CHOICES | _TEXTS | _CALENDAR | _COLLECTIONS | _CASTS
"""Every scalar function by its name in lower case."""

AGGREGATES: dict[str, Function] = (
    _functions("count", (ANY,), _INTEGER)
    | _functions("sum", (SIZED,), total)
    | _functions("avg", (SIZED,), mean)
    | _functions("min max", (SORTABLE,), first)
    | _functions("first last", (ANY,), first)
)
"""The aggregates of semantics 2, by their name in lower case."""
