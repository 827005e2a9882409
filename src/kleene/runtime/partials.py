"""Groups with what some of their matches tell: tables that add up, and the rows they end as.

Whatever finds groups makes such tables, with a row for each group: its keys, then the parts of
its aggregates (`Grouping.parts`). Any number of tables become one by `merged`, which may go on as
often as there is more, and here or elsewhere; `finished` makes the rows that come back.

In this process a key that is a whole event is its position, and becomes the event in the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kleene.language.kinds import Kind, kind_of
from kleene.language.measures import COUNTED, MEASURE, Grouping, Measure
from kleene.logical.groups import mean
from kleene.runtime.bindings import Positions, owners
from kleene.runtime.codes import ranks
from kleene.runtime.exact import exact_sums
from kleene.runtime.numbers import floats
from kleene.runtime.rows import Rows, decoded, stored
from kleene.runtime.segments import Segments, aggregated
from kleene.runtime.typed import typed

_HASHED = frozenset(Kind) - {Kind.LIST, Kind.MAP, Kind.STRUCT, Kind.OTHER, Kind.DECIMAL}
"""What Arrow tells apart as Kleene does, once there is one zero and one NaN."""
_EXACT_FLOATS = 2**53
ENOUGH = 1 << 16
"""Groups of single tables that are waited for before they join those that are known."""

_RESERVE = 4
"""Groups are held twice while others join them, and once more as what is sorted."""

MATCHES = "matches"
"""The column of the number of matches, which is the first part."""


@dataclass(frozen=True)
class Grouped:
    """Rows in groups: the number of the group of each, and the first row of each group."""

    ids: Positions
    firsts: Positions

    @property
    def count(self) -> int:
        """How many groups there are."""
        return len(self.firsts)

    def segments(self, values: pa.Array, rows: Positions | None = None) -> Segments:
        """Values in arrays, one for each group; `rows` says of which row each value is."""
        ids = self.ids if rows is None else self.ids[rows]
        order = np.argsort(ids, kind="stable")
        offsets = np.searchsorted(ids[order], np.arange(self.count + 1))
        return Segments(values.take(pa.array(order)), offsets)


def grouped(keys: Sequence[pa.Array], rows: int) -> Grouped:
    """Rows that agree in all keys; without keys they are one group, be there a row or not."""
    ids = np.zeros(rows, np.int64)
    if not keys:
        return Grouped(ids, np.zeros(1, np.int64))
    firsts = np.zeros(0, np.int64)
    for key in keys:
        codes = _codes(key)
        ids = ids * (int(codes.max(initial=-1)) + 2) + codes + 1
        _, firsts, ids = np.unique(ids, return_index=True, return_inverse=True)
    return Grouped(ids.astype(np.int64), firsts.astype(np.int64))


def _codes(key: pa.Array) -> Positions:
    """A number for each value, -1 for null; equal values have equal numbers."""
    if kind_of(key.type) not in _HASHED:
        return ranks(key)
    if kind_of(key.type) is Kind.NULL:
        return np.full(len(key), -1, np.int64)
    found = key.dictionary_encode().indices.fill_null(-1)
    return np.asarray(found.to_numpy(zero_copy_only=False), np.int64)


def plain(key: pa.Array) -> pa.Array:
    """Keys in one spelling: of the zeros that are equal the positive one, and one NaN."""
    kind = key.type
    if pa.types.is_floating(kind):
        numbers = floats(key)
        one = np.where(np.isnan(numbers), np.nan, numbers + 0.0)
        return pa.array(one, mask=key.is_null().to_numpy(zero_copy_only=False)).cast(kind)
    if pa.types.is_nested(kind):
        return stored([_plain_value(value) for value in key.to_pylist()], kind)
    return key


def _plain_value(value: object) -> object:
    match value:
        case float():
            return value + 0.0
        case list():
            return [_plain_value(item) for item in value]
        case dict():
            return {name: _plain_value(item) for name, item in value.items()}
        case _:
            return value


def part_of(part: Measure, segments: Segments) -> pa.Array:
    """A part of an aggregate, of the values of each group."""
    match part.name:
        case "count":
            return pa.array(segments.present().lengths).cast(COUNTED)
        case "sum" if kind_of(part.of) in {Kind.INTEGER, Kind.DECIMAL, Kind.DURATION}:
            return exact_sums(segments, part.type)
        case "sum":
            return _float_sums(segments)
        case _:
            return aggregated(part.name, segments, part.type, {}).cast(part.type)


def _float_sums(segments: Segments) -> pa.Array:
    present = segments.present()
    with np.errstate(all="ignore"):
        sums = np.bincount(owners(present.offsets), floats(present.values), len(present.lengths))
    return pa.array(sums, mask=present.lengths == 0)


def merged(tables: Sequence[pa.Table], grouping: Grouping) -> pa.Table:
    """One row a group: the tables tell of different matches."""
    table = pa.concat_tables(tables)
    keys = [decoded(table.column(key.name)) for key in grouping.keys]
    groups = grouped(keys, table.num_rows)
    columns = {
        key.name: values.take(pa.array(groups.firsts))
        for key, values in zip(grouping.keys, keys, strict=True)
    }
    for number, part in enumerate(grouping.parts):
        name = MEASURE.format(number)
        columns[name] = _joined(part, groups.segments(decoded(table.column(name))))
    return pa.table(columns, schema=table.schema)


def joined(
    tables: Iterable[pa.Table],
    schema: pa.Schema,
    grouping: Grouping,
    check: Callable[[int], None],
) -> pa.Table:
    """One row a group of however many tables: those that wait are no more than those known.

    `check` may refuse to hold so many bytes.
    """
    known, rows = schema.empty_table(), 0
    waiting: list[pa.Table] = []
    for table in tables:
        waiting.append(table)
        rows += table.num_rows
        if rows >= max(ENOUGH, known.num_rows):
            known, waiting, rows = merged([known, *waiting], grouping), [], 0
            check(_RESERVE * known.nbytes)
    found = merged([known, *waiting], grouping)
    check(_RESERVE * found.nbytes)
    return found


def _joined(part: Measure, segments: Segments) -> pa.Array:
    """A part of all matches from those of some."""
    if part.name == "count":
        zero = pa.scalar(0).cast(COUNTED)
        return exact_sums(segments, COUNTED).fill_null(zero)
    return part_of(part, segments)


def finished(groups: pa.Table, grouping: Grouping, schema: pa.Schema) -> pa.RecordBatch:
    """The rows of groups whose parts are complete, save those that HAVING leaves out."""
    places = {part: MEASURE.format(number) for number, part in enumerate(grouping.parts)}
    parts = {part: decoded(groups.column(name)) for part, name in places.items()}
    named = {MATCHES: parts[Measure("count", None)]}
    named |= {key.name: decoded(groups.column(key.name)) for key in grouping.keys}
    for number, measure in enumerate(grouping.measures):
        named[MEASURE.format(number)] = _measured(measure, parts)
    table = pa.table(named)
    for condition in grouping.having:
        kept = Rows(table, {}).array(condition).cast(pa.bool_())
        table = table.filter(kept.fill_null(False))  # noqa: FBT003 - a value
    rows = Rows(table, {})
    columns = [rows.array(column.expression) for column in grouping.outputs]
    return typed(columns, schema)


def _measured(measure: Measure, parts: dict[Measure, pa.Array]) -> pa.Array:
    if measure.name != "avg":
        return parts[measure]
    sums, counts = (parts[part] for part in measure.parts)
    if pa.types.is_floating(sums.type):
        number = floats(counts)
        with np.errstate(all="ignore"):
            means = floats(sums) / np.where(number == 0, 1.0, number)
        return pa.array(means, mask=number == 0)
    if pa.types.is_floating(measure.type) and _are_small(sums) and _are_small(counts):
        return pc.divide(sums.cast(pa.float64()), counts.cast(pa.float64()))
    pairs = zip(sums.to_pylist(), counts.to_pylist(), strict=True)
    exact = [None if total is None else mean(total, int(n), measure.type) for total, n in pairs]
    return stored(exact, measure.type)


def _are_small(numbers: pa.Array) -> bool:
    """Whether floats hold all of them exactly, so that their quotients are rounded but once."""
    most = max((abs(n) for n in pc.min_max(numbers).as_py().values() if n is not None), default=0)
    return bool(most < _EXACT_FLOATS) and Fraction(most).denominator == 1
