"""`kleene.match` on events that are read batch by batch: they need not fit into memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import pyarrow as pa

from kleene.api.bad_rows import BadRows
from kleene.api.frames import converted
from kleene.api.options import Options
from kleene.api.plan import Plan, PlanAll
from kleene.api.sources import Scan, Source
from kleene.logical.algebra import LogicalQuery
from kleene.logical.output import OutputForm, output_schema
from kleene.program.columns import Unsupported
from kleene.program.kernel import Kernel, plan_kernel
from kleene.runtime.choose import taking_part
from kleene.runtime.evaluate import Found
from kleene.runtime.files import Observer, Work
from kleene.runtime.joined import Output, joined
from kleene.runtime.many import Apart, ManyWork
from kleene.runtime.needs import pruned, relevant_types, together, types_together
from kleene.runtime.shares import plan_shares
from kleene.runtime.stream import streamed
from kleene.runtime.threads import available


class Quiet(BadRows):
    """Tells users of bad rows, and of nothing else."""

    def read(self, rows: int) -> None:
        """Rows were read."""

    def matching(self, done: int, files: int) -> None:
        """Files are matched."""


class Again(Quiet):
    """Looks at rows that were counted before."""

    def bad(self, rows: int) -> None:
        """They are told of already."""


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
        taking_part, query=query.resolved, kernels=_kernels(query, options), threads=threads
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


@dataclass(frozen=True)
class CallAll:
    """What several queries ask of events."""

    plan: PlanAll
    form: OutputForm
    options: Options
    evaluate: Callable[..., Sequence[Found]]


def prepare_all(source: Source, call: CallAll) -> Matching:
    """The same for several queries: the source is read once for all of them."""
    form, options, threads = call.form, call.options, available()
    asked = call.plan(source.schema)
    columns = joined(asked)
    queries = together([one.query for one in asked], form)
    schema = queries[0].resolved.shape.schema
    named = {one.name: query for one, query in zip(asked, queries, strict=True)}
    evaluate = partial(call.evaluate, options=options, threads=threads)
    evaluate(named, schema.empty_table(), form)
    kernels = [kernel for query in queries for kernel in _kernels(query, options)]
    choose = partial(taking_part, query=queries[0].resolved, kernels=kernels, threads=threads)
    scans = [_scan(query, form) for query in queries]
    scan = replace(
        scans[0],
        types=types_together(queries),
        keys=tuple(key for key in scans[0].keys if all(key in other.keys for other in scans)),
    )

    def batches() -> Iterator[pa.RecordBatch]:
        observer = Quiet(options)
        work = ManyWork(
            queries=named,
            form=form,
            joined=columns,
            evaluate=evaluate,
            memory=options.spill_bytes,
            observer=observer,
            apart=tuple(
                _apart(one, call, threads, Again(options) if number else observer)
                for number, one in enumerate(asked)
            ),
        )
        read = (conformed(batch, schema) for batch in source.batches(scan))
        return streamed(work, read, choose)

    return Matching(columns.schema, batches)


def _apart(one: Output, call: CallAll, threads: int, observer: Observer) -> Apart:
    """A query by itself, over the columns that it needs."""
    options = call.options
    query = pruned(one.query, call.form)

    def evaluate(query: LogicalQuery, table: pa.Table, form: OutputForm) -> Found:
        (found,) = call.evaluate({one.name: query}, table, form, options, threads)
        return found

    work = Work(
        query=query,
        form=call.form,
        output=one.schema,
        evaluate=evaluate,
        memory=options.spill_bytes,
        state=options.max_bytes,
        observer=observer,
    )
    choose = partial(
        taking_part, query=query.resolved, kernels=_kernels(query, options), threads=threads
    )
    return Apart(work, choose)


def conformed(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """The batch with the columns of a schema, in its types."""
    columns = [converted(batch.column(field.name), field) for field in schema]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _kernels(query: LogicalQuery, options: Options) -> list[Kernel]:
    """What knows which events may take part; the definition looks at all of them."""
    if options.defines(query.resolved.shape):
        return []
    try:
        return [plan_kernel(query, options.method)]
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
