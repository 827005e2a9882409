"""How far a run has come, said in the terminal while it runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rich.console import Console
from rich.status import Status

from kleene.api.bad_rows import BadRows
from kleene.api.options import Options


@dataclass
class Progress:
    """What was read and found so far."""

    status: Status
    events: int = 0
    rows: int = 0
    files: tuple[int, int] | None = None

    def found(self, rows: int) -> None:
        """So many more rows were found."""
        self.rows += rows
        self.tell()

    def tell(self) -> None:
        """Say it."""
        told = [f"{counted(self.events, 'event')} read"]
        if self.files is not None:
            done, files = self.files
            told.append(f"part {done + 1:,} of {files:,}")
        if self.rows:
            told.append(f"{counted(self.rows, 'row')} found")
        self.status.update(", ".join(told))


class Observer(BadRows):
    """Tells the terminal of an evaluation."""

    def __init__(self, options: Options, progress: Progress) -> None:
        super().__init__(options)
        self._progress = progress

    def read(self, rows: int) -> None:
        """Rows were read."""
        self._progress.events += rows
        self._progress.tell()

    def matching(self, done: int, files: int) -> None:
        """Files are matched."""
        self._progress.files = (done, files)
        self._progress.tell()


@contextmanager
def progress_on(out: Console) -> Iterator[Progress]:
    """Progress in a line of a terminal, which is gone in the end; elsewhere nothing is said."""
    with out.status("reading events") as status:
        yield Progress(status)


def counted(number: int, what: str) -> str:
    """A number of things.

    >>> counted(1, "row"), counted(2000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"
