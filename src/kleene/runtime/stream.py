"""A query over events that come in batches, and need not fit into memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

import pyarrow as pa

from kleene.runtime.files import Observer

Choose = Callable[[pa.Table], tuple[pa.Table, int]]
"""The events that can take part, and how many rows were no events."""

_ROWS, _BYTES = 1 << 17, 1 << 25
"""Batches are taken together until they are as large."""


class Spilled(Protocol):
    """Events in files."""

    def add(self, events: pa.Table) -> None:
        """Take some events in."""

    def matches(self) -> Iterator[pa.RecordBatch]:
        """The output."""

    def close(self) -> None:
        """Remove the files."""


class Holding(Protocol):
    """What is done with events, and how many of them may be held."""

    @property
    def schema(self) -> pa.Schema:
        """The columns of the events."""

    @property
    def memory(self) -> int:
        """The bytes that events may take."""

    @property
    def observer(self) -> Observer:
        """Who is told of it."""

    def matched(self, events: pa.Table) -> Iterator[pa.RecordBatch]:
        """The output for events that are all in memory."""

    def spilled(self) -> Spilled:
        """Files, for events that are too many."""


def streamed(
    work: Holding,
    batches: Iterable[pa.RecordBatch],
    choose: Choose,
) -> Iterator[pa.RecordBatch]:
    """The output of a query, or of several; events are read when its first batch is asked for.

    Those that can take part are held, until they are more than there is memory for: then they go to
    files, by their keys or by slices of time, which are matched one by one.
    """
    held = [work.schema.empty_table()]
    kept = 0
    files: Spilled | None = None
    try:
        for table in _gathered(batches):
            chosen, bad = choose(table)
            work.observer.read(table.num_rows)
            work.observer.bad(bad)
            if files is not None:
                files.add(chosen)
                continue
            held.append(chosen)
            kept += chosen.nbytes
            if kept > work.memory:
                files = work.spilled()
                while held:
                    files.add(held.pop())
        work.observer.report()
        if files is None:
            yield from work.matched(pa.concat_tables(held))
        else:
            yield from files.matches()
        work.observer.report()
    finally:
        if files is not None:
            files.close()


def _gathered(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Small batches taken together."""
    waiting: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        waiting.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows >= _ROWS or size >= _BYTES:
            yield pa.Table.from_batches(waiting)
            waiting, rows, size = [], 0, 0
    if waiting:
        yield pa.Table.from_batches(waiting)
