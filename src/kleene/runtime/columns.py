"""The columns of a kernel, read from an Arrow table: arrays of numbers, and where they are null."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kleene.errors import InputError
from kleene.language.expressions import Expression
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
Mask = npt.NDArray[np.uint8]


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


NOTHING = Loaded([], [], np.zeros(0, np.int64))
"""What is read of no columns."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The columns of a kernel, and which of them it reads, by name; the others stay empty."""

    columns: Columns
    wanted: Container[str]

    def reads(self, number: int) -> bool:
        """Whether it reads the values of a column, or where it is null."""
        return f"c{number}" in self.wanted or self.reads_nulls(number)

    def reads_nulls(self, number: int) -> bool:
        """Whether it reads where a column is null."""
        return f"m{number}" in self.wanted


Lay = Callable[[Any], Any]
"""Brings values of rows into the order of a kernel's events."""


def load(rows: Rows, asked: Sequence[Asked], lay: Lay = np.ascontiguousarray) -> list[Loaded]:
    """The columns of some kernels from the same events; what two of them read is there once.

    Strings of all kernels are ranked together: more values in a list leave their order as it is.
    """
    shelf = _Shelf(rows, lay)
    specs = [(spec, one.reads(n)) for one in asked for n, spec in enumerate(one.columns.specs)]
    coded = list(dict.fromkeys(s for s, read in specs if read and s.kind is ColumnKind.CODE))
    literals = [literal for one in asked for literal in one.columns.literals]
    arrays = [shelf.array(spec) for spec in coded]
    found, constants = ranked(arrays, [spec.group for spec in coded], literals)
    shelf.codes = dict(zip(coded, found, strict=True))
    ends = np.cumsum([0, *(len(one.columns.literals) for one in asked)])
    return [
        shelf.loaded(one, constants[start:end])
        for one, (start, end) in zip(asked, pairwise(ends), strict=True)
    ]


class _Shelf:
    """Columns that were read, so that none is read twice."""

    def __init__(self, rows: Rows, lay: Lay) -> None:
        self._rows, self._lay = rows, lay
        self._arrays: dict[Expression, pa.Array] = {}
        self._laid: dict[ColumnSpec, tuple[Numbers, Mask]] = {}
        self.codes: dict[ColumnSpec, Numbers] = {}
        """Those of CODE columns, which are ranked together."""

    def array(self, spec: ColumnSpec) -> pa.Array:
        """The values of a column."""
        if spec.expression not in self._arrays:
            self._arrays[spec.expression] = self._rows.array(spec.expression)
        return _checked(self._arrays[spec.expression], spec)

    def loaded(self, asked: Asked, literals: npt.NDArray[np.int64]) -> Loaded:
        """What a kernel reads."""
        values, masks = [], []
        for number, spec in enumerate(asked.columns.specs):
            column, mask = self._column(spec) if asked.reads(number) else _nothing(spec)
            values.append(column)
            masks.append(mask if asked.reads_nulls(number) else _NO_MASK)
        return Loaded(values, masks, _frozen(np.ascontiguousarray(literals)))

    def _column(self, spec: ColumnSpec) -> tuple[Numbers, Mask]:
        if spec not in self._laid:
            column, mask = self._read(spec)
            mask = self._lay(mask) if mask.any() else mask
            self._laid[spec] = _frozen(self._lay(column)), _frozen(mask)
        return self._laid[spec]

    def _read(self, spec: ColumnSpec) -> tuple[Numbers, Mask]:
        array = self.array(spec)
        mask = nulls(array)
        match spec.kind:
            case ColumnKind.SCALED:
                units, beyond = scaled(_at_scale(array, spec.scale))
                return units, mask | (beyond * _BEYOND).astype(np.uint8)
            case ColumnKind.INT:
                return ints(array), mask
            case ColumnKind.FLOAT:
                return floats(array), mask
            case ColumnKind.CODE:
                return self.codes[spec], mask


_NO_MASK = np.zeros(0, np.uint8)
_NO_MASK.setflags(write=False)


def _nothing(spec: ColumnSpec) -> tuple[Numbers, Mask]:
    """A column that is not read."""
    kind = np.float64 if spec.kind is ColumnKind.FLOAT else np.int64
    return _frozen(np.zeros(0, kind)), _NO_MASK


def _frozen(values: Any) -> Any:
    values.setflags(write=False)
    return values


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
