"""Laws of partitions and of order (semantics 1)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from kleene.language.expressions import SameKey
from kleene.language.syntax import Column, Strategy
from support.generators import IMPRECISE, PRECISE, Sample, samples

UNPARTITIONED = replace(PRECISE, partitions=False, wide=True)
"""Rows have keys, and queries do not speak of them."""

WITHIN_PARTITIONS = (Strategy.ANY, Strategy.NEXT, Strategy.PARTITION)
"""All but strict contiguity, under which what is in no partition still is a neighbour."""


def partitioned(sample: Sample, *names: str) -> Sample:
    """The sample with a clause that partitions by columns."""
    columns = tuple(Column((name,)) for name in names)
    return sample.asking(replace(sample.query, partition_by=columns))


@given(samples(UNPARTITIONED))
def test_there_are_three_ways_to_partition(sample: Sample) -> None:
    """All columns of `PARTITION BY` and of the shorthand `[k]` in WHERE together."""
    by_k = partitioned(sample, "k")
    same_k = replace(sample.query, where=(SameKey(("k",)), *sample.query.where))
    called = replace(sample, roles=replace(sample.roles, partition_by=("k",)))
    assert by_k.found == sample.asking(same_k).found == called.found

    both = partitioned(sample, "k", "g")
    mixed = replace(same_k, partition_by=(Column(("g",)),))
    assert both.found == partitioned(sample, "g", "k").found == sample.asking(mixed).found


@given(samples(replace(UNPARTITIONED, strategies=WITHIN_PARTITIONS)))
def test_every_match_lies_in_one_partition(sample: Sample) -> None:
    """A row with a null in one of these columns is in no partition."""
    apart: Counter[str] = Counter()
    for key in {row["k"] for row in sample.rows} - {None}:
        apart += sample.over([row for row in sample.rows if row["k"] == key]).found
    assert partitioned(sample, "k").found == apart


@given(samples(PRECISE), st.randoms(use_true_random=False))
def test_the_order_of_storage_does_not_matter(sample: Sample, chance: Random) -> None:
    """Results never depend on how rows are stored, partitioned or delivered."""
    rows = list(sample.rows)
    chance.shuffle(rows)
    assert sample.over(rows).found == sample.found


@given(samples(IMPRECISE), st.randoms(use_true_random=False))
def test_the_order_of_storage_does_not_matter_to_imprecise_events(
    sample: Sample, chance: Random
) -> None:
    """Results never depend on how rows are stored, partitioned or delivered."""
    rows = list(sample.rows)
    chance.shuffle(rows)
    assert sample.over(rows).found == sample.found
