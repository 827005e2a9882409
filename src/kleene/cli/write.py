"""Rows written to a file batch by batch: all of them are there in the end, or no file is."""

from __future__ import annotations

import json
import math
import os
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from kleene.errors import NOWHERE, InputError

Write = Callable[[pa.RecordBatch], None]
_JSON = (".json", ".jsonl", ".ndjson")
_SUFFIXES = (".parquet", ".csv", *_JSON)


def check_target(path: Path) -> None:
    """Refuse what cannot be written before anything is read."""
    if not path.parent.is_dir():
        raise InputError(f"there is no folder {path.parent}", NOWHERE, "make it first")
    if path.is_dir():
        raise InputError(f"{path} is a folder", NOWHERE, "name a file in it")
    if path.suffix not in _SUFFIXES:
        raise InputError(
            f"{path} is of no format that Kleene writes",
            NOWHERE,
            "it writes .parquet, .csv, .jsonl",
        )
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise InputError(f"nothing can be written to the folder {path.parent}", NOWHERE)


@contextmanager
def written(path: Path, schema: pa.Schema) -> Iterator[Write]:
    """What writes rows of a schema, in the format of the suffix of the path.

    They go to a file beside the path, which takes its name when all of them are written.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with _writer(path.suffix, part, schema) as write:
            yield write
        part.replace(path)
    finally:
        with suppress(FileNotFoundError):
            part.unlink()


@contextmanager
def _writer(suffix: str, path: Path, schema: pa.Schema) -> Iterator[Write]:
    if suffix == ".parquet":
        with pq.ParquetWriter(path, schema) as parquet:
            yield parquet.write_batch
    elif suffix == ".csv":
        plain = _plain(_flat(schema.empty_table().to_batches(max_chunksize=1), schema)).schema
        with pyarrow.csv.CSVWriter(path, plain) as csv:
            yield lambda batch: csv.write_table(_plain(_flat([batch], schema)))
    else:
        with path.open("w", encoding="utf-8") as lines:
            yield lambda batch: lines.writelines(map(_line, batch.to_pylist()))


def _line(row: dict[str, object]) -> str:
    return json.dumps(_json(row), ensure_ascii=False, default=str) + "\n"


def _json(value: object) -> object:
    """A value as JSON has it: what it has no number for is text, and so are bytes."""
    match value:
        case dict():
            return {name: _json(inner) for name, inner in value.items()}
        case list() | tuple():
            return list(map(_json, value))
        case bytes():
            return b64encode(value).decode("ascii")
        case float() if not math.isfinite(value):
            return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(value)]
        case Decimal() if value.as_tuple().exponent == 0:
            return int(value)
        case _:
            return value


def _flat(batches: list[pa.RecordBatch], schema: pa.Schema) -> pa.Table:
    """The rows with a column for each field of their structs: `a.price` becomes `a_price`."""
    table = pa.Table.from_batches(batches, schema=schema)
    while any(pa.types.is_struct(field.type) for field in table.schema):
        columns: list[pa.ChunkedArray] = []
        names: list[str] = []
        for field, column in zip(table.schema, table.columns, strict=True):
            if pa.types.is_struct(field.type):
                columns += column.combine_chunks().flatten()
                names += [f"{field.name}_{inner.name}" for inner in field.type]
            else:
                columns.append(column)
                names.append(field.name)
        table = pa.table(columns, names=names)
    return table


def _plain(table: pa.Table) -> pa.Table:
    """The columns as CSV has them: what has no spelling of its own there is text."""
    columns = []
    for field, column in zip(table.schema, table.columns, strict=True):
        kind = field.type
        if pa.types.is_nested(kind):
            what = "a map" if pa.types.is_map(kind) else "an array"
            raise InputError(
                f"{field.name} is {what}, which CSV does not have",
                NOWHERE,
                "write .parquet or .jsonl",
                f"or RETURN values, as in RETURN count({field.name}[])",
            )
        if pa.types.is_binary(kind):
            text = [None if v is None else b64encode(v).decode("ascii") for v in column.to_pylist()]
            columns.append(pa.chunked_array([text], pa.string()))
        elif pa.types.is_duration(kind):
            seconds = [None if v is None else v.total_seconds() for v in column.to_pylist()]
            columns.append(pa.chunked_array([seconds], pa.float64()))
        else:
            columns.append(column)
    return pa.table(columns, names=table.schema.names)
