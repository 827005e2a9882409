"""Frames of other libraries as Arrow tables, and results as the same kind of frame back."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from kleene.errors import NOWHERE, InputError

Back = Callable[[pa.Table], Any]


def to_arrow(events: object) -> tuple[pa.Table, Back]:
    """The events as an Arrow table, and the way back to the kind of frame that they came in."""
    match events:
        case pa.Table():
            return checked(events), lambda table: table
        case pa.RecordBatch():
            return checked(pa.Table.from_batches([events])), lambda table: table
        case _ if _is_from("pandas", "DataFrame", events):
            table = pa.Table.from_pandas(events, preserve_index=False)
            return checked(table.replace_schema_metadata(None)), lambda table: table.to_pandas()
        case _ if _is_from("polars", "DataFrame", events):
            polars = sys.modules["polars"]
            return checked(events.to_arrow()), polars.from_arrow  # type: ignore[attr-defined]
        case _:
            raise InputError(
                f"events cannot be read from a {type(events).__name__}",
                NOWHERE,
                "events are an Arrow table, or a DataFrame of pandas or polars",
            )


def _is_from(library: str, kind: str, value: object) -> bool:
    """Whether a value is of a type of a library, without importing the library."""
    module = sys.modules.get(library)
    return module is not None and isinstance(value, getattr(module, kind))


def checked(table: pa.Table) -> pa.Table:
    """The table with times in microseconds, which is how Spark and Kleene count them."""
    seen: set[str] = set()
    for name in table.schema.names:
        if name in seen:
            raise InputError(f"the events have two columns called {name}")
        seen.add(name)
    fields = [pa.field(f.name, _microseconds(f.type), f.nullable) for f in table.schema]
    schema = pa.schema(fields)
    return table if schema == table.schema else table.cast(schema, safe=False)


def _microseconds(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us", kind.tz)
    if pa.types.is_duration(kind):
        return pa.duration("us")
    if pa.types.is_date(kind):
        return pa.date32()
    if pa.types.is_dictionary(kind):
        return _microseconds(kind.value_type)
    if pa.types.is_large_string(kind) or kind == pa.string_view():
        return pa.string()
    if pa.types.is_large_binary(kind):
        return pa.binary()
    return kind
