"""Matches as Arrow columns, built from what a kernel writes without an object for each match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kleene.language.expressions import Attribute
from kleene.logical.algebra import LogicalQuery
from kleene.logical.output import OutputForm, visible
from kleene.program.kernel import Kernel
from kleene.runtime.arrange import Arranged

Positions = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Bound:
    """What the matches of a batch bind to one variable: positions, and offsets if it is an array.

    Position -1 is null; `missing` marks arrays that are null.
    """

    positions: Positions
    offsets: Positions | None = None
    missing: npt.NDArray[np.bool_] | None = None


def is_direct(query: LogicalQuery, kernel: Kernel, form: OutputForm) -> bool:
    """Whether matches can go to columns as the kernel writes them.

    That is so where nothing chooses among them any more, and RETURN, if any, only picks attributes.
    """
    picks = all(
        isinstance(output.expression, Attribute) and not output.expression.indices
        for output in query.resolved.returns
    )
    clause = query.resolved.after_match
    return (
        form is OutputForm.MATCHES
        and picks
        and (clause is None or clause.mode == "NO SKIP")
        and not any(query.variables[slot.name].hidden for slot in kernel.shown)
        and all(slot.dimensions <= 1 for slot in kernel.shown)
    )


def unpack(kernel: Kernel, written: Positions) -> dict[str, Bound]:
    """The batch by variables."""
    slots = kernel.shown
    if not any(slot.dimensions for slot in slots):
        table = written.reshape(-1, len(slots))
        return {slot.name: Bound(np.ascontiguousarray(table[:, n])) for n, slot in enumerate(slots)}
    starts = _starts(written, [bool(slot.dimensions) for slot in slots])
    return {
        slot.name: _array(written, starts[:, n])
        if slot.dimensions
        else Bound(written[starts[:, n]])
        for n, slot in enumerate(slots)
    }


def _starts(written: Positions, arrays: list[bool]) -> Positions:
    """Where each variable of each match begins."""
    found: list[int] = []
    words = written.tolist()
    at = 0
    while at < len(words):
        for array in arrays:
            found.append(at)
            at += 1 + (max(words[at], 0) if array else 0)
    return np.array(found, np.int64).reshape(-1, len(arrays))


def _array(written: Positions, starts: Positions) -> Bound:
    """The arrays of one variable: counts behind which the elements stand."""
    counts = written[starts]
    missing = counts < 0
    lengths = np.maximum(counts, 0)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    inside = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
    positions = written[np.repeat(starts + 1, lengths) + inside]
    return Bound(positions, offsets, missing)


@dataclass(frozen=True)
class Assembler:
    """Turns batches of a kernel into record batches of the output."""

    query: LogicalQuery
    kernel: Kernel
    arranged: Arranged
    schema: pa.Schema
    events: pa.StructArray

    def batch(self, written: Positions) -> pa.RecordBatch:
        """The rows of a batch."""
        bound = unpack(self.kernel, written)
        if self.query.resolved.returns:
            columns = [
                self._returned(output.expression, bound) for output in self.query.resolved.returns
            ]
        else:
            columns = [self._events(bound[variable.name]) for variable in visible(self.query)]
            columns += self._bounds(bound)
        cast = [c.cast(f.type) for c, f in zip(columns, self.schema, strict=True)]
        return pa.RecordBatch.from_arrays(cast, schema=self.schema)

    def _returned(self, expression: Any, bound: dict[str, Bound]) -> pa.Array:
        column = self.arranged.table.column(expression.path[0]) if expression.path else None
        values = self.events if column is None else column.combine_chunks()
        for name in expression.path[1:]:
            values = pc.struct_field(values, name)
        return values.take(_indices(bound[expression.variable].positions))

    def _events(self, bound: Bound) -> pa.Array:
        items = self.events.take(_indices(bound.positions))
        if bound.offsets is None:
            return items
        missing = pa.array(bound.missing) if bound.missing is not None else None
        offsets = pa.array(bound.offsets.astype(np.int32))
        return pa.ListArray.from_arrays(offsets, items, mask=missing)

    def _bounds(self, bound: dict[str, Bound]) -> list[pa.Array]:
        """The times of the first and of the last event of each match."""
        first, last = _extremes(list(bound.values()))
        times = self.arranged.table.column(self.query.resolved.shape.time[0]).combine_chunks()
        return [times.take(pa.array(first)), times.take(pa.array(last))]


def _indices(positions: Positions) -> pa.Array:
    absent = positions < 0
    return pa.array(positions, mask=absent) if absent.any() else pa.array(positions)


def _extremes(bound: list[Bound]) -> tuple[Positions, Positions]:
    """The least and the greatest position of each match, over all its variables."""
    far = np.iinfo(np.int64).max
    first: Positions | None = None
    last: Positions | None = None
    for one in bound:
        low = np.where(one.positions < 0, far, one.positions)
        high = one.positions
        if one.offsets is not None:
            low = _reduce(np.minimum, low, one.offsets, far)
            high = _reduce(np.maximum, high, one.offsets, -1)
        first = low if first is None else np.minimum(first, low)
        last = high if last is None else np.maximum(last, high)
    assert first is not None
    assert last is not None
    return first, last


def _reduce(how: np.ufunc, values: Positions, offsets: Positions, nothing: int) -> Positions:
    """The extreme of each array; `nothing` for empty ones."""
    lengths = np.diff(offsets)
    found = np.full(len(lengths), nothing, np.int64)
    filled = lengths > 0
    if filled.any():
        found[filled] = how.reduceat(values, offsets[:-1][filled])
    return found


def assembler(
    query: LogicalQuery, kernel: Kernel, arranged: Arranged, schema: pa.Schema
) -> Assembler:
    """An assembler for the events of a table."""
    table = arranged.table
    columns = [column.combine_chunks() for column in table.columns]
    events = pa.StructArray.from_arrays(columns, fields=list(table.schema))
    return Assembler(query, kernel, arranged, schema, events)
