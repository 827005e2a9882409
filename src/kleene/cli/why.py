"""`kleene why`: whether a binding is a match of a query, and if not for what reason."""

from __future__ import annotations

import argparse
import json
import sys

from kleene.api import why
from kleene.cli.call import add_call, options, roles
from kleene.cli.check import read_query
from kleene.cli.files import open_events
from kleene.cli.show import console
from kleene.errors import NOWHERE, InputError


def add_why(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "why",
        help="tell why a binding is a match of a query, or is none",
        description="Tell whether a binding is a match of a query, and if not, the first thing"
        " that it fails at: an event that lies in between, a condition, the window, …",
        usage="%(prog)s QUERY --events PATH … --bind VARIABLE=EVENT … [--id COLUMN]",
    )
    add_call(parser, output=False)
    parser.add_argument(
        "--bind",
        metavar="VARIABLE=EVENT",
        nargs="+",
        required=True,
        help="an event by its id where --id names the column, else by the number of its row;"
        " or in JSON: a list, or an object of columns, as in 'b=[21, 22]'",
    )
    parser.set_defaults(run=told)


def told(arguments: argparse.Namespace) -> None:
    """Judge the binding."""
    query = read_query(arguments.query)
    events = open_events(arguments.events)
    found = why(
        events,
        query,
        dict(_bound(text, arguments) for text in arguments.bind),
        **roles(arguments, events.schema),
        options=options(arguments),
    )
    console(sys.stdout).print(str(found), markup=False)


def _bound(text: str, arguments: argparse.Namespace) -> tuple[str, object]:
    """A variable and its event; what is no JSON is an id as it stands."""
    name, equals, value = text.partition("=")
    if not equals:
        hint = "a variable and its event, as in --bind a=17 'b=[21, 22]'"
        raise InputError(f"{text} binds nothing", NOWHERE, hint)
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        if arguments.id is not None:
            return name, value
        hint = "a row has a number, from 0; --id names the column of ids"
        raise InputError(f"{value} is no row", NOWHERE, hint) from None
