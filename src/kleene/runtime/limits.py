"""Limits of a call: how many matches a partition may have, and how much may be kept of them."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from kleene.errors import NOWHERE, LimitError
from kleene.language.printer import print_name
from kleene.language.resolved import ResolvedQuery
from kleene.runtime.arrange import Arranged
from kleene.runtime.rows import Rows

WRITTEN, COUNTED = 100_000_000, 10_000_000_000
STATE = 512 << 20


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

    def too_many(self, partition: int, most: int) -> LimitError:
        """A partition has more matches than it may have."""
        hint = "narrow the query, by WITHIN or conditions"
        return LimitError(
            f"{self.place(partition)} has more than {most:,} matches, the limit max_matches",
            NOWHERE,
            f"{hint}; or raise the limit: options=kleene.Options(max_matches={most * 10})",
        )

    def check_state(self, kept: int, partition: int, what: str) -> None:
        """Refuse to keep more bytes than the limit."""
        if kept <= self.limits.state:
            return
        raise LimitError(
            f"{what} of {self.place(partition)} would take more than {size(self.limits.state)}, "
            "the limit max_bytes",
            NOWHERE,
            too_little(self.limits.state),
        )

    def place(self, partition: int) -> str:
        """A partition by the values of its key."""
        keys = self.query.partition_by
        if not keys or not len(self.arranged.rows):
            return "the input, which is one partition,"
        row = int(self.arranged.rows[self.arranged.part[partition]])
        one = Rows(self.arranged.source.slice(row, 1), {})
        values = [(print_name(path[-1]), _told(one.attribute(path))) for path in keys]
        return "the partition " + ", ".join(f"{name} = {value}" for name, value in values)


def too_little(most: int) -> str:
    """How to raise the limit of bytes."""
    hint = "narrow the query, or ask for output='count' or 'collapsed'"
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
