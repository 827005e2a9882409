"""Laws of the text: what is printed is read back, and means what it meant."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given

from kleene.language.parser import parse
from kleene.language.resolve import resolve
from kleene.language.syntax import Query
from kleene.language.variables import declare
from support.generators import EVERYTHING, PRECISE, Sample, queries, samples


@given(queries(EVERYTHING))
def test_what_is_printed_parses_to_an_equal_query(query: Query) -> None:
    """`str(query)` is text that parses to an equal query."""
    assert parse(str(query)) == query


@given(samples(EVERYTHING))
def test_what_is_printed_resolves_to_the_same(sample: Sample) -> None:
    """The text of a query means what its tree means."""
    assert resolve(parse(str(sample.query)), sample.shape) == sample.logical.resolved


@given(samples(PRECISE))
def test_names_that_are_left_out_may_be_written(sample: Sample) -> None:
    """A variable may be left out: it is then named like its type, with `_2`, `_3` (semantics 2)."""
    named, _ = declare(sample.query.pattern)
    assert sample.asking(replace(sample.query, pattern=named)).found == sample.found
