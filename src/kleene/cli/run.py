"""`kleene run`: the matches of a query in files of events, which need not fit into memory."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import pyarrow as pa

from kleene.api import BadRowsWarning
from kleene.api.match import evaluated
from kleene.api.options import Options
from kleene.api.plan import output_form, planner
from kleene.api.sources import DatasetSource, Scan
from kleene.api.stream import Call, Matching, prepare
from kleene.cli.call import add_call, options, roles
from kleene.cli.check import read_query
from kleene.cli.files import open_events
from kleene.cli.progress import Observer, Progress, counted, progress_on
from kleene.cli.show import console
from kleene.cli.table import MOST_SHOWN, as_table
from kleene.cli.write import check_target, written
from kleene.errors import RunError
from kleene.runtime.threads import apart


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
    """Run the query and write or show what it finds, while it is found."""
    query, chosen = read_query(arguments.query), options(arguments)
    target = None if arguments.file is None else Path(arguments.file)
    if target is not None:
        check_target(target)
    files = open_events(arguments.events)
    source = _Files(files)
    plan = planner(query, chosen, **roles(arguments, source.schema))
    call = Call(plan, output_form(arguments.output), chosen, evaluated)
    out = console(sys.stderr)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", BadRowsWarning)
        with progress_on(out) as progress:
            found = prepare(source, call, partial(_observer, progress=progress))
            first = _consumed(found, progress, target)
    for warning in caught:
        out.print(f"warning: {warning.message}", markup=False)
    if first is not None:
        console(sys.stdout).print(as_table(first, progress.rows))
    # What was read are the events of types that the query names, where files tell them apart.
    events = files.count_rows() if files.format.default_extname == "parquet" else progress.events
    total = f"{counted(progress.rows, 'row')} from {counted(events, 'event')}"
    out.print(total if target is None else f"{total}, in {target}", markup=False)


class _Files(DatasetSource):
    """Files of which some may be damaged where nobody has looked yet."""

    def batches(self, scan: Scan) -> Iterator[pa.RecordBatch]:
        """The events; an error tells that it is about them."""
        try:
            yield from super().batches(scan)
        except (OSError, pa.ArrowException) as error:
            raise RunError(f"the events cannot be read to their end: {error}") from None


def _observer(given: Options, progress: Progress) -> Observer:
    return Observer(given, progress)


def _consumed(found: Matching, progress: Progress, target: Path | None) -> pa.Table | None:
    """Write all rows, or keep the first of them."""
    first: list[pa.RecordBatch] = []
    kept = 0
    writer = nullcontext() if target is None else written(target, found.schema)
    with writer as write:
        for batch in _told(apart(found.batches()), progress):
            if write is not None:
                write(batch)
            elif kept < MOST_SHOWN:
                first.append(batch.slice(0, MOST_SHOWN - kept))
                kept += first[-1].num_rows
    return pa.Table.from_batches(first, schema=found.schema) if target is None else None


def _told(batches: Iterator[pa.RecordBatch], progress: Progress) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        progress.found(batch.num_rows)
        yield batch
