"""Limits of a call: how many matches a partition may have, and how much may be kept of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from kleene.errors import NOWHERE, LimitError
from kleene.language.printer import print_name
from kleene.language.resolved import ResolvedQuery
from kleene.runtime.arrange import Arranged
from kleene.runtime.rows import Rows

WRITTEN, COUNTED = 100_000_000, 10_000_000_000
"""The default for matches: what a core writes, or counts, in a minute or two."""
STATE = 512 << 20
"""The default for bytes: with Python and its libraries a process stays below 1 GiB."""
MOST = 2**62
"""The highest limit there is."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The most matches of a partition, those that are only counted apart, and the most bytes."""

    written: int = WRITTEN
    counted: int = COUNTED
    state: int = STATE


@dataclass(frozen=True)
class Watch:
    """Limits, and what an error says of the place where one is reached."""

    limits: Limits
    query: ResolvedQuery
    arranged: Arranged
    threads: int = 1
    """Those that share the bytes."""

    def too_many(self, partition: int, most: int) -> LimitError:
        """A partition has more matches than it may have."""
        reason = f"{self.place(partition)} has more than {most:,} matches, the limit max_matches"
        return LimitError(reason, NOWHERE, _more_matches(most))

    def too_long(self, partition: int, most: int, events: int) -> LimitError:
        """All matches of a partition together are longer than they may be."""
        reason = (
            f"the matches of {self.place(partition)} bind more than {most * events:,} events, "
            f"{events} for each that the limit max_matches allows"
        )
        return LimitError(reason, NOWHERE, _more_matches(most))

    def fits(self, kept: int) -> bool:
        """Whether so many bytes may be kept."""
        return kept * self.threads <= self.limits.state

    def check_state(self, kept: int, partition: int, what: str) -> None:
        """Refuse to keep more bytes than the limit."""
        if not self.fits(kept):
            raise too_much(f"{what} of {self.place(partition)}", self.limits.state)

    def place(self, partition: int) -> str:
        """A partition by the values of its key."""
        keys = self.query.partition_by
        if not keys or not len(self.arranged.rows):
            return "the whole input"
        row = int(self.arranged.rows[self.arranged.part[partition]])
        return partition_of(self.arranged.source.slice(row, 1), keys)


def partition_of(event: pa.Table, keys: Sequence[tuple[str, ...]]) -> str:
    """The partition of an event by the values of its key."""
    one = Rows(event, {})
    values = [(print_name(path[-1]), _told(one.attribute(path))) for path in keys]
    return "the partition " + ", ".join(f"{name} = {value}" for name, value in values)


def too_much(what: str, most: int) -> LimitError:
    """Something is kept that takes more bytes than may be."""
    reason = f"{what} would take more than {size(most)}, the limit max_bytes"
    return LimitError(reason, NOWHERE, _more_bytes(most))


def within(
    batches: Iterator[pa.RecordBatch], most: int, place: Callable[[], str]
) -> Iterator[pa.RecordBatch]:
    """The batches of a result that is collected, as long as that does not take too many bytes."""
    kept = rows = 0
    for batch in batches:
        kept, rows = kept + batch.nbytes, rows + batch.num_rows
        if kept > most:
            raise LimitError(
                f"the result would take more than {size(most)}, the limit max_bytes: "
                f"{rows:,} rows so far, the last of them from {place()}",
                NOWHERE,
                _more_bytes(most),
            )
        yield batch


def _more_matches(most: int) -> str:
    hint = "narrow the query, by WITHIN or conditions"
    return f"{hint}; or raise the limit: options=kleene.Options(max_matches={most * 10})"


def _more_bytes(most: int) -> str:
    hint = "narrow the query, RETURN less, or ask for output='count' or 'collapsed'"
    return f"{hint}; or raise the limit: options=kleene.Options(max_bytes={most * 4})"


_LONGEST = 80


def _told(value: pa.Array) -> str:
    text = repr(value[0].as_py())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def size(count: int) -> str:
    """A number of bytes as people read it.

    >>> size(512 << 20), size(1000)
    ('512 MiB', '1,000 bytes')
    """
    for name, unit in (("GiB", 1 << 30), ("MiB", 1 << 20)):
        if count >= unit:
            return f"{count / unit:,.4g} {name}"
    return f"{count:,} bytes"
