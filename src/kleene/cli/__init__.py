"""The command `kleene`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version

import pyarrow as pa

from kleene.cli.bench import add_bench
from kleene.cli.check import add_check
from kleene.cli.demo import add_demo
from kleene.cli.explain import add_explain
from kleene.cli.run import add_run
from kleene.cli.show import console, show_error
from kleene.cli.why import add_why
from kleene.errors import InputError, KleeneError, RunError

DONE, FAILED, WRONG = 0, 1, 2
INTERRUPTED = 130
"""Exit codes: done; a run failed; the query or the call is wrong; Ctrl-C."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; what is wrong with a query is shown at its place."""
    parser = argparse.ArgumentParser(
        prog="kleene", description="Event pattern matching for Apache Spark."
    )
    parser.add_argument("--version", action="version", version=f"kleene {version('kleene')}")
    commands = parser.add_subparsers(metavar="COMMAND")
    add_run(commands)
    add_explain(commands)
    add_why(commands)
    add_check(commands)
    add_demo(commands)
    add_bench(commands)
    chosen = parser.parse_args(arguments)
    if "run" not in chosen:
        parser.print_help()
        return DONE
    try:
        chosen.run(chosen)
    except KleeneError as error:
        show_error(error, console(sys.stderr))
        return FAILED if isinstance(error, RunError) else WRONG
    except BrokenPipeError:
        raise
    except (OSError, pa.ArrowException) as error:
        show_error(InputError(str(error)), console(sys.stderr))
        return FAILED
    return DONE


def command() -> None:
    """The entry point of the console script."""
    try:
        code = main()
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads the output has seen enough, as `head` has
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = DONE
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.stderr.flush()
        os._exit(INTERRUPTED)  # a thread may be in a kernel still, which nobody need wait for
    sys.exit(code)
