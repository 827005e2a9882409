"""A query evaluated by its kernel over an Arrow table in this process.

Matches pass through stages as words (`bindings`), batch by batch: AFTER MATCH, then EXISTS, then
the form of the output. Where nothing chooses among matches they are counted by the kernel itself.
Counts, collapsed output and groups do without matches where runs can be merged (`merged`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import assert_never

import numpy as np
import pyarrow as pa

from kleene.language.syntax import SkipMode
from kleene.logical.algebra import LogicalQuery
from kleene.logical.output import OutputForm, output_schema
from kleene.optimizer.methods import Method
from kleene.program.kernel import Kernel, plan_kernel
from kleene.program.merging.enumerates import Enumerates
from kleene.program.merging.plan import MergedKernel, plan_merged
from kleene.runtime.after_match import kept
from kleene.runtime.arrange import Arranged, arrange
from kleene.runtime.bindings import Matches
from kleene.runtime.collapse import collapsed
from kleene.runtime.count import Counts, count_rows, counted
from kleene.runtime.distinct import distinct
from kleene.runtime.group import Groups
from kleene.runtime.limits import Limits, Watch
from kleene.runtime.matches import BATCH_ROWS, Assembler
from kleene.runtime.merged import Laid, MergedRun, Rows, lay, numbers
from kleene.runtime.merged_rows import collapsed_rows, group_tables
from kleene.runtime.run import SMALL, Run
from kleene.runtime.threads import chained

_NO_LIMITS_GIVEN = Limits()
_SHARES = 4
"""Pieces of the work of one thread, so that threads are done at about the same time."""


@dataclass(frozen=True)
class Found:
    """What comes back: batches of bounded size, each computed when it is asked for."""

    schema: pa.Schema
    batches: Iterator[pa.RecordBatch]
    bad_rows: int
    """How many rows were no events."""
    place: Callable[[], str] = "the input".__str__
    """Where among the events the batches have come to."""

    def to_table(self) -> pa.Table:
        """All batches at once."""
        return pa.Table.from_batches(self.batches, schema=self.schema)


Evaluate = Callable[[LogicalQuery, pa.Table, OutputForm], Found]
"""The output of a query for the events of a table, in batches."""


def found_in(table: pa.Table, bad_rows: int) -> Found:
    """A table that is there already."""
    return Found(table.schema, iter(table.to_batches(max_chunksize=BATCH_ROWS)), bad_rows)


def evaluate(  # noqa: PLR0913 - what there is, what is asked for, and at what cost
    query: LogicalQuery,
    table: pa.Table,
    form: OutputForm = OutputForm.MATCHES,
    limits: Limits = _NO_LIMITS_GIVEN,
    threads: int = 1,
    *,
    method: Method | None = None,
    compile_kernel: bool | None = None,
) -> Found:
    """The output of a query for the events of a table; what cannot be raises here, not later."""
    schema = output_schema(query, form)
    kernel, merged = _plan(query, form, method)
    arranged = arrange(table, kernel if merged is None else merged.kernel, threads)
    laid = None if merged is None else lay(merged, arranged)
    shares = _shares(arranged, threads)
    watch = Watch(limits, query.resolved, arranged, min(threads, len(shares)))
    assembler = Assembler(query, arranged, schema)
    progress = Progress(watch)
    parts = [
        Evaluation(query, kernel, laid, assembler, progress, partitions, compile_kernel)
        for partitions in shares
    ]
    if query.resolved.grouping is None:
        batches = chained([part.batches(form) for part in parts], threads)
    else:
        groups = Groups(query.resolved.grouping, assembler, watch)
        partials = chained([part.partials(groups) for part in parts], threads)
        batches = groups.rows(partials)
    return Found(schema, batches, arranged.bad_rows, progress.place)


def planned(query: LogicalQuery, form: OutputForm, method: Method | None) -> Kernel:
    """The kernel that is run for a form of output."""
    kernel, merged = _plan(query, form, method)
    return kernel if merged is None else merged.kernel


def _plan(
    query: LogicalQuery, form: OutputForm, method: Method | None
) -> tuple[Kernel, MergedKernel | None]:
    """The kernel that finds matches, and one that tells of them without finding them, if any."""
    counts = form is OutputForm.COUNT and not _chooses(query)
    kernel = plan_kernel(query, method, counts=counts)
    shown = form is OutputForm.MATCHES and query.resolved.grouping is None
    if shown or method is not None:
        return kernel, None
    try:
        return kernel, plan_merged(query, kernel, form)
    except Enumerates:
        return kernel, None


def _shares(arranged: Arranged, threads: int) -> list[range]:
    """The partitions in pieces of about as many events, several for each thread."""
    count, last = len(arranged.rows), len(arranged.part) - 1
    pieces = 1 if threads == 1 else 1 + min(count // SMALL, _SHARES * threads)
    wanted = np.linspace(0, count, pieces + 1)[1:-1]
    inner = np.searchsorted(arranged.part, wanted)
    ends = np.unique(np.concatenate([[0], np.minimum(inner, last), [last]])).tolist()
    return [range(start, stop) for start, stop in pairwise(ends)] or [range(last)]


def _chooses(query: LogicalQuery) -> bool:
    """Whether not all that a kernel finds is a match of its own in the output."""
    clause = query.resolved.after_match
    skips = clause is not None and clause.mode is not SkipMode.NO_SKIP
    return skips or any(variable.hidden for variable in query.resolved.variables)


@dataclass
class Progress:
    """How far an evaluation has come."""

    watch: Watch
    matches: Matches | None = None
    """Those that came last."""

    def place(self) -> str:
        """Their partition."""
        last = 0 if self.matches is None else int(self.matches.partition[-1])
        return self.watch.place(last)


@dataclass(frozen=True)
class Evaluation:
    """A kernel, the partitions that it walks over, and what becomes of what it finds."""

    query: LogicalQuery
    kernel: Kernel
    laid: Laid | None
    assembler: Assembler
    progress: Progress
    partitions: range
    compiled: bool | None

    @property
    def watch(self) -> Watch:
        """The limits."""
        return self.progress.watch

    def batches(self, form: OutputForm) -> Iterator[pa.RecordBatch]:
        """The output."""
        match form:
            case OutputForm.MATCHES:
                for matches in self.matches():
                    yield from self.assembler.batches(matches)
            case OutputForm.COLLAPSED:
                if self.laid is None:
                    yield from collapsed(self.matches(), self.assembler, self.watch)
                else:
                    found, told = self._merged_rows(self.laid), self.laid.kernel
                    yield from collapsed_rows(found, told, self.assembler, self.watch)
            case OutputForm.COUNT:
                paths, schema = self.query.resolved.partition_by, self.assembler.schema
                yield from count_rows(self._counts(), paths, self.watch.arranged, schema)
            case _:
                assert_never(form)

    def matches(self) -> Iterator[Matches]:
        """The matches of the query, after AFTER MATCH and EXISTS, in the order of partitions."""
        found = self._run().matches()
        clause = self.query.resolved.after_match
        if clause is not None and clause.mode is not SkipMode.NO_SKIP:
            found = kept(found, clause, self.watch)
        shown = [s for s in self.kernel.shown if not self.query.variables[s.name].hidden]
        if len(shown) < len(self.kernel.shown):
            found = distinct(found, shown, self.watch)
        for matches in found:
            if len(matches):
                self.progress.matches = matches
                yield matches

    def _counts(self) -> Iterator[Counts]:
        if self.laid is None:
            return self._run().counts() if self.kernel.counts else counted(self.matches())
        found = self._merged_rows(self.laid)
        return ((rows.partitions, numbers(rows.payloads)) for rows in found)

    def partials(self, groups: Groups) -> Iterator[pa.Table]:
        """What the matches tell of their groups."""
        if self.laid is None:
            return groups.partials(self.matches())
        found = self._merged_rows(self.laid)
        return groups.added(group_tables(found, self.laid.kernel, groups))

    def _merged_rows(self, laid: Laid) -> Iterator[Rows]:
        run = MergedRun(laid, self.watch, self.partitions, compile_kernel=self.compiled)
        return run.rows()

    def _run(self) -> Run:
        return Run(self.kernel, self.watch, self.partitions, compiled=self.compiled)
