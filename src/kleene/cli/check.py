"""`kleene check`: whether a text makes sense as a query, and whether it fits some events."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

import pyarrow.dataset as ds

from kleene.api.frames import normalized
from kleene.cli.call import add_columns, time_columns, type_column
from kleene.cli.files import open_events
from kleene.cli.show import console, show_warning
from kleene.errors import NOWHERE, InputError, KleeneError, UnknownTypeError, nearest
from kleene.language.assumed import assumed_shape
from kleene.language.parser import parse
from kleene.language.resolve import resolve
from kleene.language.schema import EventShape
from kleene.language.syntax import EventPattern, Query, walk_patterns
from kleene.language.variables import listed

_FILE_NAME = re.compile(r"[\w./~+-]*(?:/[\w.~+-]+|\w\.[^\W\d]\w*)")
"""What is one word and looks like the path of a file; no query does."""


def add_check(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "check",
        help="check a query: its syntax, and its names and types against events",
        description="Check a query without running it: against the columns of files, or, without "
        "--events, as if every column that it names were there.",
        usage="%(prog)s QUERY [--events PATH … [--time COLUMN …] [--type COLUMN]]",
    )
    add_columns(parser, required=False)
    parser.set_defaults(run=check)


def check(arguments: argparse.Namespace) -> None:
    """Check the query, and print it if nothing is wrong."""
    out = console(sys.stdout)
    query = parse(read_query(arguments.query))
    if not arguments.events:
        refuse_columns_of_nothing(arguments)
        resolve(query, assumed_shape(query))
    else:
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


def refuse_columns_of_nothing(arguments: argparse.Namespace) -> None:
    """Without events there is nothing that --time and --type could be columns of."""
    if arguments.time or arguments.type:
        reason = "--time and --type name columns of events, and no events are named"
        raise InputError(reason, NOWHERE, "say where they are: --events events.parquet")


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
