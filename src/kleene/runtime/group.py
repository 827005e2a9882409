"""RETURN … GROUP BY by enumeration: matches become groups with parts of aggregates, and go."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from kleene.language.expressions import Attribute, Expression
from kleene.language.measures import COUNTED, MEASURE, GroupColumn, Grouping
from kleene.runtime.bindings import Bound, Matches
from kleene.runtime.gather import indices
from kleene.runtime.limits import Watch
from kleene.runtime.matches import BATCH_ROWS, Assembler
from kleene.runtime.partials import Grouped, finished, grouped, joined, merged, part_of, plain
from kleene.runtime.returns import Returns, picked
from kleene.runtime.segments import Segments
from kleene.runtime.typed import typed

_Argument = tuple[Expression, str | None]
"""Of an aggregate: an expression, and the array variable over whose events it goes, if any."""


@dataclass(frozen=True)
class Groups:
    """The groups of the matches of a query."""

    grouping: Grouping
    assembler: Assembler
    watch: Watch

    def partials(self, found: Iterator[Matches]) -> Iterator[pa.Table]:
        """A table of groups, in which no more is held than that, however many matches there are."""
        return self.added(self._told(found))

    def added(self, found: Iterator[tuple[int, pa.Table]]) -> Iterator[pa.Table]:
        """The same of tables of groups, each with the last partition that it tells of."""
        last = 0

        def told() -> Iterator[pa.Table]:
            nonlocal last
            for last, table in found:  # noqa: B007 - a check that fails names it
                yield table

        def check(kept: int) -> None:
            self.watch.check_state(kept, last, "the groups of matches")

        yield joined(told(), self.schema, self.grouping, check)

    def _told(self, found: Iterator[Matches]) -> Iterator[tuple[int, pa.Table]]:
        for matches in found:
            yield int(matches.partition[-1]), self._of(matches)

    def rows(self, partials: Iterator[pa.Table]) -> Iterator[pa.RecordBatch]:
        """The rows that come back."""
        groups = merged(list(partials), self.grouping)
        for start in range(0, groups.num_rows, BATCH_ROWS):
            piece = groups.slice(start, BATCH_ROWS)
            for place, key in enumerate(self.grouping.keys):
                if key.is_event:
                    positions = piece.column(place).fill_null(-1).to_numpy()
                    events = self.assembler.values.gathered(Bound(positions)).cast(key.type)
                    piece = piece.set_column(place, key.name, events)
            yield finished(piece, self.grouping, self.assembler.schema)

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns of tables of groups."""
        keys = [pa.field(k.name, pa.int64() if k.is_event else k.type) for k in self.grouping.keys]
        parts = enumerate(self.grouping.parts)
        return pa.schema([*keys, *(pa.field(MEASURE.format(n), part.type) for n, part in parts)])

    def _of(self, matches: Matches) -> pa.Table:
        """The groups of some matches."""
        keys = [self.key(key, matches) for key in self.grouping.keys]
        groups = grouped(keys, len(matches))
        columns = [key.take(pa.array(groups.firsts)) for key in keys]
        columns += self._parts(matches, groups)
        return pa.Table.from_batches([typed(columns, self.schema)])

    def key(self, key: GroupColumn, matches: Matches) -> pa.Array:
        """The key of each match."""
        if key.is_event and isinstance(key.expression, Attribute):
            return indices(picked(key.expression, matches.bound).positions)
        (values,) = self._columns[key.name].columns(matches)
        return plain(values)

    def _parts(self, matches: Matches, groups: Grouped) -> Iterator[pa.Array]:
        known: dict[_Argument, Segments] = {}
        for part in self.grouping.parts:
            if part.argument is None:
                yield pa.array(np.bincount(groups.ids, minlength=groups.count)).cast(COUNTED)
                continue
            argument = part.argument, part.each
            if argument not in known:
                known[argument] = self._values_of(argument, matches, groups)
            yield part_of(part, known[argument])

    def _values_of(self, argument: _Argument, matches: Matches, groups: Grouped) -> Segments:
        """The values of an argument, in arrays, one for each group."""
        _, each = argument
        if each is None:
            (values,) = self._arguments[argument].columns(matches)
            return groups.segments(values)
        (values,), own = self._arguments[argument].of_events(matches, each)
        return groups.segments(values, own)

    @cached_property
    def _columns(self) -> dict[str, Returns]:
        return {key.name: self._returns(key.expression) for key in self.grouping.keys}

    @cached_property
    def _arguments(self) -> dict[_Argument, Returns]:
        found = ((part.argument, part.each) for part in self.grouping.parts)
        return {(node, each): self._returns(node) for node, each in found if node is not None}

    def _returns(self, expression: Expression) -> Returns:
        return Returns([expression], self.assembler.query, self.assembler.values)
