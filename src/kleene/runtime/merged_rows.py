"""What kernels of merged runs tell, as rows of collapsed output and as groups of matches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import pyarrow as pa

from kleene.language.kinds import Kind, kind_of
from kleene.language.measures import Measure
from kleene.logical.groups import in_digits, length_of
from kleene.logical.output import visible
from kleene.program.columns import row_expression
from kleene.program.merging.payload import Part
from kleene.program.merging.plan import MergedKernel
from kleene.runtime.bindings import Bound, Level, Matches, Positions, offsets_of
from kleene.runtime.count import decimals
from kleene.runtime.gather import indices
from kleene.runtime.group import Groups
from kleene.runtime.limits import Watch
from kleene.runtime.matches import BATCH_ROWS, Assembler
from kleene.runtime.merged import Rows, numbers, sums
from kleene.runtime.rows import Rows as Events
from kleene.runtime.typed import typed


def group_tables(
    found: Iterator[Rows], kernel: MergedKernel, groups: Groups
) -> Iterator[tuple[int, pa.Table]]:
    """Tables of groups: keys, then parts of aggregates."""
    for rows in found:
        matches = _matches(rows, kernel, groups.assembler)
        columns = [groups.key(key, matches) for key in groups.grouping.keys]
        parts = {part.measure: part for part in kernel.payload.parts}
        columns += [
            _values(parts[measure], rows, groups.assembler) for measure in groups.grouping.parts
        ]
        table = pa.Table.from_batches([typed(columns, groups.schema)])
        yield int(rows.partitions[-1]), table


def _matches(rows: Rows, kernel: MergedKernel, assembler: Assembler) -> Matches:
    """The keys of groups as matches that bind no more than these."""
    shown = [slot for slot in kernel.paths.layout.slots.values() if slot.negation is None]
    words = np.full((len(rows.partitions), len(shown)), -1, np.int64)
    for number, name in enumerate(kernel.telling.keys):
        words[:, [slot.name for slot in shown].index(name)] = rows.keys[:, number]
    offsets = np.arange(len(words) + 1) * len(shown)
    part = assembler.arranged.part
    return Matches(tuple(shown), words.reshape(-1), offsets, part, rows.partitions)


def _values(part: Part, rows: Rows, assembler: Assembler) -> pa.Array:
    words = rows.payloads[:, part.start : part.start + part.width]
    match part.measure.name:
        case "count":
            return decimals(numbers(words))
        case "sum":
            return _sums(part.measure, words)
        case _:
            return _at(part.measure, words[:, 0], assembler)


def _at(measure: Measure, positions: Positions, assembler: Assembler) -> pa.Array:
    """The values of single events."""
    assert measure.argument is not None, "an extreme is that of something"
    absent = positions < 0
    events = assembler.arranged.rows[np.where(absent, 0, positions)]
    table = assembler.arranged.source.take(pa.array(events))
    values = Events(table, {}).array(row_expression(measure.argument))
    return values.take(indices(np.where(absent, -1, np.arange(len(positions))))).cast(measure.type)


def _sums(measure: Measure, words: Positions) -> pa.Array:
    """Sums; null where there was nothing to add."""
    totals = zip(sums(words[:, :-1]), words[:, -1].tolist(), strict=True)
    if kind_of(measure.of) is Kind.DURATION:
        lengths = [length_of(total) if some else None for total, some in totals]
        return pa.array(lengths, measure.type)
    return pa.array([in_digits(Decimal(t)) if some else None for t, some in totals], measure.type)


@dataclass(frozen=True)
class _Groups:
    """Groups of matches: keys with the partition, numbers of matches, events of each array."""

    keys: Positions
    numbers: list[int]
    arrays: tuple[Bound, ...]


def collapsed_rows(
    found: Iterator[Rows], kernel: MergedKernel, assembler: Assembler, watch: Watch
) -> Iterator[pa.RecordBatch]:
    """A row for each group of matches that agree in their single events."""
    for groups in _joined(found, kernel, watch) if _spans(kernel) else map(_of, found):
        events = sum(len(bound.positions) for bound in groups.arrays)
        step = max(BATCH_ROWS * len(groups.numbers) // max(events, 1), 1)
        for start in range(0, len(groups.numbers), step):
            chosen = np.arange(start, min(start + step, len(groups.numbers)))
            yield _batch(groups, chosen, kernel, assembler)


def _of(rows: Rows) -> _Groups:
    keys = np.column_stack([rows.partitions, rows.keys])
    return _Groups(keys, numbers(rows.payloads), rows.arrays)


def _spans(kernel: MergedKernel) -> bool:
    """Whether several passes may tell of one group: where an element may come first."""
    firsts = (kernel.paths.leaves[step.leaf].variable for step in kernel.paths.steps[0])
    passes = kernel.query.resolved.window is not None or kernel.reach is not None
    return passes and any(name not in kernel.telling.keys for name in firsts)


def _joined(found: Iterator[Rows], kernel: MergedKernel, watch: Watch) -> Iterator[_Groups]:
    """The groups of each partition, once all passes over it are done."""
    known: dict[tuple[int, ...], tuple[int, tuple[Positions, ...]]] = {}
    for rows in found:
        groups = _of(rows)
        ends = [bound.levels[0].offsets.tolist() for bound in groups.arrays]
        for number, key in enumerate(map(tuple, groups.keys.tolist())):
            arrays = tuple(
                bound.positions[end[number] : end[number + 1]]
                for bound, end in zip(groups.arrays, ends, strict=True)
            )
            before = known.pop(key, None)
            if before is None:
                known[key] = groups.numbers[number], arrays
            else:
                both = zip(before[1], arrays, strict=True)
                known[key] = (
                    before[0] + groups.numbers[number],
                    tuple(np.union1d(one, other) for one, other in both),
                )
        last = int(rows.partitions[-1])
        done = {key: value for key, value in known.items() if key[0] < last}
        if done:
            yield _collected(done, kernel)
            known = {key: value for key, value in known.items() if key[0] >= last}
        size = sum(_KEPT + sum(array.nbytes for array in each) for _, each in known.values())
        watch.check_state(size, last, "the groups of matches")
    if known:
        yield _collected(known, kernel)


_KEPT = 300
"""Bytes of a group beside its events, about."""


def _collected(
    known: dict[tuple[int, ...], tuple[int, tuple[Positions, ...]]], kernel: MergedKernel
) -> _Groups:
    arrays = []
    for number in range(len(kernel.telling.arrays or ())):
        each = [events[number] for _, events in known.values()]
        offsets = offsets_of(np.array([len(events) for events in each]))
        level = Level(offsets, np.zeros(len(each), np.bool_))
        arrays.append(Bound(np.concatenate(each), (level,)))
    counts = [count for count, _ in known.values()]
    return _Groups(np.array(list(known), np.int64), counts, tuple(arrays))


def _batch(
    groups: _Groups, chosen: Positions, kernel: MergedKernel, assembler: Assembler
) -> pa.RecordBatch:
    singles, arrays = kernel.telling.keys, kernel.telling.arrays or ()
    columns = []
    for variable in visible(assembler.query):
        if variable.loops:
            bound = groups.arrays[arrays.index(variable.name)].take(chosen)
        else:
            bound = Bound(
                np.ascontiguousarray(groups.keys[chosen, 1 + singles.index(variable.name)])
            )
        columns.append(assembler.values.gathered(bound))
    columns.append(decimals([groups.numbers[number] for number in chosen.tolist()]))
    return typed(columns, assembler.schema)
