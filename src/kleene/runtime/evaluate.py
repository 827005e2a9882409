"""A query evaluated by its kernel over an Arrow table in this process.

Matches pass through stages as words (`bindings`), batch by batch: AFTER MATCH, then EXISTS, then
the form of the output. Where nothing chooses among matches they are counted by the kernel itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

import pyarrow as pa

from kleene.language.syntax import SkipMode
from kleene.logical.algebra import LogicalQuery
from kleene.logical.output import OutputForm, output_schema
from kleene.program.kernel import Kernel, plan_kernel
from kleene.runtime.after_match import kept
from kleene.runtime.arrange import arrange
from kleene.runtime.bindings import Matches
from kleene.runtime.collapse import collapsed
from kleene.runtime.count import Counts, count_rows, counted
from kleene.runtime.distinct import distinct
from kleene.runtime.limits import Limits, Watch
from kleene.runtime.matches import BATCH_ROWS, Assembler
from kleene.runtime.run import Run

_NO_LIMITS_GIVEN = Limits()


@dataclass(frozen=True)
class Found:
    """What comes back: batches of bounded size, each computed when it is asked for."""

    schema: pa.Schema
    batches: Iterator[pa.RecordBatch]
    bad_rows: int
    """How many rows were no events."""

    def to_table(self) -> pa.Table:
        """All batches at once."""
        return pa.Table.from_batches(self.batches, schema=self.schema)


def found_in(table: pa.Table, bad_rows: int) -> Found:
    """A table that is there already."""
    return Found(table.schema, iter(table.to_batches(max_chunksize=BATCH_ROWS)), bad_rows)


def evaluate(
    query: LogicalQuery,
    table: pa.Table,
    form: OutputForm = OutputForm.MATCHES,
    limits: Limits = _NO_LIMITS_GIVEN,
    *,
    compile_kernel: bool | None = None,
) -> Found:
    """The output of a query for the events of a table; what cannot be raises here, not later."""
    schema = output_schema(query, form)
    counts = form is OutputForm.COUNT and not _chooses(query)
    kernel = plan_kernel(query, counts=counts)
    arranged = arrange(table, kernel)
    watch = Watch(limits, query.resolved, arranged)
    evaluation = Evaluation(query, kernel, watch, compile_kernel)
    return Found(schema, evaluation.batches(form, schema), arranged.bad_rows)


def _chooses(query: LogicalQuery) -> bool:
    """Whether not all that a kernel finds is a match of its own in the output."""
    clause = query.resolved.after_match
    skips = clause is not None and clause.mode is not SkipMode.NO_SKIP
    return skips or any(variable.hidden for variable in query.resolved.variables)


@dataclass(frozen=True)
class Evaluation:
    """A kernel, the events that it walks over, and what becomes of what it finds."""

    query: LogicalQuery
    kernel: Kernel
    watch: Watch
    compiled: bool | None

    def batches(self, form: OutputForm, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """The output."""
        arranged = self.watch.arranged
        assembler = Assembler(self.query, arranged, schema)
        match form:
            case OutputForm.MATCHES:
                for matches in self.matches():
                    yield from assembler.batches(matches)
            case OutputForm.COLLAPSED:
                yield from collapsed(self.matches(), assembler, self.watch)
            case OutputForm.COUNT:
                paths = self.query.resolved.partition_by
                yield from count_rows(self._counts(), paths, arranged, schema)
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
        return found

    def _counts(self) -> Iterator[Counts]:
        return self._run().counts() if self.kernel.counts else counted(self.matches())

    def _run(self) -> Run:
        return Run(self.kernel, self.watch, compiled=self.compiled)
