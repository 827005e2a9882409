"""A query over events that come in batches, and need not fit into memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pyarrow as pa

from kleene.runtime.files import Files, Work, matched

Choose = Callable[[pa.Table], tuple[pa.Table, int]]
"""The events that can take part, and how many rows were no events."""

_ROWS, _BYTES = 1 << 17, 1 << 25
"""Batches are taken together until they are as large."""


def streamed(
    work: Work,
    batches: Iterable[pa.RecordBatch],
    choose: Choose,
) -> Iterator[pa.RecordBatch]:
    """The output of a query; events are read when its first batch is asked for.

    Those that can take part are held, until they are more than there is memory for: then they go to
    files, by their keys or by slices of time, which are matched one by one.
    """
    held = [work.query.resolved.shape.schema.empty_table()]
    kept = 0
    files: Files | None = None
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
                files = Files(work)
                while held:
                    files.add(held.pop())
        work.observer.report()
        if files is None:
            yield from matched(work, pa.concat_tables(held))
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
