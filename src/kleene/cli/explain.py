"""`kleene explain`: how a query is understood and evaluated on files of events."""

from __future__ import annotations

import argparse
import sys

from kleene.api import explain
from kleene.cli.call import add_call, options, roles
from kleene.cli.check import read_query
from kleene.cli.files import open_events
from kleene.cli.show import console


def add_explain(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "explain",
        help="tell how a query is understood and evaluated",
        description="Tell how a query is understood and evaluated; of the events only the columns"
        " are looked at.",
        usage="%(prog)s QUERY --events PATH … [--time COLUMN …] [--type COLUMN] [--kernel]",
    )
    add_call(parser)
    parser.add_argument("--kernel", action="store_true", help="show the generated source too")
    parser.set_defaults(run=explained)


def explained(arguments: argparse.Namespace) -> None:
    """Explain the query."""
    query = read_query(arguments.query)
    schema = open_events(arguments.events).schema
    told = explain(
        schema,
        query,
        **roles(arguments, schema),
        output=arguments.output,
        options=options(arguments),
        kernel=arguments.kernel,
    )
    console(sys.stdout).print(str(told), markup=False)
