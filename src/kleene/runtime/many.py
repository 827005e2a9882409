"""Several queries over events that come in batches: read once, and held once.

Where they are too many, each query has files of its own, with the events and the columns that it
needs: what tells shares apart, keys or time, differs from query to query.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa

from kleene.errors import naming
from kleene.logical.algebra import LogicalQuery
from kleene.logical.output import OutputForm
from kleene.runtime.evaluate import EvaluateAll, Found
from kleene.runtime.files import Files, Observer, Work
from kleene.runtime.joined import Joined
from kleene.runtime.stream import Choose


@dataclass(frozen=True)
class Apart:
    """One of the queries where it has files of its own, and the events that take part in it."""

    work: Work
    choose: Choose

    def of(self, events: pa.Table) -> pa.Table:
        """The events that go to its files."""
        return self.choose(events.select(self.work.schema.names))[0]


@dataclass(frozen=True)
class ManyWork:
    """Queries that know the same columns, what they give, and what they may take."""

    queries: Mapping[str, LogicalQuery]
    form: OutputForm
    joined: Joined
    evaluate: EvaluateAll
    memory: int
    observer: Observer
    apart: tuple[Apart, ...]

    @property
    def schema(self) -> pa.Schema:
        """The columns of the events."""
        first, *_ = self.queries.values()
        return first.resolved.shape.schema

    def matched(self, events: pa.Table) -> Iterator[pa.RecordBatch]:
        """The output for events that are all in memory."""
        found = self.evaluate(self.queries, events, self.form)
        self.observer.bad(found[0].bad_rows)
        for number, one in enumerate(found):
            yield from rows_of(number, one, self.joined)

    def spilled(self) -> ManyFiles:
        """Files, for events that are too many."""
        return ManyFiles(self)


def rows_of(number: int, found: Found, joined: Joined) -> Iterator[pa.RecordBatch]:
    """What one query finds, as rows of all."""
    with naming(joined.names[number]):
        for batch in found.batches:
            yield joined.rows(number, batch)


class ManyFiles:
    """Files of each query."""

    def __init__(self, work: ManyWork) -> None:
        self._work = work
        self._files = [_files(apart, work.joined.names[n]) for n, apart in enumerate(work.apart)]

    def add(self, events: pa.Table) -> None:
        """Take some events in."""
        for files, apart in zip(self._files, self._work.apart, strict=True):
            files.add(apart.of(events))

    def matches(self) -> Iterator[pa.RecordBatch]:
        """The output; files go as they are matched."""
        for number, files in enumerate(self._files):
            with naming(self._work.joined.names[number]):
                for batch in files.matches():
                    yield self._work.joined.rows(number, batch)

    def close(self) -> None:
        """Remove the files."""
        for files in self._files:
            files.close()


def _files(apart: Apart, name: str) -> Files:
    with naming(name):
        return Files(apart.work)
