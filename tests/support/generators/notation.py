"""Streams as text that `support.streams` reads back: what a failure shows."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa

from support.streams import Rows, Stream

_KINDS = {
    pa.string(): "string",
    pa.int64(): "long",
    pa.float64(): "double",
    pa.bool_(): "boolean",
    pa.timestamp("us", "UTC"): "timestamp",
    pa.timestamp("us"): "local",
    pa.date32(): "date",
    pa.decimal128(10, 2): "decimal(10, 2)",
    pa.decimal128(38, 18): "decimal(38, 18)",
}


def notation_of(stream: Stream) -> str:
    """`a1@5(x=1) b2@6`; a table where times are moments, or there are decimals."""
    kinds = [column.type for column in stream.schema]
    if any(pa.types.is_temporal(kind) or pa.types.is_decimal(kind) for kind in kinds):
        return _table(stream)
    return " ".join(map(_event, stream.rows))


def _event(row: dict[str, object]) -> str:
    times = [_value(row[name]) for name in ("t", "lower", "upper") if name in row]
    others = {n: v for n, v in row.items() if n not in ("id", "type", "t", "lower", "upper")}
    shown = ", ".join(f"{n}={_value(v)}" for n, v in others.items() if v is not None)
    return f"{row['id']}@{'..'.join(times)}" + (f"({shown})" if shown else "")


def _value(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case str():
            return f"'{value}'"
        case list():
            return f"[{', '.join(map(_value, value))}]"
        case _:
            return str(value)


def _table(stream: Stream) -> str:
    header = [f"{column.name}:{_KINDS[column.type]}" for column in stream.schema]
    rows: Rows = stream.rows
    lines = [[_cell(row[column.name]) for column in stream.schema] for row in rows]
    return "\n".join(" | ".join(line) for line in (header, *lines))


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case dt.datetime():
            return value.replace(tzinfo=None).isoformat(sep=" ")
        case bool():
            return str(value).lower()
        case _:
            return str(value)
