"""The columns of a kernel, read from an Arrow table: arrays of numbers, and where they are null."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kleene.errors import InputError
from kleene.language.printer import print_expression
from kleene.program.columns import Columns, ColumnSpec
from kleene.program.kinds import ColumnKind
from kleene.runtime.codes import ranked
from kleene.runtime.numbers import floats, ints, nulls, scaled
from kleene.runtime.rows import Rows

_BEYOND = 2
"""In the mask of a SCALED column, what 64 bits do not hold."""
_MOST_DIGITS = 76
Numbers = npt.NDArray[np.int64] | npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a kernel reads: `c` and `m` by the number of the column, and `lit`.

    All arrays are contiguous and read-only, so that one compiled kernel fits all of them: `int64`
    or `float64`, masks `uint8`.
    """

    values: list[Numbers]
    masks: list[npt.NDArray[np.uint8]]
    literals: npt.NDArray[np.int64]

    def lists(self) -> tuple[list[list[int] | list[float]], list[list[int]], list[int]]:
        """The same as lists of Python's own numbers, for a kernel that is not compiled.

        Those are faster to read one by one; and NumPy's would warn of infinite results.
        """
        values = [column.tolist() for column in self.values]
        return values, [mask.tolist() for mask in self.masks], self.literals.tolist()

    def mapped(self, change: Callable[[Any], Any]) -> Loaded:
        """The same with every column changed; those that were not loaded stay empty."""
        values = [change(column) if len(column) else column for column in self.values]
        masks = [change(mask) if len(mask) else mask for mask in self.masks]
        return Loaded(values, masks, self.literals)


def load(rows: Rows, columns: Columns, wanted: Container[str] | None = None) -> Loaded:
    """The columns of a query from its events; those whose names are not wanted stay empty."""
    arrays: dict[int, pa.Array] = {}
    for number, spec in enumerate(columns.specs):
        if wanted is None or f"c{number}" in wanted or f"m{number}" in wanted:
            arrays[number] = _checked(rows.array(spec.expression), spec)
    coded = [number for number in arrays if columns.specs[number].kind is ColumnKind.CODE]
    groups = [columns.specs[number].group for number in coded]
    found, literals = ranked([arrays[n] for n in coded], groups, columns.literals)
    codes = dict(zip(coded, found, strict=True))
    values: list[Numbers] = []
    masks: list[npt.NDArray[np.uint8]] = []
    for number, spec in enumerate(columns.specs):
        array = arrays.get(number, pa.nulls(0))
        mask = nulls(array if wanted is None or f"m{number}" in wanted else pa.nulls(0))
        match spec.kind:
            case ColumnKind.SCALED:
                units, beyond = scaled(_at_scale(array, spec.scale))
                values.append(units)
                mask = mask | (beyond * _BEYOND).astype(np.uint8) if len(mask) else mask
            case ColumnKind.INT:
                values.append(ints(array))
            case ColumnKind.FLOAT:
                values.append(floats(array))
            case ColumnKind.CODE:
                values.append(codes.get(number, np.zeros(0, np.int64)))
        masks.append(mask)
    for column in (*values, *masks, literals):
        column.setflags(write=False)
    return Loaded(values, masks, literals)


def _at_scale(array: pa.Array, scale: int) -> pa.Array:
    """Decimals of a scale; computed ones may have come with another."""
    same = pa.types.is_decimal(array.type) and array.type.scale == scale
    return array if same else array.cast(pa.decimal256(_MOST_DIGITS, scale))


def _checked(array: pa.Array, spec: ColumnSpec) -> pa.Array:
    """The column, which has no nulls if the schema promises that."""
    if not spec.nullable and array.null_count:
        text = print_expression(spec.expression)
        raise InputError(f"{text} has a null where the schema of the events says there is none")
    return array
