"""Values of events where matches bind them, as Arrow arrays."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from kleene.runtime.arrange import Arranged
from kleene.runtime.bindings import Bound, Level, Positions
from kleene.runtime.rows import Rows

Path = tuple[str, ...]
"""Of an attribute; without names it is the event itself."""


class Values:
    """The values of events by their positions.

    A column is read where it lies, until more was read of it than there are events: then it is laid
    in their order, which makes reading faster.
    """

    def __init__(self, arranged: Arranged) -> None:
        self.arranged = arranged
        self._read: dict[str, int] = {}
        self._sorted: dict[Path, pa.Array] = {}

    def at(self, positions: Positions, path: Path) -> pa.Array:
        """The values at the end of a path; null where the position is -1 or the event has none."""
        if self._is_sorted(len(positions), path):
            return self._laid(path).take(indices(positions))
        absent = positions < 0
        rows = np.where(absent, 0, self.arranged.rows[positions]) if len(positions) else positions
        names = path[:1] or self.arranged.source.column_names
        taken = self.arranged.source.select(names).take(pa.array(rows, mask=absent))
        if path:
            return Rows(taken, {}).attribute(path)
        return _structs(taken, absent)

    def gathered(self, bound: Bound, path: Path = ()) -> pa.Array:
        """For each match the value of its event, or an array of those of its events."""
        found = self.at(bound.positions, path)
        for level in reversed(bound.levels):
            found = _lists(found, level)
        return found

    def _is_sorted(self, more: int, path: Path) -> bool:
        name = path[0] if path else ""
        self._read[name] = self._read.get(name, 0) + more
        return self._read[name] > len(self.arranged.rows)

    def _laid(self, path: Path) -> pa.Array:
        if path not in self._sorted:
            rows = pa.array(self.arranged.rows)
            names = path[:1] or self.arranged.source.column_names
            table = self.arranged.source.select(names).take(rows)
            none = np.zeros(len(rows), np.bool_)
            self._sorted[path] = Rows(table, {}).attribute(path) if path else _structs(table, none)
        return self._sorted[path]


def _structs(table: pa.Table, absent: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> pa.Array:
    """The rows of a table as values."""
    columns = [column.combine_chunks() for column in table.columns]
    fields = [field.with_nullable(nullable=True) for field in table.schema]
    mask = pa.array(absent) if absent.any() else None
    return pa.StructArray.from_arrays(columns, fields=fields, mask=mask)


def _lists(items: pa.Array, level: Level) -> pa.Array:
    """Items as the arrays of a level."""
    missing = pa.array(level.missing) if level.missing.any() else None
    offsets = pa.array(level.offsets.astype(np.int32))
    return pa.ListArray.from_arrays(offsets, items, mask=missing)


def indices(positions: Positions) -> pa.Array:
    """Positions to take; -1 is null."""
    absent = positions < 0
    return pa.array(positions, mask=absent) if absent.any() else pa.array(positions)
