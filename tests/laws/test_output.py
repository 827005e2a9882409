"""Laws of the forms of output (semantics 2, EXISTS; semantics 6)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

from hypothesis import assume, given
from hypothesis import strategies as st

from kleene.language.syntax import Exists, Name
from kleene.logical.output import OutputForm, output_rows, output_schema
from support.generators import EVERYTHING, IMPRECISE, PRECISE, Operator, Sample, samples

FORMS = st.sampled_from([replace(PRECISE, max_work=3_000), IMPRECISE]).flatmap(samples)
UNHIDDEN = replace(PRECISE, duplicates=False).without(Operator.EXISTS)


def rows_of(sample: Sample, form: OutputForm) -> list[dict[str, object]]:
    """The rows that come back, by the names of their columns."""
    names = output_schema(sample.logical, form).names
    rows = output_rows(sample.logical, form, sample.meaning)
    return [dict(zip(names, row, strict=True)) for row in rows]


def counted(rows: list[dict[str, object]]) -> int:
    """The sum of the counts of rows."""
    return sum(int(str(row["match_count"])) for row in rows)


@given(samples(EVERYTHING))
def test_there_is_a_row_for_each_match(sample: Sample) -> None:
    """One row a match, also with RETURN."""
    assert len(rows_of(sample, OutputForm.MATCHES)) == len(sample.meaning.matches)


@given(FORMS)
def test_counts_add_up_to_the_matches(sample: Sample) -> None:
    """`output="count"`: for partitions with a match; without partition one row, always."""
    rows = rows_of(sample, OutputForm.COUNT)
    assert counted(rows) == len(sample.meaning.matches)
    if sample.logical.resolved.partition_by:
        assert all(row["match_count"] for row in rows)
        keys = [tuple(v for n, v in row.items() if n != "match_count") for row in rows]
        assert len(keys) == len(set(keys))
    else:
        assert len(rows) == 1


@given(FORMS)
def test_collapsed_counts_add_up_to_the_matches(sample: Sample) -> None:
    """`match_count` is the exact number of matches of each binding of the single variables."""
    rows = rows_of(sample, OutputForm.COLLAPSED)
    assert counted(rows) == len(sample.meaning.matches)


@given(samples(UNHIDDEN), st.randoms(use_true_random=False))
def test_exists_shows_each_distinct_rest_once(sample: Sample, chance: Random) -> None:
    """`EXISTS c, d : p`: p, without c and d: each distinct binding of the other variables once."""
    positive = [v.name for v in sample.logical.resolved.variables if v.positive]
    assume(len(positive) > 1)
    hidden = [name for name in positive if chance.randrange(2)] or positive[:1]
    hidden = hidden[: len(positive) - 1]
    body = Exists(tuple(map(Name, hidden)), sample.query.pattern)
    some = sample.asking(replace(sample.query, pattern=body))
    rest = {
        (
            sample.meaning.rows[match.anchor].partition,
            *((name, value) for name, value in match.binding.items() if name not in hidden),
        )
        for match in sample.meaning.matches
    }
    found = Counter(
        (some.meaning.rows[match.anchor].partition, *match.binding.items())
        for match in some.meaning.matches
    )
    assert found == Counter(rest)
