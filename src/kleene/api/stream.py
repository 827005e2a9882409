"""`kleene.match` on events that are read batch by batch: they need not fit into memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import pyarrow as pa

from kleene.api.bad_rows import BadRows
from kleene.api.frames import converted
from kleene.api.options import Options
from kleene.api.plan import Plan
from kleene.api.sources import Scan, Source
from kleene.logical.algebra import LogicalQuery
from kleene.logical.output import OutputForm, output_schema
from kleene.program.columns import Unsupported
from kleene.program.kernel import Kernel, plan_kernel
from kleene.runtime.choose import taking_part
from kleene.runtime.evaluate import Found
from kleene.runtime.files import Observer, Work
from kleene.runtime.needs import pruned, relevant_types
from kleene.runtime.shares import plan_shares
from kleene.runtime.stream import streamed
from kleene.runtime.threads import available


class Quiet(BadRows):
    """Tells users of bad rows, and of nothing else."""

    def read(self, rows: int) -> None:
        """Rows were read."""

    def matching(self, done: int, files: int) -> None:
        """Files are matched."""


@dataclass(frozen=True)
class Matching:
    """The output of a call, which is computed as often as its batches are asked for."""

    schema: pa.Schema
    batches: Callable[[], Iterator[pa.RecordBatch]]


@dataclass(frozen=True)
class Call:
    """What is asked of events, whatever they are."""

    plan: Plan
    form: OutputForm
    options: Options
    evaluate: Callable[..., Found]


def prepare(
    source: Source,
    call: Call,
    observer: Callable[[Options], Observer] = Quiet,
) -> Matching:
    """The matches among the rows of a source, lazily: nothing is read yet.

    What cannot be is refused here all the same: the query is evaluated on no events.
    """
    form, options = call.form, call.options
    query = call.plan(source.schema)
    output = output_schema(query, form)
    query = pruned(query, form)
    threads = available()
    evaluate = partial(call.evaluate, options=options, threads=threads)
    schema = query.resolved.shape.schema
    evaluate(query, schema.empty_table(), form)
    choose = partial(
        taking_part, query=query.resolved, kernel=_kernel(query, options), threads=threads
    )
    scan = _scan(query, form)

    def batches() -> Iterator[pa.RecordBatch]:
        work = Work(
            query=query,
            form=form,
            output=output,
            evaluate=evaluate,
            memory=options.spill_bytes,
            state=options.max_bytes,
            observer=observer(options),
        )
        read = (conformed(batch, schema) for batch in source.batches(scan))
        return streamed(work, read, choose)

    return Matching(output, batches)


def conformed(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """The batch with the columns of a schema, in its types."""
    columns = [converted(batch.column(field.name), field) for field in schema]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _kernel(query: LogicalQuery, options: Options) -> Kernel | None:
    """What knows which events may take part; the definition looks at all of them."""
    if options.defines(query.resolved.shape):
        return None
    try:
        return plan_kernel(query, options.method)
    except Unsupported as reason:
        raise options.refused(reason) from None


def _scan(query: LogicalQuery, form: OutputForm) -> Scan:
    """What is asked of a source: columns, and what it may leave out as it reads."""
    shape = query.resolved.shape
    keyed = plan_shares(query, form).keyed and not shape.imprecise
    return Scan(
        columns=tuple(shape.schema.names),
        time=shape.time[0],
        type=shape.type,
        types=relevant_types(query),
        keys=tuple(path[0] for path in query.resolved.partition_by if len(path) == 1)
        if keyed
        else (),
    )
