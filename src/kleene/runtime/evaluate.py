"""A query evaluated by its kernel over an Arrow table in this process.

Matches pass through stages as words (`bindings`), batch by batch: AFTER MATCH, then EXISTS, then
the form of the output. Where nothing chooses among matches they are counted by the kernel itself.
Counts, collapsed output and groups do without matches where runs can be merged (`merged`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
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
from kleene.runtime.choose import CONTIGUOUS
from kleene.runtime.collapse import collapsed
from kleene.runtime.count import Counts, count_rows, counted
from kleene.runtime.distinct import distinct
from kleene.runtime.gather import Values
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

EvaluateAll = Callable[[Mapping[str, LogicalQuery], pa.Table, OutputForm], Sequence[Found]]
"""The outputs of queries, by name, that know the same columns, for the events of a table."""


def found_in(table: pa.Table, bad_rows: int) -> Found:
    """A table that is there already."""
    return Found(table.schema, iter(table.to_batches(max_chunksize=BATCH_ROWS)), bad_rows)


@dataclass(frozen=True)
class Prepared:
    """A query, its output, and the kernels that are to make it."""

    query: LogicalQuery
    form: OutputForm
    schema: pa.Schema
    kernel: Kernel
    merged: MergedKernel | None
    """What tells of matches without finding them, if anything does."""

    @property
    def walks(self) -> Kernel:
        """The kernel that is run."""
        return self.kernel if self.merged is None else self.merged.kernel

    @property
    def order(self) -> Hashable:
        """What it wants of the order of events: those with equal wants may share one."""
        resolved = self.query.resolved
        neighbours = resolved.strategy if resolved.strategy in CONTIGUOUS else None
        return frozenset(resolved.partition_by), neighbours


def prepared(query: LogicalQuery, form: OutputForm, method: Method | None = None) -> Prepared:
    """A query ready to be evaluated; what cannot be raises here."""
    schema = output_schema(query, form)
    counts = form is OutputForm.COUNT and not _chooses(query)
    kernel = plan_kernel(query, method, counts=counts)
    merged = None
    shown = form is OutputForm.MATCHES and query.resolved.grouping is None
    if not shown and method is None:
        with suppress(Enumerates):
            merged = plan_merged(query, kernel, form)
    return Prepared(query, form, schema, kernel, merged)


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
    asked = [prepared(query, form, method)]
    (found,) = evaluate_all(asked, table, limits, threads, compile_kernel=compile_kernel)
    return found


def evaluate_all(
    asked: Sequence[Prepared],
    table: pa.Table,
    limits: Limits,
    threads: int,
    *,
    compile_kernel: bool | None = None,
) -> list[Found]:
    """The outputs of queries over the same events, of which all know the same columns.

    What is chosen of the events, sorted and read is shared by those that want the same order.
    """
    means = _Means(limits, threads, compile_kernel)
    found: dict[int, Found] = {}
    for order in dict.fromkeys(one.order for one in asked):
        places = [place for place, one in enumerate(asked) if one.order == order]
        arranged = arrange(table, [asked[place].walks for place in places], threads)
        values = Values(arranged[0])
        for place, each in zip(places, arranged, strict=True):
            found[place] = _found(asked[place], each, values, means)
    return [found[place] for place in range(len(asked))]


@dataclass(frozen=True)
class _Means:
    """What an evaluation may take, and how its kernels run."""

    limits: Limits
    threads: int
    compile_kernel: bool | None


def _found(asked: Prepared, arranged: Arranged, values: Values, means: _Means) -> Found:
    """What one query finds among events that are in order."""
    threads = means.threads
    shares = _shares(arranged, threads)
    grouping = asked.query.resolved.grouping
    watch = Watch(means.limits, asked.query.resolved, arranged, min(threads, len(shares)))
    assembler = Assembler(asked.query, values, asked.schema)
    laid = None if asked.merged is None else lay(asked.merged, arranged)
    progress = Progress(watch)
    compiled = means.compile_kernel
    parts = [Evaluation(asked, laid, assembler, progress, share, compiled) for share in shares]
    if grouping is None:
        batches = chained([part.batches() for part in parts], threads)
    else:
        groups = Groups(grouping, assembler, watch)
        partials = chained([part.partials(groups) for part in parts], threads)
        batches = groups.rows(partials)
    return Found(asked.schema, batches, arranged.bad_rows, progress.place)


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

    asked: Prepared
    laid: Laid | None
    assembler: Assembler
    progress: Progress
    partitions: range
    compiled: bool | None

    @property
    def watch(self) -> Watch:
        """The limits."""
        return self.progress.watch

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The output."""
        match self.asked.form:
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
                paths, schema = self.asked.query.resolved.partition_by, self.assembler.schema
                yield from count_rows(self._counts(), paths, self.watch.arranged, schema)
            case _:
                assert_never(self.asked.form)

    def matches(self) -> Iterator[Matches]:
        """The matches of the query, after AFTER MATCH and EXISTS, in the order of partitions."""
        found = self._run().matches()
        clause = self.asked.query.resolved.after_match
        if clause is not None and clause.mode is not SkipMode.NO_SKIP:
            found = kept(found, clause, self.watch)
        shown = [
            s for s in self.asked.kernel.shown if not self.asked.query.variables[s.name].hidden
        ]
        if len(shown) < len(self.asked.kernel.shown):
            found = distinct(found, shown, self.watch)
        for matches in found:
            if len(matches):
                self.progress.matches = matches
                yield matches

    def _counts(self) -> Iterator[Counts]:
        if self.laid is None:
            return self._run().counts() if self.asked.kernel.counts else counted(self.matches())
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
        return Run(self.asked.kernel, self.watch, self.partitions, compiled=self.compiled)
