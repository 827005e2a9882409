"""Columns as a batch of a schema."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa


def typed(columns: Sequence[pa.Array], schema: pa.Schema) -> pa.RecordBatch:
    """The columns in the types of the schema.

    Those that have their type are left alone: Arrow also looks into them, and gives up where what
    is inside of a struct has no type and begins further on.
    """
    pairs = zip(columns, schema, strict=True)
    same = [c if c.type == field.type else c.cast(field.type) for c, field in pairs]
    return pa.RecordBatch.from_arrays(same, schema=schema)
