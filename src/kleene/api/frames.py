"""Frames of other libraries as Arrow tables, and results as the same kind of frame back."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from kleene.errors import NOWHERE, InputError

Back = Callable[[pa.Table], Any]


def to_arrow(events: object) -> tuple[pa.Table, Back]:
    """The events as an Arrow table, and the way back to the kind of frame that they came in."""
    match events:
        case pa.Table():
            return normalized(events), lambda table: table
        case pa.RecordBatch():
            return normalized(pa.Table.from_batches([events])), lambda table: table
        case _ if is_from("pandas", "DataFrame", events):
            return normalized(_from_pandas(events)), lambda table: table.to_pandas()
        case _ if is_from("polars", "DataFrame", events):
            polars = sys.modules["polars"]
            return normalized(events.to_arrow()), polars.from_arrow  # type: ignore[attr-defined]
        case _:
            raise _unreadable(events)


def _unreadable(events: object) -> InputError:
    kind = type(events)
    name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
    hint = (
        "events are a table, a dataset or a reader of Arrow, a DataFrame of Spark, pandas or "
        "polars, or a lazy frame of polars"
    )
    if isinstance(events, str | Path):
        hint = "files are opened with pyarrow.dataset.dataset(path), or with what reads them whole"
    if kind.__module__.startswith("pyspark."):
        hint = "events.toArrow() makes an Arrow table of a small DataFrame of Spark"
    return InputError(f"events cannot be read from a {name}", NOWHERE, hint)


def _from_pandas(events: Any) -> pa.Table:
    if not events.columns.is_unique:
        raise _named_twice(events.columns[events.columns.duplicated()][0])
    try:
        table = pa.Table.from_pandas(events, preserve_index=False)
    except pa.ArrowException as error:
        raise InputError(
            f"a column of the events has values of several types: {error}",
            NOWHERE,
            "make them of one type, as in events.astype({'name': 'string'})",
        ) from None
    return table.replace_schema_metadata(None)


def is_from(library: str, kind: str, value: object) -> bool:
    """Whether a value is of a type of a library, without importing the library."""
    module = sys.modules.get(library)
    return module is not None and isinstance(value, getattr(module, kind))


def normalized(table: pa.Table) -> pa.Table:
    """The table with times in microseconds, which is how Spark and Kleene count them."""
    seen: set[str] = set()
    for name in table.schema.names:
        if name in seen:
            raise _named_twice(name)
        seen.add(name)
    schema = pa.schema(list(map(_field, table.schema)))
    if schema == table.schema:
        return table
    columns = zip(table.columns, schema, strict=True)
    return pa.Table.from_arrays([converted(c, field) for c, field in columns], schema=schema)


def converted(column: Any, field: pa.Field) -> Any:
    """A column with the type of a field; times lose what is finer than a microsecond."""
    if column.type == field.type:
        return column
    if pa.types.is_run_end_encoded(column.type):
        column = pc.run_end_decode(column)
    try:
        return pc.cast(column, options=pc.CastOptions(field.type, allow_time_truncate=True))
    except pa.ArrowInvalid as error:
        raise InputError(
            f"{field.name} ({column.type}) has values that {field.type} cannot hold: {error}",
            NOWHERE,
            "leave their rows out, or make them null",
        ) from None


def _named_twice(name: object) -> InputError:
    return InputError(f"the events have two columns called {name}", NOWHERE, "rename one of them")


def _microseconds(kind: pa.DataType) -> pa.DataType:
    """The type that values of a type have in Kleene, also within arrays and structs."""
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us", kind.tz)
    if pa.types.is_duration(kind):
        return pa.duration("us")
    if pa.types.is_date(kind):
        return pa.date32()
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return _microseconds(kind.value_type)
    if pa.types.is_large_string(kind) or kind == pa.string_view():
        return pa.string()
    if pa.types.is_large_binary(kind):
        return pa.binary()
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return pa.list_(_inner(kind.value_field))
    if pa.types.is_struct(kind):
        return pa.struct(list(map(_inner, kind)))
    return kind


def _inner(field: pa.Field) -> pa.Field:
    """What is inside of a value that is null is null too, whatever its field says."""
    return _field(field).with_nullable(nullable=True)


def _field(field: pa.Field) -> pa.Field:
    return pa.field(field.name, _microseconds(field.type), field.nullable)
