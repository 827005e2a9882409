"""The rows of a DataFrame that take part in a query, and where Spark sends them.

Columns are renamed by their place, `c0`, `c1`, …, so no name of a user's ever stands in SQL.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as sf
from pyspark.sql.types import StringType

from kleene.errors import NOWHERE, InputError
from kleene.language.schema import EventShape
from kleene.logical.algebra import LogicalQuery
from kleene.runtime.needs import types_together
from kleene.runtime.shares import Shares
from kleene.runtime.slices import EXACT, Slices
from kleene.spark.reports import BAD_ROWS
from kleene.spark.types import is_collated

SLICE, SIDE = "slice", "side"
_PHASES = 1 << 20


class Rows:
    """The events of a DataFrame, with the columns that a query needs.

    Or several queries: then they know the same columns, and are shared out in the same way.
    """

    def __init__(self, events: DataFrame, *queries: LogicalQuery) -> None:
        names = events.schema.names
        self._kinds = [field.dataType for field in events.schema.fields]
        self._places = {name: place for place, name in enumerate(names)}
        self._queries, self._query = queries, queries[0]
        needed = self._query.resolved.shape.schema.names
        self.frame = events.toDF(*(f"c{place}" for place in range(len(names))))
        self.frame = self.frame.select(*map(self._safe, needed))
        self.observation: Observation | None = None

    def _safe(self, name: str) -> str:
        return f"c{self._places[name]}"

    @property
    def time(self) -> str:
        """The column of times."""
        return self._safe(self._query.resolved.shape.time[0])

    def key(self, path: Sequence[str]) -> Column:
        """A partition key; what is equal to Spark is equal to the letter."""
        found = self.frame[self._safe(path[0])]
        collated = is_collated(self._kinds[self._places[path[0]]])
        for name in path[1:]:
            found = found.getField(name)
        return found.cast(StringType()) if collated else found

    def keep_relevant(self, *, keyed: bool, fails_on_bad_rows: bool) -> None:
        """Drop what takes no part: rows without a key, of types not named, and bad rows.

        Bad rows pass the first filter, which reaches the files, to be counted behind it. With
        imprecise time it takes more to tell a bad row; there the tasks do.
        """
        shape = self._query.resolved.shape
        if shape.imprecise:
            return
        bad = self._bad(shape)
        relevant = self._relevant(keyed=keyed)
        if relevant is not None:
            self.frame = self.frame.filter(relevant if bad is None else relevant | sf.expr(bad))
        if bad is None:
            return
        if fails_on_bad_rows:
            why = _sql_text(f"BadRowsError: a row is no event, it has no valid {shape.time[0]}")
            good = f"CASE WHEN {bad} THEN CAST(raise_error({why}) AS boolean) ELSE true END"
        else:
            self.observation = Observation()
            count = sf.count_if(sf.expr(bad)).alias(BAD_ROWS)
            self.frame = self.frame.observe(self.observation, count)
            good = f"NOT {bad}"
        self.frame = self.frame.filter(good)

    def _bad(self, shape: EventShape) -> str | None:
        """What is true of rows that are no events; None where the schema rules them out."""
        if pa.types.is_floating(shape.time_type):
            return f"({self.time} IS NULL OR NOT abs({self.time}) < double('Infinity'))"
        nullable = shape.schema.field(shape.time[0]).nullable
        return f"({self.time} IS NULL)" if nullable else None

    def _relevant(self, *, keyed: bool) -> Column | None:
        """What is true of rows that can take part."""
        paths = self._query.resolved.partition_by if keyed else ()
        conditions = [self.key(path).isNotNull() for path in paths]
        types, column = types_together(self._queries), self._query.resolved.shape.type
        if types is not None and column is not None:
            kind = self._kinds[self._places[column]]
            if isinstance(kind, StringType):
                conditions.append(self.frame[self._safe(column)].isin(types))
        if not conditions:
            return None
        found = conditions[0]
        for condition in conditions[1:]:
            found = found & condition
        return found

    def share_out(self, shares: Shares) -> None:
        """Every share in one place."""
        if shares.slices is not None:
            self.by_slice(shares.slices)
        elif shares.keyed:
            self.by_key()
        else:
            self.frame = self.frame.repartition(1)

    def by_key(self) -> None:
        """Every key in one place, sorted; whole keys follow each other."""
        keys = [self.key(path) for path in self._query.resolved.partition_by]
        self.frame = self.frame.repartition(*keys).sortWithinPartitions(*keys, self.time)

    def by_slice(self, slices: Slices) -> None:
        """Every slice of each key in one place, with copies of what lies close to it."""
        needed = self.frame.columns
        keys = self._query.resolved.partition_by
        moment = _moment(self._query.resolved.shape.time_type, self.time)
        shift = _shift([self.key(path) for path in keys], slices)
        timed = self.frame.select(*needed, sf.expr(moment).alias("moment"), shift.alias("shift"))
        placed = _placed_double(timed, needed, slices) if slices.floating else None
        placed = placed or _placed(timed, needed, slices)
        copied = placed.selectExpr(*needed, "home", f"explode({_sides(slices)}) AS {SIDE}")
        number = f"home - {SIDE} AS {SLICE}"
        self.frame = copied.selectExpr(*needed, number, f"CAST({SIDE} AS bigint) AS {SIDE}")
        places = [*(self.key(path) for path in keys), sf.col(SLICE)]
        self.frame = self.frame.repartition(*places).sortWithinPartitions(*places, self.time)


def _shift(keys: Sequence[Column], slices: Slices) -> Column:
    """Where the slices of a key begin, as a part of their length: in integers or from 0 to 1.

    It differs from key to key, so that whatever time the events span, about the same share of them
    is copied. If all slices began at once, a day's events could all lie close behind it.
    """
    if not keys:
        return sf.lit(0)
    if slices.floating:
        return sf.pmod(sf.xxhash64(*keys), sf.lit(_PHASES)) / sf.lit(float(_PHASES))
    return sf.pmod(sf.xxhash64(*keys), sf.lit(int(slices.length)))


def _placed(timed: DataFrame, needed: Sequence[str], slices: Slices) -> DataFrame:
    """With the slice that a row lies in, and whether it lies close to the next ones."""
    length, window = slices.length, slices.window
    cut = timed.selectExpr(
        *needed,
        f"(moment div {length}) - CASE WHEN moment % {length} < 0 THEN 1 ELSE 0 END AS begun",
        f"pmod(moment, {length}) + shift AS place",
    )
    return cut.selectExpr(
        *needed,
        f"begun + CASE WHEN place < {length} THEN 0 ELSE 1 END AS home",
        f"place % {length} < {window} AS early",
        f"place % {length} >= {length - window} AS late",
    )


def _placed_double(timed: DataFrame, needed: Sequence[str], slices: Slices) -> DataFrame:
    """As above for doubles, rounded so that a row rather gets a copy too many than one too few."""
    share = slices.window / slices.length
    quotient = timed.selectExpr(*needed, f"moment / {slices.length!r}D + shift AS quotient")
    exact = f"abs(quotient) < {EXACT}"
    home = f"CASE WHEN {exact} THEN CAST(floor(quotient) AS double) ELSE quotient END"
    homed = quotient.selectExpr(*needed, "quotient", f"{home} AS home")
    slack = f"(abs(quotient) + 1) / {EXACT}"
    return homed.selectExpr(
        *needed,
        "home",
        f"{exact} AND quotient - home < {share!r}D + {slack} AS early",
        f"{exact} AND quotient - home >= {1 - share!r}D - {slack} AS late",
    )


def _sides(slices: Slices) -> str:
    """The slices, counted from a row's own, that get a copy of it."""
    if not slices.looks_back:
        return "CASE WHEN early THEN array(0, 1) ELSE array(0) END"
    both, one = "WHEN early AND late THEN array(0, 1, -1)", "WHEN early THEN array(0, 1)"
    return f"CASE {both} {one} WHEN late THEN array(0, -1) ELSE array(0) END"


def _moment(kind: pa.DataType, column: str) -> str:
    """Times as numbers; moments in microseconds, whatever the time zone of the session."""
    if pa.types.is_date(kind):
        return f"CAST(unix_date({column}) AS bigint) * 86400000000"
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        return f"unix_micros({column})"
    if pa.types.is_timestamp(kind):
        since = f"CAST({column} - TIMESTAMP_NTZ'1970-01-01 00:00:00' AS INTERVAL SECOND)"
        return f"CAST(CAST({since} AS DECIMAL(18, 6)) * 1000000 AS bigint)"
    return f"CAST({column} AS {'double' if pa.types.is_floating(kind) else 'bigint'})"


def _sql_text(text: str) -> str:
    """A text as SQL that no text can break out of."""
    return f"decode(unhex('{text.encode().hex()}'), 'UTF-8')"


def check_keys(query: LogicalQuery) -> None:
    """Spark neither hashes nor sorts maps."""
    shape = query.resolved.shape
    for path in query.resolved.partition_by:
        kind = shape.event_type
        for name in path:
            kind = kind.field(name).type
        if _holds_map(kind):
            raise InputError(
                f"{'.'.join(path)} cannot be a partition key on Spark: it is a map",
                NOWHERE,
                "partition by map_entries of it, as a column of its own",
            )


def _holds_map(kind: pa.DataType) -> bool:
    inside = [kind.field(place).type for place in range(kind.num_fields)]
    return pa.types.is_map(kind) or any(map(_holds_map, inside))
