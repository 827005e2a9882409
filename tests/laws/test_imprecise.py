"""Laws of imprecise time (semantics 5)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from kleene.language.syntax import Confidence
from kleene.logical.meaning import Match
from support.generators import IMPRECISE, PRECISE, Operator, Sample, samples
from support.generators.samples import bound
from support.streams import Stream

NUMBERED = replace(PRECISE, timestamps=False, tie_breaks=False)


def as_intervals(sample: Sample) -> Sample:
    """The same events, each with an interval of one point."""
    fields = [field for field in sample.stream.schema if field.name != "t"]
    bounds = [pa.field(name, pa.int64()) for name in ("lower", "upper")]
    rows = [
        {**{n: v for n, v in row.items() if n != "t"}, "lower": row["t"], "upper": row["t"]}
        for row in sample.rows
    ]
    roles = replace(sample.roles, time=("lower", "upper"))
    return Sample(sample.query, Stream(rows, pa.schema([*fields, *bounds])), roles)


@given(samples(NUMBERED))
def test_precise_events_are_intervals_of_one_point(sample: Sample) -> None:
    """A precise event has `lower = upper`."""
    assert as_intervals(sample).found == sample.found


@given(samples(IMPRECISE))
def test_confidences_and_ranges_are_sound(sample: Sample) -> None:
    """A confidence is a total weight of worlds; a range runs from a first to a last event."""
    events = [row for row in sample.rows if row["lower"] is not None]
    times = [int(str(row[name])) for row in events for name in ("lower", "upper")]
    for match in sample.meaning.matches:
        assert 0 < match.confidence <= 1
        if match.start is not None and match.end is not None:
            assert min(times) <= match.start <= match.end <= max(times)


@given(samples(IMPRECISE), st.sampled_from(["0", "0.25", "0.5", "0.75", "1"]))
def test_a_threshold_keeps_what_reaches_it(sample: Sample, least: str) -> None:
    """`CONFIDENCE >= p` keeps the signatures with at least that confidence."""
    every = sample.asking(replace(sample.query, confidence=None))
    some = sample.asking(replace(sample.query, confidence=Confidence(Decimal(least))))
    assert told(some, some.meaning.matches) == told(
        every, [m for m in every.meaning.matches if m.confidence >= Fraction(least)]
    )


@given(samples(replace(IMPRECISE.without(Operator.KLEENE), duplicates=False)))
def test_a_world_is_a_stream_of_precise_events(sample: Sample) -> None:
    """In each world the pattern is matched as above, with the strategy of the query."""
    earliest = [{**row, "upper": row["lower"]} for row in sample.rows]
    # The bounds are input columns: without an id they would take part in the total order.
    # Kleene sets are listed by them.
    unweighted = replace(sample, roles=replace(sample.roles, pmf=None, id="id"))
    every = replace(unweighted.query, confidence=None)
    one_world = unweighted.asking(every).over(earliest)
    assert set(one_world.bindings) <= set(unweighted.asking(every).bindings)


def told(sample: Sample, matches: list[Match] | tuple[Match, ...]) -> Counter[str]:
    """Matches with their confidence."""
    rows = sample.meaning.rows
    return Counter(f"{bound(match, rows)} {match.confidence}" for match in matches)
