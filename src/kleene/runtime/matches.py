"""Matches as record batches of the output, built without an object for each match."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from kleene.logical.algebra import LogicalQuery
from kleene.logical.output import visible
from kleene.runtime.arrange import Arranged
from kleene.runtime.bindings import Matches
from kleene.runtime.gather import Values
from kleene.runtime.returns import Returns
from kleene.runtime.typed import typed

BATCH_ROWS, BATCH_BYTES = 1 << 16, 1 << 23
"""What a batch has, at most; its bytes are estimated by those of an event."""


@dataclass(frozen=True)
class Assembler:
    """Turns matches into record batches of a schema."""

    query: LogicalQuery
    values: Values
    """The values of the events."""
    schema: pa.Schema

    @property
    def arranged(self) -> Arranged:
        """The events."""
        return self.values.arranged

    def batches(self, matches: Matches) -> Iterator[pa.RecordBatch]:
        """The rows of matches, in batches of bounded size."""
        for start, stop in self._pieces(matches):
            yield self._batch(
                matches.slice(start, stop) if stop - start < len(matches) else matches
            )

    def _pieces(self, matches: Matches) -> Iterator[tuple[int, int]]:
        """Where to cut, so that no batch is too large; one match is never cut."""
        table = self.arranged.source
        wide = 1 + table.nbytes // max(table.num_rows, 1)
        words = max(BATCH_BYTES // wide, 1)
        start = 0
        while start < len(matches):
            end = np.searchsorted(matches.offsets, matches.offsets[start] + words, side="right") - 1
            stop = min(max(int(end), start + 1), start + BATCH_ROWS, len(matches))
            yield start, stop
            start = stop

    def _batch(self, matches: Matches) -> pa.RecordBatch:
        if self.query.resolved.returns:
            columns = self._returns.columns(matches)
        else:
            names = [variable.name for variable in visible(self.query)]
            columns = [self.values.gathered(matches.bound[name]) for name in names]
            path = (self.query.resolved.shape.time[0],)
            columns += [self.values.at(places, path) for places in matches.extremes]
        return typed(columns, self.schema)

    @cached_property
    def _returns(self) -> Returns:
        expressions = [output.expression for output in self.query.resolved.returns]
        return Returns(expressions, self.query, self.values)
