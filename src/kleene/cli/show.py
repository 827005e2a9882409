"""Errors and warnings in a terminal: in colour where it has some, else plain."""

from __future__ import annotations

from typing import IO, NoReturn

from rich.console import Console
from rich.text import Text

from kleene.errors import NOWHERE, KleeneError, excerpt, one_line


class _Output(Console):
    """A console that leaves it to the command what a closed pipe means."""

    def on_broken_pipe(self) -> NoReturn:
        """Rich would end the program as if it had failed."""
        raise BrokenPipeError


def console(stream: IO[str]) -> Console:
    """A console that writes to a stream and breaks no lines of its own."""
    return _Output(file=stream, highlight=False, soft_wrap=True)


def show_error(error: KleeneError, out: Console) -> None:
    """What is wrong, where, and what to do about it."""
    show_message("error", error, out)


def show_warning(warning: KleeneError, out: Console) -> None:
    """What is probably wrong, in the same form."""
    show_message("warning", warning, out)


def show_message(kind: str, error: KleeneError, out: Console) -> None:
    """A message of a kind: reason, place with carets, hints."""
    colour = {"error": "bold red", "warning": "bold yellow"}[kind]
    out.print(Text.assemble((f"{kind}: ", colour), (one_line(error.reason), "bold")))
    if error.text is not None and error.span != NOWHERE:
        line, carets = excerpt(error.text, error.span)
        out.print(Text(line))
        out.print(Text(carets, colour))
    for hint in error.hints:
        out.print(Text.assemble(("hint: ", "cyan"), one_line(hint)))
