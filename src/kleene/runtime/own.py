"""What a query over slices of time finds, as the rows that the whole query would give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kleene.logical.algebra import LogicalQuery
from kleene.logical.output import OutputForm, visible
from kleene.runtime.slices import Slices, first_variable
from kleene.runtime.typed import typed


def own_rows(
    found: pa.RecordBatch,
    query: LogicalQuery,
    slices: Slices | None,
    form: OutputForm,
    schema: pa.Schema,
) -> pa.RecordBatch:
    """The rows of matches that begin in their slice, with the columns that users see.

    `slices` is how the query over slices was made, None where the query is the whole one.
    """
    if slices is not None and first_variable(query) is None:
        found = found.filter(_owned(found, query, slices))
    return _shaped(found, schema, form)


def _owned(found: pa.RecordBatch, query: LogicalQuery, slices: Slices) -> pa.Array:
    """Which matches begin in the slice in which they were found.

    The events of the variables shown are the first columns, or their sides the last.
    """
    number = len(visible(query))
    told = found.columns[-number:] if query.resolved.returns else found.columns[:number]
    sides = [_least(column, slices.side) for column in told]
    return pa.array(np.minimum.reduce(sides) == 0)


_NO_SIDE = 2


def _least(column: pa.Array, side: str) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The least side of each match; more than any where the variable binds nothing."""
    if pa.types.is_list(column.type):
        least = np.full(len(column), _NO_SIDE, np.int64)
        inner = _least(pc.list_flatten(column), side)
        np.minimum.at(least, pc.list_parent_indices(column).to_numpy(), inner)
        return least
    if pa.types.is_struct(column.type):
        column = pc.struct_field(column, side)
    filled: np.ndarray[Any, np.dtype[np.int64]] = column.fill_null(_NO_SIDE).to_numpy()
    return filled


def _shaped(found: pa.RecordBatch, schema: pa.Schema, form: OutputForm) -> pa.RecordBatch:
    """The columns that users see: what slices added is left out, also inside of events."""
    extra = found.num_columns - len(schema) if form is OutputForm.COUNT else 0
    columns = found.columns[extra : extra + len(schema)]
    return typed(columns, schema)
