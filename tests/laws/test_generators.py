"""The generators themselves: that they say something, and say it so that it can be read."""

from __future__ import annotations

import pytest
from hypothesis import given

from support.generators import (
    BATCH,
    EVERYTHING,
    FLAT,
    IMPRECISE,
    POSITIVE,
    PRECISE,
    Profile,
    Sample,
    sample_of,
    samples,
)
from support.generators.notation import notation_of
from support.streams import Rows, read_stream, read_table

PROFILES = {
    "EVERYTHING": EVERYTHING,
    "PRECISE": PRECISE,
    "BATCH": BATCH,
    "POSITIVE": POSITIVE,
    "FLAT": FLAT,
    "IMPRECISE": IMPRECISE,
}


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_queries_often_have_matches(profile: Profile) -> None:
    found = [sample_of(seed, profile).found for seed in range(400)]
    assert sum(map(bool, found)) >= 0.4 * len(found)


@given(samples(EVERYTHING))
def test_queries_are_valid(sample: Sample) -> None:
    assert sample.logical.resolved.variables


@given(samples(PRECISE))
def test_streams_are_shown_as_cases_write_them(sample: Sample) -> None:
    text = notation_of(sample.stream)
    read = read_table(text) if "\n" in text or " | " in text else read_stream(text)
    assert present(read.rows) == present(sample.rows)


def present(rows: Rows) -> list[list[str]]:
    """What is not null, as text: NaN is equal to itself there, and UTC has one name."""
    return [sorted(f"{n}={v}" for n, v in row.items() if v is not None) for row in rows]
