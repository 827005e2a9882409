"""A query evaluated by its kernel over an Arrow table in this process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import pyarrow as pa

from kleene.logical.after_match import kept
from kleene.logical.algebra import LogicalQuery, variables_of
from kleene.logical.binding import Binding, all_events
from kleene.logical.history import KnownRow, Time
from kleene.logical.meaning import Match, Meaning
from kleene.logical.output import OutputForm, output_schema, to_table
from kleene.program.compile import compiled, plain
from kleene.program.kernel import Kernel, plan_kernel
from kleene.runtime.arrange import Arranged, arrange
from kleene.runtime.matches import Positions, assembler, is_direct
from kleene.runtime.run import Run, read_bindings

SMALL = 20_000
"""Events up to which a kernel runs as plain Python, sooner done than compiled."""

BATCH_ROWS = 1 << 16
"""Rows of a batch, at most."""


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


@dataclass(frozen=True)
class Evaluation:
    """A kernel and the events that it walks over."""

    kernel: Kernel
    arranged: Arranged
    compiled: bool

    def written(self) -> Iterator[Positions]:
        """What the kernel writes, in batches."""
        run = Run(self.kernel, self._function(), self.arranged, compiled=self.compiled)
        return run.batches()

    def bindings(self) -> Iterator[Binding]:
        """The matches before AFTER MATCH and EXISTS, partition by partition."""
        for written in self.written():
            yield from read_bindings(self.kernel, written.tolist())

    def _function(self) -> Any:
        if not self.compiled:
            return plain(self.kernel.source)
        floating = self.arranged.time.dtype.kind == "f"
        kinds = tuple((n, self.kernel.kind_of(n, floating)) for n in self.kernel.parameters)
        return compiled(self.kernel.source, kinds)


def evaluate(
    query: LogicalQuery,
    table: pa.Table,
    form: OutputForm = OutputForm.MATCHES,
    *,
    compile_kernel: bool | None = None,
) -> Found:
    """The output of a query for the events of a table; what cannot be raises here, not later."""
    schema = output_schema(query, form)
    kernel = plan_kernel(query)
    arranged = arrange(table, kernel)
    chosen = len(arranged.rows) > SMALL if compile_kernel is None else compile_kernel
    evaluation = Evaluation(kernel, arranged, chosen)
    batches = _batches(query, evaluation, form, schema)
    return Found(schema, batches, arranged.bad_rows)


def _batches(
    query: LogicalQuery, evaluation: Evaluation, form: OutputForm, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    arranged = evaluation.arranged
    if is_direct(query, evaluation.kernel, form):
        make = assembler(query, evaluation.kernel, arranged, schema)
        yield from map(make.batch, evaluation.written())
        return
    rows = _rows(arranged, query)
    found = Meaning(tuple(_shown(query, evaluation, rows)), rows, arranged.bad_rows)
    yield from to_table(query, form, found).to_batches(max_chunksize=BATCH_ROWS)


def _rows(arranged: Arranged, query: LogicalQuery) -> tuple[KnownRow, ...]:
    """The events as rows; of what the denotation knows of a row only the partition is asked for."""
    apart = bool(query.resolved.partition_by)
    partitions = np.searchsorted(arranged.part, np.arange(len(arranged.rows)), side="right")
    return tuple(
        KnownRow(number, row, (partition,) if apart else (), frozenset(), (), ())
        for number, (row, partition) in enumerate(
            zip(arranged.table.to_pylist(), partitions.tolist(), strict=True)
        )
    )


def _shown(
    query: LogicalQuery, evaluation: Evaluation, rows: tuple[KnownRow, ...]
) -> Iterator[Match]:
    """Each match as it is shown, once: after AFTER MATCH and EXISTS, in each partition."""
    variables = list(variables_of(query.pattern))
    names = [name for name in variables if not query.variables[name].hidden]
    times, ranks = evaluation.arranged.time.tolist(), evaluation.arranged.rank.tolist()
    clause = query.resolved.after_match
    for _, found in groupby(
        evaluation.bindings(), key=lambda binding: rows[all_events(binding)[0]].partition
    ):
        seen = set()
        for binding in kept(found, clause, variables, ranks):
            shown = {name: binding[name] for name in names}
            signature = tuple(shown.values())
            if signature not in seen:
                seen.add(signature)
                yield _match(binding, shown, times)


def _match(binding: Binding, shown: Binding, times: list[Time]) -> Match:
    events = all_events(shown)
    start, end = (times[events[0]], times[events[-1]]) if events else (None, None)
    return Match(shown, all_events(binding)[0], start, end)
