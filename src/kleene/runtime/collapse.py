"""output="collapsed": matches grouped by their single events, without keeping the matches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kleene.logical.output import COUNT_TYPE, visible
from kleene.runtime.bindings import WORD, Bound, Level, Matches, Positions, owners
from kleene.runtime.keys import as_strings, as_words
from kleene.runtime.limits import Watch
from kleene.runtime.matches import BATCH_ROWS, Assembler
from kleene.runtime.typed import typed

ENOUGH = 1 << 18
"""Words of matches that are waited for before they are put into groups."""

_RESERVE = 4
"""Groups are held twice while others join them, and once more as what is sorted."""


@dataclass(frozen=True)
class Groups:
    """Groups of matches: their key, how many there are, and the events of each Kleene variable.

    A key is the partition and the events of the single variables, as bytes. An event of a group is
    one number: that of the group times the number of all events, plus its position.
    """

    keys: pa.Array
    counts: Positions
    events: dict[str, Positions]
    rows: int
    """The number of all events."""

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        sets = sum(found.nbytes for found in self.events.values())
        return int(self.keys.nbytes + self.counts.nbytes + sets)

    def joined(self, keys: pa.Array, matches: dict[str, Bound]) -> Groups:
        """The groups with more matches, of which each has a key."""
        found = pc.dictionary_encode(pa.concat_arrays([self.keys, keys]))
        group = found.indices.to_numpy()[len(self.keys) :].astype(np.int64)
        counts = np.bincount(group, minlength=len(found.dictionary))
        counts[: len(self.counts)] += self.counts
        events = {}
        for name, known in self.events.items():
            flat = matches[name].flat()
            own = group[owners(flat.levels[0].offsets)] * self.rows + flat.positions
            events[name] = np.unique(np.concatenate([known, own]))
        return Groups(found.dictionary, counts, events, self.rows)

    def slice(self, start: int, stop: int) -> Groups:
        """The groups from one up to another."""
        events = {}
        for name, found in self.events.items():
            low, high = np.searchsorted(found, [start * self.rows, stop * self.rows])
            events[name] = found[low:high] - start * self.rows
        keys = pa.concat_arrays([self.keys.slice(start, stop - start)])
        return replace(self, keys=keys, counts=self.counts[start:stop], events=events)

    def words(self) -> Positions:
        """The keys as a table: partition, then the single variables."""
        words, _ = as_words(self.keys)
        return words.reshape(len(self.keys), -1)


def collapsed(
    found: Iterator[Matches], assembler: Assembler, watch: Watch
) -> Iterator[pa.RecordBatch]:
    """A row for each group; groups of partitions that are done come as soon as that is known."""
    variables = visible(assembler.query)
    singles = [variable.name for variable in variables if not variable.loops]
    arrays = [variable.name for variable in variables if variable.loops]
    none = np.zeros(0, np.int64)
    rows = len(assembler.arranged.rows)
    empty = Groups(pa.array([], pa.large_binary()), none, dict.fromkeys(arrays, none), rows)
    groups = empty
    held: list[Matches] = []
    for matches in found:
        held.append(matches)
        size = sum(part.nbytes for part in held)
        if size < max(WORD * ENOUGH, groups.nbytes):
            continue
        for part in held:
            groups = groups.joined(_keys(part, singles), part.bound)
        last, held = int(matches.partition[-1]), []
        done = int(np.searchsorted(groups.words()[:, 0], last))
        yield from _rows(groups.slice(0, done), singles, assembler)
        groups = groups.slice(done, len(groups.keys))
        watch.check_state(_RESERVE * groups.nbytes, last, "the groups of matches")
    for part in held:
        groups = groups.joined(_keys(part, singles), part.bound)
    yield from _rows(groups, singles, assembler)


def _keys(matches: Matches, singles: list[str]) -> pa.Array:
    columns = [matches.partition, *(matches.bound[name].positions for name in singles)]
    words = np.stack(columns, axis=1).reshape(-1)
    return as_strings(words, np.arange(len(matches) + 1) * len(columns))


def _rows(groups: Groups, singles: list[str], assembler: Assembler) -> Iterator[pa.RecordBatch]:
    """The rows of groups, in batches of bounded size."""
    events = len(groups.counts) + sum(map(len, groups.events.values()))
    step = max(BATCH_ROWS * len(groups.counts) // max(events, 1), 1)
    for start in range(0, len(groups.counts), step):
        yield _batch(groups.slice(start, min(start + step, len(groups.counts))), singles, assembler)


def _batch(groups: Groups, singles: list[str], assembler: Assembler) -> pa.RecordBatch:
    words, count = groups.words(), len(groups.counts)
    columns = []
    for variable in visible(assembler.query):
        if variable.loops:
            found = groups.events[variable.name]
            ends = np.searchsorted(found, np.arange(count + 1) * groups.rows)
            level = Level(ends, np.zeros(count, np.bool_))
            bound = Bound(found % max(groups.rows, 1), (level,))
        else:
            bound = Bound(np.ascontiguousarray(words[:, 1 + singles.index(variable.name)]))
        columns.append(assembler.values.gathered(bound))
    columns.append(pa.array(groups.counts).cast(COUNT_TYPE))
    return typed(columns, assembler.schema)
