"""`kleene check`: whether a text is a query, and whether it fits some events."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds

from kleene.api.frames import normalized
from kleene.cli.files import open_events
from kleene.cli.show import console, show_warning
from kleene.errors import NOWHERE, InputError, KleeneError, UnknownTypeError, nearest
from kleene.language.parser import parse
from kleene.language.resolve import resolve
from kleene.language.schema import EventShape, find_column, is_moment
from kleene.language.syntax import EventPattern, Query, walk_patterns
from kleene.language.variables import listed

_TIME_NAMES = ("time", "ts", "timestamp", "event_time", "t")
_TYPE_NAMES = ("type", "event", "event_type", "name")
_FILE_NAME = re.compile(r"[\w./~+-]*(?:/[\w.~+-]+|\w\.[^\W\d]\w*)")
"""What is one word and looks like the path of a file; no query does."""


def add_check(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "check",
        help="check a query: its syntax, and its names and types against events",
        description="Check a query without running it.",
        usage="%(prog)s QUERY [--events PATH …] [--time COLUMN …] [--type COLUMN]",
    )
    parser.add_argument("query", metavar="QUERY", help="a query, a file with one, or - for input")
    add_columns(parser, required=False)
    parser.set_defaults(run=check)


def add_columns(parser: argparse.ArgumentParser, *, required: bool) -> None:
    """Declare what says where events are, and which of their columns is what."""
    parser.add_argument(
        "--events", metavar="PATH", nargs="+", required=required, help="Parquet, CSV or JSON lines"
    )
    parser.add_argument("--time", metavar="COLUMN", nargs="+", help="the time, or lower and upper")
    parser.add_argument("--type", metavar="COLUMN", help="the type of event")


def check(arguments: argparse.Namespace) -> None:
    """Check the query, and print it if nothing is wrong."""
    out = console(sys.stdout)
    query = parse(read_query(arguments.query))
    if arguments.events:
        events = open_events(arguments.events)
        schema = normalized(events.schema.empty_table()).schema
        shape = EventShape(
            schema=schema,
            time=time_columns(arguments, schema),
            type=type_column(arguments, schema),
        )
        resolve(query, shape)
        for warning in absent_types(query, shape, events):
            show_warning(warning.within(query.text), console(sys.stderr))
        types = "none" if shape.type is None else shape.type
        out.print(f"-- time: {', '.join(shape.time)}; type: {types}", markup=False)
    out.print(str(query), markup=False)


def read_query(given: str) -> str:
    """The text of a query: of standard input, of a file, or as given."""
    try:
        if given == "-":
            return sys.stdin.read()
        if Path(given).is_file():
            return Path(given).read_text("utf-8")
    except UnicodeDecodeError:
        hint = "save it in that encoding, which is that of all queries"
        raise InputError(f"{given} is no text in UTF-8", NOWHERE, hint) from None
    except OSError:  # too long for the name of a file
        return given
    if _FILE_NAME.fullmatch(given):
        hint = "a query is written out, or is in a file: kleene check 'SEQ(A a, B b)'"
        raise InputError(f"there is no file {given}", NOWHERE, hint)
    return given


def time_columns(arguments: argparse.Namespace, schema: pa.Schema) -> tuple[str, ...]:
    """The time column: as given, by its usual name, or the only timestamp."""
    if arguments.time:
        return tuple(arguments.time)
    moments = [f.name for f in schema if is_moment(f.type)]
    usual = [f.name for f in schema if f.name.casefold() in _TIME_NAMES]
    for found in (usual, moments):
        if len(found) == 1:
            return (found[0],)
    raise InputError(
        "say which column is the time: --time COLUMN",
        NOWHERE,
        f"columns are {listed(usual or moments or schema.names)}",
    )


def type_column(arguments: argparse.Namespace, schema: pa.Schema) -> str | None:
    """The type column: as given, or by its usual name."""
    if arguments.type:
        return str(find_column(schema, arguments.type).name)
    by_name = {f.name.casefold(): f.name for f in schema}
    return next((by_name[name] for name in _TYPE_NAMES if name in by_name), None)


def absent_types(query: Query, shape: EventShape, events: ds.Dataset) -> list[KleeneError]:
    """A warning for each type of the query that no event of the files has."""
    if shape.type is None:
        return []
    column = events.to_table(columns=[shape.type]).column(0)
    present = {str(value) for value in column.unique().to_pylist() if value is not None}
    defined = {definition.name.text for definition in query.definitions}
    warnings: list[KleeneError] = []
    for node in walk_patterns(query.pattern):
        if isinstance(node, EventPattern) and node.type is not None:
            name = node.type.text
            if name not in present | defined:
                reason = f"no event of these files is of type {name}"
                hints = nearest(name, present) or (f"types are {listed(sorted(present))}",)
                warnings.append(UnknownTypeError(reason, node.type.span, *hints))
    return warnings
