"""What a Spark task does: sorted batches in, chunks of whole keys matched, bounded batches out.

This runs in Spark's Python workers, and knows nothing of Spark.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kleene.errors import BadRowsError, naming
from kleene.logical.algebra import LogicalQuery
from kleene.logical.ordering import sort_key
from kleene.logical.output import OutputForm
from kleene.runtime.evaluate import Evaluate, EvaluateAll, Found
from kleene.runtime.joined import Joined
from kleene.runtime.own import own_rows
from kleene.runtime.slices import Slices
from kleene.runtime.typed import typed
from kleene.spark.reports import MatchingError

CHUNK_ROWS, CHUNK_BYTES = 1 << 18, 1 << 27
"""A chunk is evaluated when it has as many rows or bytes; one key is never cut."""

_OUT_ROWS, _OUT_BYTES = 1 << 16, 1 << 26
_Flags = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True)
class Task:
    """Finds the matches of a query among the sorted rows of one Spark partition.

    `cuts` says whether the input may be cut where a key ends; else it is evaluated as a whole.
    """

    query: LogicalQuery
    form: OutputForm
    output: pa.Schema
    evaluate: Evaluate
    cuts: bool
    slices: Slices | None
    fails_on_bad_rows: bool

    @property
    def counts_all(self) -> bool:
        """Whether the output is one number; slices and empty inputs are then added up."""
        keyed = len(self.output) > 1
        return self.form is OutputForm.COUNT and not keyed

    @property
    def counts_in_parts(self) -> bool:
        """Whether the numbers of each key are those of its slices, and are added up."""
        return self.form is OutputForm.COUNT and not self.counts_all and self.slices is not None

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The rows of the output."""
        for chunk in whole_keys(batches, self.query, cuts=self.cuts):
            for found in told(self._matches(chunk), self.query):
                yield from bounded(found)

    def _matches(self, chunk: pa.Table) -> Iterator[pa.RecordBatch]:
        found = self.evaluate(self.query, chunk, self.form)
        report(found.bad_rows, fails=self.fails_on_bad_rows)
        for batch in found.batches:
            yield own_rows(batch, self.query, self.slices, self.form, self.output)


@dataclass(frozen=True)
class Together:
    """Finds the matches of several queries among the same sorted rows, as rows of one table.

    `numbers` says which of all queries they are.
    """

    queries: Mapping[str, LogicalQuery]
    numbers: tuple[int, ...]
    form: OutputForm
    outputs: tuple[pa.Schema, ...]
    joined: Joined
    evaluate: EvaluateAll
    cuts: bool
    slices: Slices | None
    fails_on_bad_rows: bool

    @property
    def counts_all(self) -> bool:
        """Whether the output of each is one number; all that share tasks are alike in this."""
        return self.form is OutputForm.COUNT and len(self.outputs[0]) == 1

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The rows of the output."""
        queries = tuple(self.queries.values())
        for chunk in whole_keys(batches, queries[0], cuts=self.cuts):
            found = self.evaluate(self.queries, chunk, self.form)
            report(found[0].bad_rows, fails=self.fails_on_bad_rows)
            for each in zip(found, queries, self.outputs, self.numbers, strict=True):
                yield from self._rows(*each)

    def _rows(
        self, found: Found, query: LogicalQuery, output: pa.Schema, number: int
    ) -> Iterator[pa.RecordBatch]:
        with naming(self.joined.names[number]):
            for batch in told(found.batches, query):
                own = own_rows(batch, query, self.slices, self.form, output)
                yield from bounded(self.joined.rows(number, own))


def told(batches: Iterator[pa.RecordBatch], query: LogicalQuery) -> Iterator[pa.RecordBatch]:
    """The batches; an error on the way names the query."""
    try:
        yield from batches
    except Exception as error:
        raise MatchingError(query.resolved.source, error) from error


def report(bad_rows: int, *, fails: bool) -> None:
    """Tell of rows that are no events, where Spark did not do so before."""
    if not bad_rows:
        return
    text = f"{bad_rows} row{' is' if bad_rows == 1 else 's are'} no event: without a valid time"
    if fails:
        raise BadRowsError(text)
    warnings.warn(text, UserWarning, stacklevel=2)


def whole_keys(
    batches: Iterator[pa.RecordBatch], query: LogicalQuery, *, cuts: bool
) -> Iterator[pa.Table]:
    """The sorted rows of a task in chunks, each with whole partitions of a query."""
    schema = query.resolved.shape.schema
    read = (conformed(batch, schema) for batch in batches)
    keys = query.resolved.partition_by if cuts else ()
    return chunks((batch for batch in read if batch.num_rows), keys, schema)


def conformed(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """The batch in the types that the query was resolved with: moments in UTC, one kind of text."""
    return typed(batch.columns, schema)


def chunks(
    batches: Iterator[pa.RecordBatch], keys: Sequence[tuple[str, ...]], schema: pa.Schema
) -> Iterator[pa.Table]:
    """Tables of whole keys, of about CHUNK_ROWS rows; without keys one table of all."""
    held: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        rows, size = rows + batch.num_rows, size + batch.nbytes
        enough = bool(keys) and (rows >= CHUNK_ROWS or size >= CHUNK_BYTES)
        cut = _last_change(held[-1] if held else None, batch, keys) if enough else None
        if cut is None:
            held.append(batch)
            continue
        yield pa.Table.from_batches([*held, batch.slice(0, cut)], schema=schema)
        held = [batch.slice(cut)]
        rows, size = held[0].num_rows, held[0].nbytes
    if held:
        yield pa.Table.from_batches(held, schema=schema)


def _last_change(
    before: pa.RecordBatch | None, batch: pa.RecordBatch, keys: Sequence[tuple[str, ...]]
) -> int | None:
    """The last row of a batch whose key differs from that of the row before it."""
    last = batch.slice(0, 0) if before is None else before.slice(before.num_rows - 1)
    joined = [pa.concat_arrays([_values(last, key), _values(batch, key)]) for key in keys]
    changed = np.flatnonzero(np.logical_or.reduce([_changes(column) for column in joined]))
    return None if not len(changed) else int(changed[-1]) + 1 - last.num_rows


def _values(batch: pa.RecordBatch, path: tuple[str, ...]) -> pa.Array:
    column = batch.column(path[0])
    for name in path[1:]:
        column = pc.struct_field(column, name)
    return column


def _changes(column: pa.Array) -> _Flags:
    """Which values differ from the one before them, by Kleene's equality; the first is left out."""
    kind = column.type
    if pa.types.is_nested(kind) or pa.types.is_null(kind):
        keys = [sort_key(value) for value in column.to_pylist()]
        return np.array([one != other for one, other in pairwise(keys)], bool)
    after, before = column.slice(1), column.slice(0, max(len(column) - 1, 0))
    differ = pc.fill_null(pc.not_equal(after, before), True)  # noqa: FBT003 - null is a boundary
    if pa.types.is_floating(kind):
        differ = pc.and_(differ, pc.invert(_both_nan(after, before)))
    flags: _Flags = differ.to_numpy(zero_copy_only=False)
    return flags


def _both_nan(one: pa.Array, other: pa.Array) -> pa.Array:
    return pc.fill_null(pc.and_(pc.is_nan(one), pc.is_nan(other)), False)  # noqa: FBT003


def bounded(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """The rows in batches that neither side of the pipe has trouble with."""
    wide = -(-batch.nbytes // max(batch.num_rows, 1)) or 1
    rows = max(min(_OUT_ROWS, _OUT_BYTES // wide), 1)
    for start in range(0, batch.num_rows, rows):
        yield batch.slice(start, rows)
