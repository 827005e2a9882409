"""Events that are read batch by batch: datasets and readers of Arrow, lazy frames of polars."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from kleene.api.frames import is_from, normalized
from kleene.errors import NOWHERE, InputError

if TYPE_CHECKING:  # it imports pandas, which takes as long as Kleene itself
    import pyarrow.dataset as ds


@dataclass(frozen=True)
class Scan:
    """What a query asks of a source.

    The source may leave out events of other types than `types`, if there are such, and those
    without one of the `keys`; but not those without a valid time, which are counted.
    """

    columns: tuple[str, ...]
    time: str
    type: str | None
    types: list[str] | None
    keys: tuple[str, ...]


class Found(Protocol):
    """What a source makes a frame of."""

    @property
    def schema(self) -> pa.Schema:
        """Its columns."""

    @property
    def batches(self) -> Callable[[], Iterator[pa.RecordBatch]]:
        """Reads it."""


class Source(Protocol):
    """Events that are read batch by batch."""

    schema: pa.Schema

    def batches(self, scan: Scan) -> Iterator[pa.RecordBatch]:
        """The events that a scan asks for."""

    def back(self, found: Found) -> Any:
        """The matches as the same kind of frame."""


def source_of(events: Any) -> Source | None:
    """The events as a source, where they are of a kind that is read batch by batch."""
    match events:
        case _ if is_from("pyarrow.dataset", "Dataset", events):
            return DatasetSource(events)
        case pa.RecordBatchReader():
            return _Reader(events)
        case _ if is_from("polars", "LazyFrame", events):
            return _LazyFrame(events)
        case _:
            return None


class DatasetSource:
    """Files of Parquet and other formats."""

    def __init__(self, events: ds.Dataset) -> None:
        self._events = events
        self.schema = normalized(events.schema.empty_table()).schema

    def batches(self, scan: Scan) -> Iterator[pa.RecordBatch]:
        """The events, filtered where that spares reading."""
        columns = {name: pc.field(name) for name in scan.columns}
        yield from self._events.to_batches(columns=columns, filter=self._filter(scan))

    def _filter(self, scan: Scan) -> pc.Expression | None:
        from pyarrow.dataset import CsvFileFormat, JsonFileFormat  # noqa: PLC0415 - it is there

        if isinstance(getattr(self._events, "format", None), (CsvFileFormat, JsonFileFormat)):
            return None  # text is read as a whole, whatever is asked for
        conditions = [pc.field(name).is_valid() for name in scan.keys]
        if scan.types is not None and scan.type is not None:
            kind = self._events.schema.field(scan.type).type
            if pa.types.is_string(kind) or pa.types.is_large_string(kind):
                conditions.append(pc.field(scan.type).isin(scan.types))
        if not conditions:
            return None
        bad = pc.field(scan.time).is_null()
        if pa.types.is_floating(self._events.schema.field(scan.time).type):
            bad = bad | ~pc.is_finite(pc.field(scan.time))
        return reduce(and_, conditions) | bad

    def back(self, found: Found) -> pa.RecordBatchReader:
        """A reader, which finds the matches while it is read."""
        return pa.RecordBatchReader.from_batches(found.schema, found.batches())


class _Reader:
    """Batches that come once."""

    def __init__(self, events: pa.RecordBatchReader) -> None:
        self._events = events
        self.schema = normalized(events.schema.empty_table()).schema

    def batches(self, scan: Scan) -> Iterator[pa.RecordBatch]:
        """The events, with the columns that are asked for."""
        for batch in self._events:
            yield batch.select(list(scan.columns))

    def back(self, found: Found) -> pa.RecordBatchReader:
        """A reader, which finds the matches while it is read."""
        return pa.RecordBatchReader.from_batches(found.schema, found.batches())


class _LazyFrame:
    """A plan of polars, which runs when its result is asked for, and so does what is made of it."""

    def __init__(self, events: Any) -> None:
        self._polars: Any = sys.modules["polars"]
        if not hasattr(events, "collect_batches"):
            raise InputError(
                f"polars {self._polars.__version__} does not hand out a lazy frame in batches",
                NOWHERE,
                "take a newer polars, or collect() the frame first",
            )
        self._events = events
        kinds = self._polars.DataFrame(schema=events.collect_schema())
        self.schema = normalized(kinds.to_arrow()).schema

    def batches(self, scan: Scan) -> Iterator[pa.RecordBatch]:
        """The events, filtered by polars."""
        col = self._polars.col
        frame = self._events
        conditions = [col(name).is_not_null() for name in scan.keys]
        if scan.types is not None and frame.collect_schema()[scan.type] == self._polars.String:
            conditions.append(col(scan.type).is_in(scan.types))
        if conditions:
            time = col(scan.time)
            bad = time.is_null()
            if pa.types.is_floating(self.schema.field(scan.time).type):
                bad = bad | ~time.is_finite()
            frame = frame.filter(reduce(and_, conditions).fill_null(value=False) | bad)
        for piece in frame.select(scan.columns).collect_batches(maintain_order=False):
            yield from piece.to_arrow().to_batches()

    def back(self, found: Found) -> Any:
        """A lazy frame."""
        empty = self._polars.from_arrow(found.schema.empty_table())

        def read(
            columns: list[str] | None, predicate: Any, rows: int | None, _size: int | None
        ) -> Iterator[Any]:
            for batch in found.batches():
                frame = self._polars.from_arrow(pa.Table.from_batches([batch]))
                if predicate is not None:
                    frame = frame.filter(predicate)
                if rows is not None:
                    frame, rows = frame.head(rows), rows - min(rows, frame.height)
                yield frame if columns is None else frame.select(columns)
                if rows == 0:
                    return

        from polars.io.plugins import register_io_source  # noqa: PLC0415 - polars is there

        return register_io_source(read, schema=empty.schema)
