"""output="count": the number of matches of each partition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from kleene.logical.groups import counted as by_definition
from kleene.logical.output import COUNT_TYPE
from kleene.runtime.arrange import Arranged
from kleene.runtime.bindings import Matches, Positions
from kleene.runtime.gather import Values
from kleene.runtime.typed import typed

Counts = tuple[Positions, Positions | Sequence[int]]
"""Partitions in order, and the number of matches of each."""


def counted(found: Iterator[Matches]) -> Iterator[Counts]:
    """Matches counted by partition."""
    held = np.zeros(0, np.int64), np.zeros(0, np.int64)
    for matches in found:
        partitions, numbers = np.unique(matches.partition, return_counts=True)
        if len(held[0]) and held[0][-1] == partitions[0]:
            numbers[0] += held[1][-1]
            held = held[0][:-1], held[1][:-1]
        yield held[0], held[1]
        held = partitions, numbers
    yield held


def count_rows(
    found: Iterator[Counts],
    paths: tuple[tuple[str, ...], ...],
    arranged: Arranged,
    schema: pa.Schema,
) -> Iterator[pa.RecordBatch]:
    """A row for each partition with a match; without partitions always one row."""
    if not paths:
        total = sum(int(number) for _, numbers in found for number in numbers)
        yield pa.RecordBatch.from_arrays([decimals([total])], schema=schema)
        return
    values = Values(arranged)
    for partitions, numbers in found:
        if not len(partitions):
            continue
        columns = [values.at(arranged.part[partitions], path) for path in paths]
        columns.append(decimals(numbers))
        yield typed(columns, schema)


def decimals(numbers: Positions | Sequence[int]) -> pa.Array:
    """Numbers of matches as they come back."""
    if isinstance(numbers, np.ndarray):
        return pa.array(numbers).cast(COUNT_TYPE)
    return pa.array([by_definition(number) for number in numbers], COUNT_TYPE)
