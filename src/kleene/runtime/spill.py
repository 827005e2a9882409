"""Events that memory does not hold, in temporary files by their keys.

A file has no name: it is gone once it is closed, also if the process is killed. It lies in the
folder for temporary files, which the environment names (`TMPDIR`), and is for this user alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from tempfile import TemporaryFile
from typing import IO

import numpy as np
import pyarrow as pa

from kleene.runtime.hashes import Hashes, mixed

WAYS = 32
"""Files among which events are spread; one that is too large is spread again."""
_OPTIONS = pa.ipc.IpcWriteOptions(compression="lz4")

Hash = Callable[[pa.Table], Hashes]


class Spill:
    """Files of events, each with all events of some keys.

    Events wait until they are as many bytes, so that they are worth a write to each file. Spills
    within a spill take other bits of the hashes: `depth` says how deep this one is.
    """

    def __init__(self, hash_of: Hash, waiting: int, depth: int) -> None:
        self._hash_of, self._enough, self._depth = hash_of, waiting, depth
        self._waiting: list[pa.Table] = []
        self._kept = 0
        self._files: dict[int, File] = {}

    def add(self, events: pa.Table) -> None:
        """Take some events in."""
        self._waiting.append(events)
        self._kept += events.nbytes
        if self._kept >= self._enough:
            self._write()

    def files(self) -> Iterator[File]:
        """The files, to be read; each is closed before the next one."""
        self._write()
        while self._files:
            _, file = self._files.popitem()
            try:
                yield file
            finally:
                file.close()

    def __len__(self) -> int:
        return len(self._files)

    def close(self) -> None:
        """Remove all files."""
        self._waiting = []
        for file in self._files.values():
            file.close()

    def _write(self) -> None:
        events, self._waiting, self._kept = self._waiting, [], 0
        if not events:
            return
        table = pa.concat_tables(events).combine_chunks()
        found = self._hash_of(table)
        ways = (mixed(found + np.uint64(self._depth)) % np.uint64(WAYS)).astype(np.int64)
        order = np.argsort(ways, kind="stable")
        ends = np.searchsorted(ways[order], np.arange(WAYS + 1))
        for way in range(WAYS):
            rows = order[ends[way] : ends[way + 1]]
            if len(rows):
                if way not in self._files:
                    self._files[way] = File(table.schema)
                self._files[way].write(table.take(pa.array(rows)), found[rows])


def _nameless() -> IO[bytes]:
    return TemporaryFile(prefix="kleene-")


@dataclass
class File:
    """One of them."""

    schema: pa.Schema
    nbytes: int = 0
    """What its events take in memory."""
    rows: int = 0
    least: int | None = None
    most: int | None = None
    """Bounds of the hashes of keys."""
    _file: IO[bytes] = field(default_factory=_nameless)
    _writer: pa.ipc.RecordBatchStreamWriter | None = None

    def write(self, events: pa.Table, found: Hashes) -> None:
        """Append events."""
        if self._writer is None:
            self._writer = pa.ipc.new_stream(self._file, self.schema, options=_OPTIONS)
        self._writer.write_table(events)
        self.nbytes += events.nbytes
        self.rows += events.num_rows
        low, high = int(found.min()), int(found.max())
        self.least = low if self.least is None else min(self.least, low)
        self.most = high if self.most is None else max(self.most, high)

    @property
    def has_one_key(self) -> bool:
        """Whether spreading it again is of no use."""
        return self.least == self.most

    def tables(self) -> Iterator[pa.Table]:
        """The events, in the pieces that were written."""
        if self._writer is not None:
            self._writer.close()
        self._file.seek(0)
        for batch in pa.ipc.open_stream(self._file):
            yield pa.Table.from_batches([batch])

    def close(self) -> None:
        """Remove the file."""
        self._file.close()
