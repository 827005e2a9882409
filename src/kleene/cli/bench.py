"""`kleene bench`: experiments that measure Kleene, and compare it with others."""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path

from kleene.cli.show import console
from kleene.errors import NOWHERE, InputError, RunError


def add_bench(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "bench",
        help="run an experiment: how fast Kleene is, and how fast others are",
        description="Run an experiment, or list those that there are.",
        usage="%(prog)s [NAME] [--quick] [-o FOLDER] [--json FILE] [--picture FILE]",
    )
    parser.add_argument("name", metavar="NAME", nargs="?", help="an experiment; none lists them")
    parser.add_argument("--quick", action="store_true", help="few events and runs: does it work?")
    parser.add_argument("--rounds", type=_count, default=5, help="timed runs of a variant (5)")
    parser.add_argument("--case", metavar="NAME", nargs="+", default=[], help="only these cases")
    parser.add_argument("-o", metavar="FOLDER", type=Path, dest="out", help="for all of the result")
    parser.add_argument("--json", metavar="FILE", type=Path, help="for the result as JSON")
    parser.add_argument("--picture", metavar="FILE", type=Path, help="a .png, .svg or .pdf")
    parser.add_argument("--data", metavar="FOLDER", type=Path, help="where events are kept")
    parser.add_argument("--install", metavar="PEER", help="install a peer beside the data first")
    parser.set_defaults(run=bench)


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def bench(arguments: argparse.Namespace) -> None:
    """List the experiments, or run one and report what came out."""
    needed = ("psutil", "pyspark", "matplotlib", "duckdb", "polars")
    missing = [module for module in needed if find_spec(module) is None]
    if missing:
        reason = f"benchmarks need {', '.join(missing)}"
        raise InputError(reason, NOWHERE, "pip install 'kleene[bench]'")
    from kleene.bench import report  # noqa: PLC0415 - only here are its libraries needed

    out = console(sys.stdout)
    if arguments.name is None:
        report.show_experiments(out)
        return
    result = report.run(
        report.Order(
            name=arguments.name,
            quick=arguments.quick,
            rounds=arguments.rounds,
            cases=tuple(arguments.case),
            data=arguments.data,
            install=arguments.install,
            files=report.Files(arguments.out, arguments.json, arguments.picture),
        ),
        out,
        console(sys.stderr),
    )
    if failed := result.failed():
        hint = "the table tells why each of them did"
        raise RunError(f"{len(failed)} variants failed: {', '.join(failed)}", NOWHERE, hint)
