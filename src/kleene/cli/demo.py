"""`kleene demo`: what four queries find in the event log of a Spark job that has its troubles."""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from kleene.api import match
from kleene.cli.demo_questions import QUESTIONS, Question
from kleene.cli.show import console, show_warning
from kleene.cli.table import as_table
from kleene.errors import NOWHERE, MissingLibraryError, RunError
from kleene.visual import Timeline, timeline

_PICTURE = Path("kleene-demo.png")
_LANE = "'stage ' || stage || coalesce(' · task ' || partition, '')"
_COLUMNS: dict[str, Any] = {"time": "time", "type": "type", "order_by": "position"}
_LANES = {"time": "time", "lane": "lane", "start": "started", "type": "type"}
_STEP, _CODE, _QUIET = "bold green", "cyan", "bright_black"


def add_demo(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "demo",
        help="find stragglers, retries and failures in the event log of a small Spark job",
        description="Run a small Spark job that has its troubles, and find them in its event log.",
    )
    parser.add_argument(
        "-o", metavar="PNG", dest="picture", type=Path, default=_PICTURE, help="the picture's file"
    )
    parser.add_argument(
        "--keep", metavar="DIR", type=Path, help="leave the event log in this folder"
    )
    parser.set_defaults(run=demo)


def demo(arguments: argparse.Namespace) -> None:
    """Run the job, read its log, ask the questions, draw the answers."""
    with _folder(arguments.keep) as folder:
        out = Console(highlight=False)
        log, spark = _logged_job(folder, out)
        try:
            _ask(spark, log, arguments.picture, out)
        finally:
            spark.stop()
    if arguments.keep is not None:
        out.print(f"The event log is in {log}", markup=False, soft_wrap=True)


@contextmanager
def _folder(kept: Path | None) -> Iterator[Path]:
    """A folder to work in: the given one, or one that is removed in the end."""
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept.resolve()
    else:
        with TemporaryDirectory(prefix="kleene-demo-") as made:
            yield Path(made)


def _logged_job(folder: Path, out: Console) -> tuple[Path, Any]:
    """Run the job under the eyes of its event log; the log, and a new session to read it with."""
    try:
        from pyspark.errors import PySparkException  # noqa: PLC0415 - pyspark is an extra

        from kleene.cli.demo_job import ORDERS, quiet, run_job, session  # noqa: PLC0415 - as above
    except ImportError:
        hint = "pip install 'kleene[spark]'"
        raise MissingLibraryError("the demo needs Spark", NOWHERE, hint) from None
    log, told = Path(mkdtemp(prefix="events-", dir=folder)), folder / "spark.txt"
    with _step(out, "Spark starts in this process, on two cores"):
        try:
            with quiet(told):
                spark = session(log, logged=True)
        except PySparkException as error:
            reason = f"Spark does not start: {error}\n{_tail(told)}"
            hint = "it needs Java 17 or newer, which JAVA_HOME may name; make demo brings one along"
            raise RunError(reason, NOWHERE, hint) from None
    with _step(out, f"A job prices {ORDERS:,} orders; one customer has most, and tasks fail"):
        run_job(spark)
        spark.stop()
    return log, session(log, logged=False)


def _tail(file: Path) -> str:
    return " ".join(file.read_text("utf-8", "replace").splitlines()[-3:])


def _ask(spark: Any, log: Path, picture: Path, out: Console) -> None:
    """Every question, its query, the table of its matches and their timeline; then the picture."""
    from kleene.sources import spark_event_log  # noqa: PLC0415 - pyspark is an extra

    with _step(out, "kleene.sources.spark_event_log reads the event log that Spark wrote of it"):
        events = spark_event_log(spark, log).selectExpr("*", f"{_LANE} AS lane").cache()
        table = events.toArrow()
    tasks = sum(kind == "TaskStart" for kind in table.column("type").to_pylist())
    out.print(f"  {table.num_rows} events, {tasks} of them attempts at tasks", style=_QUIET)
    found = {}
    for number, question in enumerate(QUESTIONS, 1):
        _show_question(number, question, out)
        with _step(out, "kleene.match on the DataFrame"), warnings.catch_warnings():
            warnings.simplefilter("error")
            answer = match(events, question.query, **_COLUMNS).toArrow()
        out.print(as_table(answer.sort_by([(name, "ascending") for name in answer.column_names])))
        found[question.text] = match(table, question.whole(), **_COLUMNS)
        out.print(timeline(table, found[question.text], **_LANES))
    _draw(
        timeline(table, found, title="What a Spark job's event log tells", **_LANES), picture, out
    )


def _show_question(number: int, question: Question, out: Console) -> None:
    out.print()
    out.print(Rule(Text(f" {number}. {question.text} ", "bold"), align="left", style=_STEP))
    out.print(Padding(Text(f"-- {question.idea}\n", _QUIET) + Text(question.query, _CODE), 1))


def _draw(drawn: Timeline, picture: Path, out: Console) -> None:
    out.print()
    try:
        drawn.save(picture)
    except MissingLibraryError as error:
        show_warning(error, console(sys.stderr))
    else:
        out.print(f"The same as a picture: {picture.resolve()}", markup=False, soft_wrap=True)


@contextmanager
def _step(out: Console, text: str) -> Iterator[None]:
    """Something that takes a while: said before, timed after."""
    start = time.perf_counter()
    with out.status(text):
        yield
    told = (("✓ ", _STEP), text, (f"  {time.perf_counter() - start:.1f} s", _QUIET))
    out.print(Text.assemble(*told), soft_wrap=True)
