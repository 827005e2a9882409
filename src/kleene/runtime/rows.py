"""Expressions on one row, for all rows of a table.

Simple ones by Arrow (`vectors`); the others row by row, by the rules of `logical.values`, or, if
they read one attribute, once for each of its values.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kleene.language.expressions import Attribute, Expression
from kleene.language.kinds import Kind, kind_of, plain
from kleene.language.traversal import walk
from kleene.language.types import type_of
from kleene.logical.arithmetic import in_64_bits
from kleene.logical.moments import MICROSECOND
from kleene.logical.values import evaluate
from kleene.runtime import vectors

Int64 = npt.NDArray[np.int64]
_DISTINCT = frozenset(
    {Kind.STRING, Kind.BINARY, Kind.INTEGER, Kind.DECIMAL, Kind.DATE, Kind.TIMESTAMP}
)


class Rows:
    """The rows of a table, whose attributes are decoded once."""

    def __init__(
        self, table: pa.Table, given: Mapping[Expression, pa.Array], rows: Int64 | None = None
    ) -> None:
        """All rows of the table, or some in ascending order: only what is read is taken of them."""
        self._table = table
        self._given = given
        self._rows = rows
        self._attributes: dict[tuple[str, ...], pa.Array] = {}

    def __len__(self) -> int:
        return int(self._table.num_rows if self._rows is None else len(self._rows))

    def array(self, node: Expression) -> pa.Array:
        """The values of an expression."""
        if node in self._given:
            return decoded(self._given[node])
        if isinstance(node, Attribute) and node.path:
            return self.attribute(node.path)
        try:
            found = vectors.vector(node, self)
        except (
            OverflowError,
            pa.ArrowInvalid,
            pa.ArrowNotImplementedError,
        ):  # a part has values that its type has not
            found = None
        return self._evaluated(node) if found is None else found

    def attribute(self, path: tuple[str, ...]) -> pa.Array:
        """The values at the end of a path; null where anything on the way is."""
        if path not in self._attributes:
            if len(path) == 1:
                found = self.pieces(path[0])
            else:
                found = _field(self.attribute(path[:-1]), path[-1])
            self._attributes[path] = decoded(found)
        return self._attributes[path]

    def pieces(self, name: str) -> pa.ChunkedArray:
        """A column as it lies in pieces, in whatever encoding."""
        found = self._table.column(name)
        return found if self._rows is None else _taken(found, self._rows)

    def _evaluated(self, node: Expression) -> pa.Array:
        type_ = type_of(node)
        paths = list(dict.fromkeys(a.path for a in walk(node) if isinstance(a, Attribute)))
        if len(paths) == 1 and paths[0]:
            values = self.attribute(paths[0])
            if _may_repeat(values.type):
                distinct = values.dictionary_encode("encode")
                known = _values(node, paths, [distinct.dictionary], len(distinct.dictionary))
                return stored(known, type_).take(distinct.indices)
        columns = [self.attribute(path) for path in paths if path]
        return stored(_values(node, [path for path in paths if path], columns, len(self)), type_)


def _taken(column: pa.ChunkedArray, rows: Int64) -> pa.ChunkedArray:
    """The values in ascending rows, piece by piece: Arrow puts all pieces together first."""
    if len(rows) == len(column):
        return column
    start = int(rows[0]) if len(rows) else 0
    if len(rows) and int(rows[-1]) - start + 1 == len(rows):
        return column.slice(start, len(rows))
    ends = np.cumsum([0, *map(len, column.chunks)])
    cuts = np.searchsorted(rows, ends)
    if pa.types.is_run_end_encoded(column.type):  # Arrow takes no values of these
        column = pa.chunked_array([pc.run_end_decode(chunk) for chunk in column.chunks])
    pieces = [
        chunk.take(pa.array(rows[low:high] - end))
        for chunk, end, low, high in zip(column.chunks, ends, cuts, cuts[1:], strict=False)
        if low < high
    ]
    return pa.chunked_array(pieces, column.type)


def _values(
    node: Expression, paths: list[tuple[str, ...]], columns: list[pa.Array], count: int
) -> list[object]:
    """The value of an expression in each of so many rows; a whole event is no null."""
    read = dict(zip(paths, (column.to_pylist() for column in columns), strict=True))

    def aggregate(found: object) -> object:
        raise AssertionError(found)

    def value(place: int) -> object:
        def attribute(found: Attribute) -> object:
            return read[found.path][place] if found.path else {}

        return evaluate(node, attribute, aggregate)

    return [value(place) for place in range(count)]


def stored(values: list[object], type_: pa.DataType | None) -> pa.Array:
    """The values as an array; Arrow itself does not make the longest of durations."""
    if kind_of(type_) is Kind.DURATION:
        return pa.array([_microseconds(value) for value in values], pa.int64()).cast(type_)
    return pa.array(values, type_)


def _microseconds(length: object) -> int | None:
    """A duration counted, or null where 64 bits do not count it."""
    return in_64_bits(length // MICROSECOND) if isinstance(length, dt.timedelta) else None


def _may_repeat(type_: pa.DataType) -> bool:
    """Whether equal values are the same, as 0.0 and -0.0 are not, and Arrow can find them."""
    return kind_of(type_) in _DISTINCT


def _field(array: pa.Array, name: str) -> pa.Array:
    place = next(i for i, field in enumerate(array.type) if field.name == name)
    return pc.struct_field(array, [place])


def decoded(array: pa.Array | pa.ChunkedArray) -> pa.Array:
    """The values in one piece, whatever way a column encodes them."""
    whole = array
    if isinstance(array, pa.ChunkedArray):  # one piece is taken as it is, for combining copies it
        whole = array.chunk(0) if array.num_chunks == 1 else array.combine_chunks()
    while True:
        if pa.types.is_run_end_encoded(whole.type):
            whole = pc.run_end_decode(whole)
        elif isinstance(whole.type, pa.BaseExtensionType):
            whole = whole.storage
        elif pa.types.is_dictionary(whole.type):
            whole = whole.cast(plain(whole.type))
        else:
            return whole
