"""All columns of a kernel, read from a table."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import pyarrow as pa

from kleene.language.expressions import Expression
from kleene.program.columns import Columns
from kleene.runtime import columns as runtime
from kleene.runtime.columns import Loaded
from kleene.runtime.rows import Rows

_NONE: Mapping[Expression, pa.Array] = MappingProxyType({})


def load(table: pa.Table, columns: Columns, given: Mapping[Expression, pa.Array] = _NONE) -> Loaded:
    """What a kernel would read if it read all its columns; some values may be given."""
    names = {f"{letter}{number}" for number in range(len(columns.specs)) for letter in "cm"}
    (found,) = runtime.load(Rows(table, given), [runtime.Asked(columns, names)])
    return found
