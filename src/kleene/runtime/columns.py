"""The columns of a kernel, read from an Arrow table: arrays of numbers, and where they are null."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kleene.errors import InputError
from kleene.language.expressions import Expression
from kleene.language.printer import print_expression
from kleene.program.columns import Columns
from kleene.program.kinds import ColumnKind
from kleene.runtime.codes import ranked
from kleene.runtime.numbers import floats, ints, nulls
from kleene.runtime.rows import Rows

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


def load(
    table: pa.Table, columns: Columns, given: Mapping[Expression, pa.Array] | None = None
) -> Loaded:
    """The columns of a query from its events.

    `given` are the values of expressions on the row that were computed elsewhere: those with
    functions that only Spark can evaluate.
    """
    rows = Rows(table, {} if given is None else given)
    specs = columns.specs
    arrays = [rows.array(spec.expression) for spec in specs]
    coded = [number for number, spec in enumerate(specs) if spec.kind is ColumnKind.CODE]
    groups = [specs[number].group for number in coded]
    codes, literals = ranked([arrays[n] for n in coded], groups, columns.literals)
    values: list[Numbers] = []
    masks = []
    for number, (spec, array) in enumerate(zip(specs, arrays, strict=True)):
        match spec.kind:
            case ColumnKind.INT:
                values.append(ints(array))
            case ColumnKind.FLOAT:
                values.append(floats(array))
            case ColumnKind.CODE:
                values.append(codes[coded.index(number)])
        if not spec.nullable and array.null_count:
            text = print_expression(spec.expression)
            raise InputError(f"{text} has a null where the schema of the events says there is none")
        masks.append(nulls(array))
    for column in (*values, *masks, literals):
        column.setflags(write=False)
    return Loaded(values, masks, literals)
