"""The microbenchmarks: events whose selectivity is known, sweeps, tables and panels."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pyarrow as pa
import pytest
from rich.console import Console

import kleene
from kleene.bench.data import Dataset
from kleene.bench.experiment import Answer
from kleene.bench.results import CaseResult, Exceeded, Outcome, Result, Timed
from kleene.bench.sase import cases
from kleene.bench.sase.counting import Jobs
from kleene.bench.sase.events import SPAN, make_events
from kleene.bench.sase.panels import draw
from kleene.bench.sase.point import BOTH, CLASSES, FALSE, NEITHER, TRUE, Point, PredicateClass
from kleene.bench.sase.sweeps import sweeps, times_faster
from kleene.bench.sase.tables import conclusions
from kleene.bench.sase.threshold import threshold
from kleene.bench.sase.variants import AUTO, AUTOMATON, BROKEN_DOWN, METHODS
from kleene.cli import DONE, main

EVENTS = make_events(8_000)
ENOUGH = 10**9


def counted(query: str) -> int:
    found = kleene.match(EVENTS, query, time="time", type="type", output="count")
    return int(found.column("match_count")[0].as_py())


def test_events_are_jobs_among_others() -> None:
    kinds = dict(zip(*(EVENTS.group_by("type").aggregate([("id", "count")])).columns, strict=True))
    numbers = {kind.as_py(): number.as_py() for kind, number in kinds.items()}
    assert numbers == {"A": 80, "B": 7_840, "C": 80}
    assert sorted(EVENTS.column("v").to_pylist()) == list(range(8_000))
    places: dict[int, list[int]] = {}
    for row in EVENTS.filter(pa.compute.greater_equal(EVENTS.column("job"), 0)).to_pylist():
        places.setdefault(row["job"], []).append(row["time"])
    spans = [end - start for start, end in places.values()]
    assert min(spans) >= SPAN[0]
    assert max(spans) <= SPAN[1] + 50


@pytest.mark.parametrize("predicates", CLASSES, ids=lambda each: each.short)
def test_matches_and_beginnings_are_counted_right(predicates: PredicateClass) -> None:
    point, limit = Point(predicates, 0.01, 120), 500
    jobs = Jobs(EVENTS)
    assert jobs.count(point, limit, ENOUGH) == counted(point.query(limit)) > 0
    condition = "" if predicates is FALSE else f" AND {predicates.condition}"
    runs = f"SEQ(A a, B+ b[]) WHERE b[i].v < {limit}{condition} WITHIN {point.window}"
    assert jobs.beginnings(point, limit, ENOUGH) == 80 + counted(runs)
    assert jobs.count(point, limit, 3) >= 3


@pytest.mark.parametrize("predicates", CLASSES, ids=lambda each: each.short)
def test_the_selectivity_is_what_is_named(predicates: PredicateClass, tmp_path: Path) -> None:
    point = Point(predicates, 0.01, 120)
    found = threshold(point, EVENTS, tmp_path)
    matches = [Jobs(EVENTS).count(point, each, ENOUGH) for each in (found - 1, found, found + 1)]
    off = [abs(number - 80) for number in matches]
    assert off[1] == min(off)
    assert threshold(point, EVENTS, tmp_path) == found


def test_sweeps_cross_in_a_point() -> None:
    full = [case.at for case in cases(quick=False)]
    assert len(full) == len({tuple(at.items()) for at in full}) == 4 * 19
    assert {at["selectivity"] for at in full} >= {1e-6, 1.6}
    assert {at["window"] for at in full} >= {25.0, 100_000.0}
    assert len(cases(quick=True)) == 4 * 4


def timed(seconds: float, matches: int, **figures: float) -> Timed:
    return Timed((seconds,), (seconds,), Answer(matches, None), None, figures)


def result() -> Result:
    """Two methods, of which the automaton gives up where windows are wide."""
    data = Dataset("sase", make_events, {}, 1_000)
    found = []
    for case in cases(quick=True):
        narrow = float(case.at["window"]) < 100
        figures = {"runs": 5.0, "starting s": 0.1, "matching s": 0.0, "constructing s": 0.2}
        told = figures if case.at["selectivity"] == BROKEN_DOWN else {}
        outcomes: dict[str, Outcome] = {
            AUTOMATON: timed(0.5, 10, **told) if narrow else Exceeded("too long", 30.0),
            METHODS[1]: timed(0.25, 10, **told) if narrow else timed(0.01, 10, **told),
            **{name: timed(1.0, 10) for name in (*METHODS[2:], AUTO)},
            "count": Exceeded("memory"),
        }
        moved = type(case)(
            case.name, case.question, data, case.variants, case.baseline, (), case.at
        )
        found.append(CaseResult(moved, outcomes))
    return Result("sase", quick=False, machine={}, cases=tuple(found))


def test_sweeps_and_gains() -> None:
    by_window = sweeps(result(), "window")
    assert [each.predicates for each in by_window] == [each.name for each in CLASSES]
    assert by_window[0].fixed == BROKEN_DOWN
    assert by_window[0].rates(METHODS[1]) == ([25.0, 100.0], [4_000.0, 100_000.0])
    assert by_window[0].rates(AUTOMATON) == ([25.0], [2_000.0])
    assert by_window[0].figures(METHODS[1], "runs") == ([25.0, 100.0], [5.0, 5.0])
    narrow, wide = by_window[0].cases
    assert times_faster(narrow, METHODS[1], AUTOMATON) == (2.0, False)
    assert times_faster(wide, METHODS[1], AUTOMATON) == (3_000.0, True)
    assert times_faster(wide, "count", AUTOMATON) is None


def test_tables() -> None:
    out = Console(file=io.StringIO(), width=110)
    for part in conclusions(result()):
        out.print(part)
    assert isinstance(out.file, io.StringIO)
    shown = out.file.getvalue()
    for cell in (TRUE.name, BOTH.name, NEITHER.name, "> 30 s", "exceeded", "at least 3e+03"):
        assert cell in shown


def test_panels(tmp_path: Path) -> None:
    draw(result(), tmp_path / "sase.png")
    assert (tmp_path / "sase.png").read_bytes().startswith(b"\x89PNG")


def test_the_command(tmp_path: Path) -> None:
    call = ["bench", "sase", "--quick", "--data", str(tmp_path), "-o", str(tmp_path / "out")]
    case = "true, θ 0.001, W 100"
    assert main([*call, "--case", case]) == DONE
    told = json.loads((tmp_path / "out" / "sase.json").read_text())["cases"][0]
    assert told["at"] == {
        "predicates": "true-value consistent",
        "selectivity": 0.001,
        "window": 100.0,
    }
    assert set(told["variants"]) == {*METHODS, "auto", "collapsed", "count"}
    for variant in told["variants"].values():
        assert variant["answer"]["matches"] == 100
    assert (tmp_path / "out" / "sase.png").exists()
    assert "true-value consistent, W = 100" in (tmp_path / "out" / "sase.txt").read_text()
