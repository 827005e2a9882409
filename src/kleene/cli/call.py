"""What commands that read events ask for: files, columns and their parts, the form of output."""

from __future__ import annotations

import argparse
from typing import TypedDict

import pyarrow as pa

from kleene.api.options import Options, read_options
from kleene.errors import NOWHERE, InputError, UnknownOptionError
from kleene.language.schema import find_column, is_moment
from kleene.language.variables import listed

_TIME_NAMES = ("time", "ts", "timestamp", "event_time", "t")
_TYPE_NAMES = ("type", "event", "event_type", "name")


class Roles(TypedDict):
    """Arguments of `kleene.match` and `kleene.explain`."""

    time: str | tuple[str, str]
    type: str | None
    id: str | None
    order_by: list[str]
    partition_by: list[str]


def add_columns(parser: argparse.ArgumentParser, *, required: bool) -> None:
    """Declare what says where events are, and which of their columns is what."""
    parser.add_argument("query", metavar="QUERY", help="a query, a file with one, or - for input")
    parser.add_argument(
        "--events", metavar="PATH", nargs="+", required=required, help="Parquet, CSV or JSON lines"
    )
    parser.add_argument("--time", metavar="COLUMN", nargs="+", help="the time, or lower and upper")
    parser.add_argument("--type", metavar="COLUMN", help="the type of event")


def add_call(parser: argparse.ArgumentParser, *, output: bool = True) -> None:
    """Declare the rest of what a call says of its events, and of its output if it has one."""
    add_columns(parser, required=True)
    parser.add_argument("--id", metavar="COLUMN", help="what tells events apart")
    parser.add_argument("--order-by", metavar="COLUMN", nargs="+", default=[], help="tie-breaks")
    parser.add_argument("--partition-by", metavar="COLUMN", nargs="+", default=[], help="keys")
    if output:
        parser.add_argument(
            "--output", default="matches", help="matches (the default), collapsed or count"
        )
    parser.add_argument(
        "--option",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a choice of kleene.Options, as in max_matches=1000000; may come several times",
    )


def options(arguments: argparse.Namespace) -> Options:
    """The options of the call that a command makes."""
    given: dict[str, object] = {}
    for text in arguments.option:
        name, equals, value = text.partition("=")
        if not equals:
            hint = "an option has a name and a value, as in --option max_matches=1000000"
            raise UnknownOptionError(f"{text} is no option", NOWHERE, hint)
        given[name] = int(value) if value.isdecimal() else value
    return read_options(given)


def roles(arguments: argparse.Namespace, schema: pa.Schema) -> Roles:
    """The arguments of the call that a command makes."""
    time = time_columns(arguments, schema)
    return {
        "time": time[0] if len(time) == 1 else (time[0], time[1]),
        "type": type_column(arguments, schema),
        "id": arguments.id,
        "order_by": arguments.order_by,
        "partition_by": arguments.partition_by,
    }


def time_columns(arguments: argparse.Namespace, schema: pa.Schema) -> tuple[str, ...]:
    """The time column: as given, by its usual name, or the only timestamp."""
    if arguments.time:
        if len(arguments.time) > len(("lower", "upper")):
            raise InputError(
                "a time is one column, or two: its lower and its upper bound",
                NOWHERE,
                "as in --time ts, or --time earliest latest",
            )
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
