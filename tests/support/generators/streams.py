"""Random streams that a query matches often: they begin as what the pattern asks for."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from decimal import Decimal

import pyarrow as pa
from hypothesis import strategies as st

from kleene.language.expressions import Duration
from kleene.language.syntax import EventPattern, Query, walk_patterns
from support.generators.attributes import ALL_COLUMNS, TIE_BREAK, Column
from support.generators.drawing import Drawer, drawn
from support.generators.layout import types_for
from support.generators.profile import PRECISE, Profile
from support.streams import Stream

Row = dict[str, object]
_START = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
_DAY = dt.timedelta(days=1)
_NUMBERS = {pa.int64(): 12, pa.float64(): 2, pa.decimal128(10, 1): 1, pa.int32(): 1}
_MOMENTS = {pa.timestamp("us", "UTC"): 3, pa.timestamp("us"): 2}
_GAPS = {1: 6, 2: 2, 5: 1}
_GAPS_WITH_TIES = {1: 6, 0: 3, 2: 2}
_WIDTHS = {0: 3, 1: 3, 2: 1}
_PROBABILITIES: tuple[tuple[list[float], ...], ...] = (
    ([1.0],),
    ([0.5, 0.5], [0.25, 0.75], [0.0, 1.0]),
    ([0.5, 0.25, 0.25], [0.5, 0.0, 0.5]),
)


@dataclass(frozen=True, slots=True)
class Roles:
    """Which column of a stream is what, as the call says it."""

    time: tuple[str, ...] = ("t",)
    type: str | None = "type"
    id: str | None = "id"
    order_by: tuple[str, ...] = ()
    partition_by: tuple[str, ...] = ()
    pmf: str | None = None


def streams(query: Query, profile: Profile = PRECISE) -> st.SearchStrategy[tuple[Stream, Roles]]:
    """Streams for a query, with the roles of their columns."""
    return drawn(lambda drawer: make_stream(drawer, profile, query))


def make_stream(drawer: Drawer, profile: Profile, query: Query) -> tuple[Stream, Roles]:
    """Rows in the order of their times, as many as the profile admits."""
    roles = _roles(drawer, profile, query)
    return _StreamMaker(drawer, profile, query, roles).stream(), roles


def _roles(drawer: Drawer, profile: Profile, query: Query) -> Roles:
    events = [node for node in walk_patterns(query.pattern) if isinstance(node, EventPattern)]
    named = [node.type.text for node in events if node.type is not None]
    typed = {d.name.text for d in query.definitions}.issuperset(named)
    partitioned = profile.partitions and drawer.chance(8)
    return Roles(
        time=("lower", "upper") if profile.imprecise else ("t",),
        type=None if typed and drawer.chance(50) else "type",
        id=None if drawer.chance(30) else "id",
        order_by=(TIE_BREAK.name,) if profile.tie_breaks and drawer.chance(20) else (),
        partition_by=(drawer.one(("k", "g")),) if partitioned else (),
        pmf="p" if profile.imprecise and drawer.chance(25) else None,
    )


class _StreamMaker:
    """Draws types as the pattern asks for them, then times, then attributes."""

    def __init__(self, drawer: Drawer, profile: Profile, query: Query, roles: Roles) -> None:
        self.drawer = drawer
        self.profile = profile
        self.query = query
        self.roles = roles
        self.step = self._step()
        self.kind = self._kind()
        self.columns = self._columns()
        self.gaps = _GAPS_WITH_TIES if profile.ties and drawer.chance(35) else _GAPS
        self.clock = 0
        self.worlds = 1

    def stream(self) -> Stream:
        """The rows, with the schema of the columns that the query or its roles speak of."""
        types = types_for(self.drawer, self.profile, self.query)
        rows = [self._row(kind, number) for number, kind in enumerate(types)]
        if rows and self.profile.duplicates and self.drawer.chance(6):
            rows[-1] = dict(self.drawer.one(rows))
        return Stream(rows, self._schema())

    def _columns(self) -> list[Column]:
        words = set(re.findall(r"\w+", str(self.query)))
        used = words | {*self.roles.order_by, *self.roles.partition_by}
        wide = self.profile.wide or self.drawer.chance(10)
        return [column for column in ALL_COLUMNS if wide or column.name in used]

    def _step(self) -> dt.timedelta | None:
        """How long the clock takes for a tick where times are moments: as windows are told."""
        extent = None if self.query.within is None else self.query.within.extent
        if not isinstance(extent, Duration):
            return None
        days = extent.microseconds % (_DAY // dt.timedelta(microseconds=1)) == 0
        return _DAY if days else dt.timedelta(seconds=1)

    def _kind(self) -> pa.DataType:
        """The type of times."""
        kinds = _NUMBERS if self.step is None else _MOMENTS
        if self.step == _DAY:
            kinds = {**kinds, pa.date32(): 3}
        varied = self.profile.time_types and not self.profile.imprecise
        return self.drawer.weighted(kinds) if varied else next(iter(kinds))

    def _schema(self) -> pa.Schema:
        fields = [pa.field("id", pa.string()), pa.field("type", pa.string())]
        fields += [pa.field(name, self.kind) for name in self.roles.time]
        fields += [pa.field(column.name, column.type) for column in self.columns]
        if self.roles.pmf is not None:
            fields.append(pa.field(self.roles.pmf, pa.list_(pa.float64())))
        return pa.schema(fields)

    def _row(self, kind: str, number: int) -> Row:
        row: Row = {"id": f"{kind.lower()}{number + 1}", "type": kind}
        row.update(self._interval() if self.profile.imprecise else {"t": self._time()})
        row.update({column.name: self._value(column) for column in self.columns})
        if self.roles.pmf is not None:
            row[self.roles.pmf] = self._probabilities(row)
        return row

    def _value(self, column: Column) -> object:
        """A value, half of the time the one that most events have: so that values meet."""
        usual = column.values[0]
        return self.drawer.one((usual, usual, usual, *column.domain(self.profile)))

    def _tick(self) -> int:
        self.clock += self.drawer.weighted(self.gaps)
        return self.clock

    def _is_bad(self) -> bool:
        return self.profile.bad_rows and self.drawer.chance(2)

    def _time(self) -> object:
        """A moment or a number; null for what is no event."""
        clock = self._tick()
        if self._is_bad():
            return None
        if self.step is not None:
            moment = _START + clock * self.step
            if pa.types.is_date(self.kind):
                return moment.date()
            return moment if self.kind.tz else moment.replace(tzinfo=None)
        if pa.types.is_decimal(self.kind):
            return clock * Decimal("0.5")
        return clock / 2 if pa.types.is_floating(self.kind) else clock

    def _interval(self) -> Row:
        """Bounds that are not too far apart, for the sake of the number of possible worlds."""
        clock = self._tick()
        room = self.profile.max_worlds // self.worlds
        width = self.drawer.weighted({w: k for w, k in _WIDTHS.items() if w < room})
        self.worlds *= width + 1
        return {"lower": None if self._is_bad() else clock, "upper": clock + width}

    def _probabilities(self, row: Row) -> object:
        """Those of the points of an interval; null stands for equal ones."""
        lower, upper = row["lower"], row["upper"]
        if not isinstance(lower, int) or not isinstance(upper, int):
            return None
        return self.drawer.one((None, *_PROBABILITIES[upper - lower]))
