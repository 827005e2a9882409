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
from rich.text import Text

from kleene.api import BadRowsWarning, match
from kleene.cli.call import add_call, roles
from kleene.cli.check import read_query
from kleene.cli.files import open_events
from kleene.cli.show import console
from kleene.errors import NOWHERE, InputError, printable

MOST_SHOWN = 40
"""Rows that a terminal shows; `-o` writes all."""
LONGEST_CELL = 400
"""Characters of a value that a terminal shows."""


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
    if arguments.file is not None:
        _check_target(Path(arguments.file))
    events = open_events(arguments.events).to_table()
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
    counted = f"{_counted(found.num_rows, 'row')} from {_counted(events.num_rows, 'event')}"
    progress.print(counted, markup=False)


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _check_target(path: Path) -> None:
    """Refuse what cannot be written before anything runs."""
    if not path.parent.is_dir():
        raise InputError(f"there is no folder {path.parent}", NOWHERE, "make it first")
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
    table = Table()
    for name in found.schema.names:
        table.add_column(Text(printable(name)))  # a Text has no markup
    for row in found.slice(0, MOST_SHOWN).to_pylist():
        table.add_row(*(Text(_cut(_cell(value))) for value in row.values()))
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
            return printable(_cut(str(value)))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}…"
