"""Laws of windows and of event selection (semantics 2, Window; semantics 4)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from decimal import Decimal

from hypothesis import assume, given

from kleene.language.expressions import Duration
from kleene.language.syntax import AfterMatch, SkipMode, Strategy, StrategyClause, Window
from kleene.logical.binding import all_events
from support.generators import (
    BATCH,
    FLAT,
    POSITIVE,
    PRECISE,
    Operator,
    Sample,
    samples,
)
from support.generators.attributes import NOISE
from support.generators.samples import shown
from support.streams import Rows

UNHIDDEN = BATCH.without(Operator.EXISTS)
GREEDY = replace(
    FLAT,
    strategies=(Strategy.NEXT,),
    max_conditions=0,
    ties=False,
    duplicates=False,
    timestamps=False,
    partitions=False,
)
"""Single events in order, and nothing but their types to tell whether they fit."""


def under(sample: Sample, strategy: Strategy) -> Sample:
    """The sample with another strategy."""
    return sample.asking(replace(sample.query, strategy=StrategyClause(strategy)))


@given(samples(replace(POSITIVE, windows=(4, 8, 20))))
def test_a_wider_window_loses_no_match(sample: Sample) -> None:
    """`WITHIN w`: `latest − earliest < w` over the events of the match. No WITHIN: no bound."""
    window = sample.query.within
    assert window is not None
    assert not isinstance(window.extent, str)
    wider = (
        Duration(2 * window.extent.microseconds)
        if isinstance(window.extent, Duration)
        else 2 * window.extent
    )
    doubled = sample.asking(replace(sample.query, within=Window(wider)))
    unbounded = sample.asking(replace(sample.query, within=None))
    assert sample.found <= doubled.found <= unbounded.found


@given(samples(UNHIDDEN.without(Operator.NOT)))
def test_a_window_chooses_by_the_length_of_matches(sample: Sample) -> None:
    """`WITHIN w`: `latest − earliest < w` over the events of the match."""
    window = sample.logical.resolved.window
    assume(window is not None)
    length = window.microseconds if isinstance(window, Duration) else window
    every = sample.asking(replace(sample.query, within=None)).meaning
    fitting = [
        shown(match, every.rows)
        for match in every.matches
        if match.start is not None and match.end is not None
        if length is not None and Decimal(str(match.end)) - Decimal(str(match.start)) < length
    ]
    assert sample.found == Counter(fitting)


@given(samples(POSITIVE))
def test_an_event_more_loses_no_match(sample: Sample) -> None:
    """`skip_till_any_match`: every binding."""
    fewer = sample.over(sample.rows[:-1])
    assert set(fewer.bindings) <= set(sample.bindings)


@given(samples(UNHIDDEN))
def test_what_skip_till_next_finds_is_a_binding(sample: Sample) -> None:
    """A match is a binding that satisfies the structure, all conditions and the window."""
    assert set(under(sample, Strategy.NEXT).found) <= set(sample.found)


@given(samples(UNHIDDEN))
def test_what_is_contiguous_is_a_binding(sample: Sample) -> None:
    """Consecutive events of a match are neighbours: in the whole input, or in their partition."""
    strict = under(sample, Strategy.STRICT).found
    assert strict <= under(sample, Strategy.PARTITION).found <= sample.found


@given(samples(replace(UNHIDDEN.without(Operator.ANY), definitions=False, timestamps=False)))
def test_what_is_no_neighbour_is_not_contiguous(sample: Sample) -> None:
    """All events of the input are neighbours, also those of types the pattern does not name."""
    spread = [{**row, "t": _doubled(row["t"])} for row in sample.rows if row["type"] != NOISE]
    noise = [{**row, "id": f"z{number}", "type": NOISE} for number, row in enumerate(spread)]
    between = [{**row, "t": row["t"] + 1} for row in noise if isinstance(row["t"], int)]
    for strategy in (Strategy.STRICT, Strategy.PARTITION):
        parted = under(sample, strategy).over(spread + between)
        for match in parted.meaning.matches:
            assert match.start == match.end


def _doubled(time: object) -> int | None:
    return 2 * time if isinstance(time, int) else None


@given(samples(GREEDY))
def test_a_run_takes_the_next_event_that_fits(sample: Sample) -> None:
    """An event that fits no transition of the run, or would break its window, is skipped."""
    types = [variable.type for variable in sample.logical.resolved.variables]
    rows = [row for row in sample.rows if row["t"] is not None]
    runs = [_run(rows[start:], types, sample) for start in range(len(rows))]
    complete = {tuple(run) for run in runs if len(run) == len(types)}
    matches = {tuple(match.binding.values()) for match in sample.meaning.matches}
    known = sample.meaning.rows
    assert {tuple(known[int(str(e))].row["id"] for e in match) for match in matches} == complete


def _run(rows: Rows, types: list[str | None], sample: Sample) -> list[object]:
    """The events that a run takes which begins at the first of the rows, if it begins."""
    window = sample.logical.resolved.window
    taken: list[object] = []
    for row in rows:
        length = Decimal(int(str(row["t"])) - int(str(rows[0]["t"])))
        fits = len(taken) < len(types) and row["type"] == types[len(taken)]
        if fits and (window is None or length < Decimal(str(window))):
            taken.append(row["id"])
        if not taken:
            break
    return taken


@given(samples(PRECISE))
def test_skipping_keeps_some_of_the_matches(sample: Sample) -> None:
    """Walking that list, a match is kept iff the clause allows it: never another one."""
    every = sample.asking(replace(sample.query, after_match=None))
    assert sample.found <= every.found
    assert bool(sample.found) == bool(every.found)


@given(samples(replace(PRECISE, duplicates=False).without(Operator.EXISTS)))
def test_consuming_matches_share_no_event(sample: Sample) -> None:
    """`CONSUME`: a match is kept iff it shares no event with a kept one."""
    clause = AfterMatch(SkipMode.CONSUME)
    consuming = sample.asking(replace(sample.query, after_match=clause))
    used = Counter(
        event for match in consuming.meaning.matches for event in all_events(match.binding)
    )
    assert all(times == 1 for times in used.values())


@given(samples(PRECISE))
def test_no_two_matches_skipped_to_the_next_event_begin_alike(sample: Sample) -> None:
    """`SKIP TO NEXT EVENT`: no kept match has its first event."""
    assume(not any(v.hidden for v in sample.logical.resolved.variables))
    clause = AfterMatch(SkipMode.NEXT_EVENT)
    found = sample.asking(replace(sample.query, after_match=clause)).meaning.matches
    begun = Counter(all_events(match.binding)[0] for match in found)
    assert all(times == 1 for times in begun.values())


@given(
    samples(
        replace(
            PRECISE.without(Operator.ANY),
            strategies=(Strategy.ANY, Strategy.NEXT),
            definitions=False,
        )
    )
)
def test_events_of_types_that_are_not_named_change_nothing(sample: Sample) -> None:
    """An event that fits no transition of the run is skipped."""
    quiet = [row for row in sample.rows if row["type"] != NOISE]
    noise = [{**row, "id": f"z{number}", "type": NOISE} for number, row in enumerate(sample.rows)]
    assert sample.over(quiet + noise).found == sample.found
