"""Matching what was spilled: a query over temporary files, each with whole keys or slices of time.

A file that is too large is spread again, and one of a single key by slices of time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Protocol

import pyarrow as pa

from kleene.errors import NOWHERE, LimitError
from kleene.language.measures import Grouping
from kleene.logical.algebra import LogicalQuery
from kleene.logical.output import COUNT_TYPE, OutputForm, output_schema
from kleene.runtime.evaluate import Evaluate
from kleene.runtime.hashes import Hashes, hashes
from kleene.runtime.limits import partition_of, size, too_much
from kleene.runtime.matches import BATCH_ROWS
from kleene.runtime.own import own_rows
from kleene.runtime.partials import finished, joined
from kleene.runtime.place import placed
from kleene.runtime.shares import Shares, partially, plan_shares, span_shares, why_whole
from kleene.runtime.slices import Slices, plan_slices, sliced
from kleene.runtime.spill import File, Spill

_WAITING = 4
"""Of the memory for events such a part waits in front of the files."""


class Observer(Protocol):
    """Who is told of an evaluation while it goes on."""

    def read(self, rows: int) -> None:
        """So many more rows were read."""

    def bad(self, rows: int) -> None:
        """So many more of them are no events."""

    def report(self) -> None:
        """No more bad rows are to come, for now: what was told of them may be told to users."""

    def matching(self, done: int, files: int) -> None:
        """So many files are matched, of as many as there are."""


@dataclass(frozen=True)
class Work:
    """A query, what it gives, and what it may take.

    `memory` is for the events that are matched at once, `state` for what is kept of matches.
    """

    query: LogicalQuery
    form: OutputForm
    output: pa.Schema
    evaluate: Evaluate
    memory: int
    state: int
    observer: Observer

    @property
    def schema(self) -> pa.Schema:
        """The columns of the events."""
        return self.query.resolved.shape.schema

    def matched(self, events: pa.Table) -> Iterator[pa.RecordBatch]:
        """The output for events that are all in memory."""
        return matched(self, events)

    def spilled(self) -> Files:
        """Files, for events that are too many."""
        return Files(self)


@dataclass(frozen=True)
class _Cut:
    """The query over files that are cut in some way, and how slices were made, if they were."""

    query: LogicalQuery
    slices: Slices | None

    def hashes(self, events: pa.Table) -> Hashes:
        """What tells shares apart."""
        return hashes(events, self.query.resolved.partition_by)

    def prepared(self, events: pa.Table) -> pa.Table:
        """The events with what says where they belong."""
        if self.slices is None:
            return events
        return placed(events, self.slices, self.query.resolved.shape.time[0])


class Files:
    """Events in files, to be matched when all of them are there."""

    def __init__(self, work: Work) -> None:
        shares = plan_shares(work.query, work.form)
        if not shares.cuts:
            raise _uncut(work)
        grouping = work.query.resolved.grouping
        self._whole = work
        self._grouping = grouping if _adds_up(grouping) else None
        if self._grouping is not None:
            query = partially(work.query)
            work = replace(work, query=query, output=output_schema(query, work.form))
        self._work = work
        self._cut = _by_time(work.query, shares.slices) if shares.slices else _Cut(work.query, None)
        self._spill = self._spilled(self._cut)

    def _spilled(self, cut: _Cut, depth: int = 0) -> Spill:
        return Spill(cut.hashes, self._work.memory // _WAITING, depth)

    def add(self, events: pa.Table) -> None:
        """Take some events in."""
        self._spill.add(self._cut.prepared(events))

    def close(self) -> None:
        """Remove the files."""
        self._spill.close()

    def matches(self) -> Iterator[pa.RecordBatch]:
        """The output; files go as they are matched."""
        found = self._of_spill(self._spill, self._cut, 0)
        if self._grouping is not None:
            yield from self._added_up(found, self._grouping)
        elif self._work.form is OutputForm.COUNT and not self._work.query.resolved.partition_by:
            total = sum(number for batch in found for number in batch.column(0).to_pylist())
            yield pa.record_batch([pa.array([total], COUNT_TYPE)], schema=self._work.output)
        else:
            yield from found

    def _added_up(
        self, found: Iterator[pa.RecordBatch], grouping: Grouping
    ) -> Iterator[pa.RecordBatch]:
        """The rows of groups of whose matches several files have told."""

        def check(kept: int) -> None:
            if kept > self._work.state:
                raise too_much("the groups of matches of all events", self._work.state)

        tables = (pa.Table.from_batches([batch]) for batch in found)
        groups = joined(tables, self._work.output, grouping, check)
        for start in range(0, groups.num_rows, BATCH_ROWS):
            yield finished(groups.slice(start, BATCH_ROWS), grouping, self._whole.output)

    def _of_spill(self, spill: Spill, cut: _Cut, depth: int) -> Iterator[pa.RecordBatch]:
        for done, file in enumerate(spill.files()):
            if not depth:
                self._work.observer.matching(done, done + 1 + len(spill))
            yield from self._of_file(file, cut, depth)

    def _of_file(self, file: File, cut: _Cut, depth: int) -> Iterator[pa.RecordBatch]:
        if file.nbytes <= self._work.memory:
            events = pa.concat_tables(file.tables())
            file.close()
            yield from matched(replace(self._work, query=cut.query), events, cut.slices)
            return
        smaller = self._smaller(file, cut) if file.has_one_key else cut
        with closing(self._spilled(smaller, depth + 1)) as spill:
            for events in file.tables():
                spill.add(events if smaller is cut else smaller.prepared(events))
            file.close()
            yield from self._of_spill(spill, smaller, depth + 1)

    def _smaller(self, file: File, cut: _Cut) -> _Cut:
        """A single key is cut into slices of time, which are as small as it gets."""
        work = self._work
        slices = None if cut.slices else plan_slices(work.query, work.form)
        counts = work.form is OutputForm.COUNT and bool(work.query.resolved.partition_by)
        by_time = Shares(keyed=False, slices=slices)
        spans = counts or (self._grouping is None and span_shares(work.query, by_time))
        if slices is not None and not spans:
            return _by_time(work.query, slices)
        raise _too_large(next(file.tables()), work, cut.slices)


def matched(work: Work, events: pa.Table, slices: Slices | None = None) -> Iterator[pa.RecordBatch]:
    """The output for some events, all in memory; `slices` is how the query over slices was made."""
    found = work.evaluate(work.query, events, work.form)
    work.observer.bad(found.bad_rows)
    for batch in found.batches:
        yield own_rows(batch, work.query, slices, work.form, work.output)


def _by_time(query: LogicalQuery, slices: Slices) -> _Cut:
    return _Cut(sliced(query, slices), slices)


def _adds_up(grouping: Grouping | None) -> bool:
    """Whether groups may be told of in parts: whole events cannot be brought together."""
    return grouping is not None and not any(key.is_event for key in grouping.keys)


def _uncut(work: Work) -> LimitError:
    why, _, how = why_whole(work.query, work.form).partition("; ")
    return LimitError(
        f"the events take more than {size(work.memory)}, the limit spill_bytes, and the query "
        f"cannot be matched in parts: {why}",
        NOWHERE,
        how,
        _more(work.memory),
    )


def _too_large(events: pa.Table, work: Work, slices: Slices | None) -> LimitError:
    keys = work.query.resolved.partition_by
    place = partition_of(events.slice(0, 1), keys) if keys else "the whole input"
    part = f"a slice of time of {place}" if slices else place
    return LimitError(
        f"the events of {part} take more than {size(work.memory)}, the limit spill_bytes, and "
        "cannot be matched in smaller parts",
        NOWHERE,
        "narrow the query, by WITHIN or conditions on single events",
        _more(work.memory),
    )


def _more(memory: int) -> str:
    return f"or raise the limit: options=kleene.Options(spill_bytes={memory * 4})"
