"""`kleene run`: the matches of a query in files of events."""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
from rich.table import Table

from kleene.api import BadRowsWarning, match
from kleene.cli.call import add_call, roles
from kleene.cli.check import read_query
from kleene.cli.files import open_events
from kleene.cli.show import console
from kleene.errors import NOWHERE, InputError

MOST_SHOWN = 40
"""Rows that a terminal shows; `-o` writes all."""


def add_run(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "run",
        help="find the matches of a query in files of events",
        description="Find the matches of a query in files of events.",
        usage="%(prog)s QUERY --events PATH … [--time COLUMN …] [--type COLUMN] [-o OUT]",
    )
    add_call(parser)
    parser.add_argument(
        "-o", metavar="OUT", dest="file", help="a Parquet, CSV or JSON lines file; else a table"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Run the query and write or show what it finds."""
    query = read_query(arguments.query)
    events = open_events(arguments.events).to_table()
    if arguments.file is not None:
        _check_suffix(Path(arguments.file))
    progress = console(sys.stderr)
    with warnings.catch_warnings(record=True) as caught, progress.status("matching"):
        warnings.simplefilter("always", BadRowsWarning)
        found = match(events, query, **roles(arguments, events.schema))
    for warning in caught:
        progress.print(f"warning: {warning.message}", markup=False)
    if arguments.file is not None:
        write(found, Path(arguments.file))
    else:
        console(sys.stdout).print(as_table(found))
    progress.print(f"{found.num_rows:,} rows from {events.num_rows:,} events", markup=False)


def _check_suffix(path: Path) -> None:
    if path.suffix not in (".parquet", ".csv", ".json", ".jsonl", ".ndjson"):
        raise InputError(
            f"{path} is of no format that Kleene writes",
            NOWHERE,
            "it writes .parquet, .csv, .jsonl",
        )


def write(found: pa.Table, path: Path) -> None:
    """Write rows to a file, in the format of its suffix."""
    if path.suffix == ".parquet":
        pq.write_table(found, path)
    elif path.suffix == ".csv":
        pyarrow.csv.write_csv(flat(found), path)
    else:
        with path.open("w", encoding="utf-8") as lines:
            for row in found.to_pylist():
                lines.write(json.dumps(row, default=str, ensure_ascii=False) + "\n")


def flat(found: pa.Table) -> pa.Table:
    """The table with a column for each field of its structs: `a.price` becomes `a_price`."""
    columns: dict[str, pa.ChunkedArray] = {}
    for field, column in zip(found.schema, found.columns, strict=True):
        if pa.types.is_nested(field.type) and not pa.types.is_struct(field.type):
            raise InputError(
                f"{field.name} is an array, and CSV has no arrays",
                NOWHERE,
                "write .parquet or .jsonl, or RETURN values: RETURN count(b[])",
            )
        if not pa.types.is_struct(field.type):
            columns[field.name] = column
            continue
        for inner, values in zip(field.type, column.combine_chunks().flatten(), strict=True):
            columns[f"{field.name}_{inner.name}"] = values
    return pa.table(columns)


def as_table(found: pa.Table) -> Table:
    """The first rows, to be read by people."""
    table = Table(*found.schema.names)
    for row in found.slice(0, MOST_SHOWN).to_pylist():
        table.add_row(*(_cell(value) for value in row.values()))
    if found.num_rows > MOST_SHOWN:
        table.caption = f"the first {MOST_SHOWN} of {found.num_rows:,} rows"
    return table


def _cell(value: object) -> str:
    match value:
        case None:
            return "-"
        case dict():
            return ", ".join(_cell(inner) for inner in value.values() if inner is not None)
        case list():
            return "\n".join(map(_cell, value)) or "[]"
        case timedelta():
            return f"{value.total_seconds():,.2f} s"
        case float():
            return f"{value:,.6g}"
        case _:
            return str(value)
