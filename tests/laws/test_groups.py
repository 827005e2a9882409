"""Laws of RETURN … GROUP BY (docs/language.md, Groups of matches)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import assume, given

from kleene.language.expressions import Expression, MatchCount, Reference
from kleene.language.syntax import GroupBy, Name, ReturnItem
from kleene.logical.output import OutputForm, output_rows
from support.generators import GROUPED, IMPRECISE, Sample, samples

FEW = replace(GROUPED, max_work=3_000)


def counted(sample: Sample, *keys: Expression) -> list[list[object]]:
    """The rows of keys and `count(*)`."""
    items = [ReturnItem(key, Name(f"r{number}")) for number, key in enumerate(keys)]
    items.append(ReturnItem(MatchCount(), Name("n")))
    query = replace(sample.query, returns=tuple(items), group_by=GroupBy(keys))
    asked = sample.asking(query)
    return list(output_rows(asked.logical, OutputForm.MATCHES, asked.meaning))


def keys_of(sample: Sample) -> tuple[Expression, ...]:
    clause = sample.query.group_by
    assert clause is not None
    return clause.keys


@given(samples(FEW))
def test_every_match_is_in_one_group(sample: Sample) -> None:
    """The numbers of matches of all groups add up to that of the matches."""
    total = len(sample.meaning.matches)
    assert sum(int(str(row[-1])) for row in counted(sample, *keys_of(sample))) == total
    assert [int(str(row[-1])) for row in counted(sample)] == [total]


@given(samples(FEW))
def test_more_keys_divide_groups(sample: Sample) -> None:
    """The groups of some of the keys are made of groups of all of them."""
    keys = keys_of(sample)
    assume(len(keys) > 1)
    fine, coarse = Counter[str](), Counter[str]()
    for row in counted(sample, *keys):
        fine[repr(row[0])] += int(str(row[-1]))
    for row in counted(sample, keys[0]):
        coarse[repr(row[0])] += int(str(row[-1]))
    assert fine == coarse


@given(samples(replace(IMPRECISE, grouped=True)))
def test_signatures_are_grouped_where_time_is_imprecise(sample: Sample) -> None:
    """A match is in a group once for all worlds."""
    total = len(sample.meaning.matches)
    assert sum(int(str(row[-1])) for row in counted(sample, *keys_of(sample))) == total


@given(samples(FEW))
def test_groups_of_partitions_are_their_counts(sample: Sample) -> None:
    """GROUP BY the columns of the partition tells what output="count" does."""
    columns = [path[0] for path in sample.logical.resolved.partition_by]
    taken = {variable.key for variable in sample.logical.resolved.variables}
    assume(columns and taken.isdisjoint(columns))
    plain = sample.asking(replace(sample.query, returns=(), group_by=None))
    expected = output_rows(plain.logical, OutputForm.COUNT, plain.meaning)
    found = counted(sample, *map(Reference, columns))
    assert Counter(map(repr, found)) == Counter(map(repr, expected))
