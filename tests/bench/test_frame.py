"""The frame of experiments, with one that takes no time."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from kleene.bench.data import Dataset
from kleene.bench.experiment import Answer, BytesAtMost, Experiment, SecondsAtMost
from kleene.bench.results import CaseResult, Exceeded, Failed, Result, Skipped, Timed, as_json
from kleene.bench.runner import Settings, conduct
from kleene.bench.table import case_table, ratio_table, target_table
from support import toy_experiment as toy

MODULE = "support.toy_experiment"


def conducted(settings: Settings, experiment: Experiment = toy.EXPERIMENT) -> Result:
    said: list[str] = []
    result = conduct(experiment, MODULE, settings, said.append, lambda _: None)
    assert said
    return result


def test_variants_take_turns_after_warming_up(tmp_path: Path) -> None:
    result = conducted(Settings(tmp_path, quick=True, rounds=3, warm_ups=2, memory=False))
    warm = ["loop", "loop", "builtin", "builtin", "large", "large"]
    turns = ["loop", "builtin", "large"] * 3
    assert (tmp_path / toy.LOG).read_text().split() == warm + turns
    outcome = result.cases[0].timed("loop")
    assert outcome is not None
    assert len(outcome.seconds) == len(outcome.cpu_seconds) == 3
    assert outcome.answer == Answer(1_000, sum(range(0, 3_000, 3)))


def test_what_is_slow_warms_up_once(tmp_path: Path) -> None:
    settings = Settings(tmp_path, quick=True, rounds=1, warm_ups=2, patience=1e-9, memory=False)
    case = conducted(settings).cases[0]
    assert (tmp_path / toy.LOG).read_text().split() == ["loop", "builtin", "large"] * 2
    assert all(isinstance(outcome, Timed) for outcome in case.outcomes.values())


def test_memory_is_that_of_the_variant_alone(tmp_path: Path) -> None:
    case = conducted(Settings(tmp_path, quick=True, rounds=1, warm_ups=1)).cases[0]
    small, large = case.timed("builtin"), case.timed("large")
    assert small is not None
    assert large is not None
    assert small.peak_bytes is not None
    assert large.peak_bytes is not None
    assert toy.LARGE * 0.9 < large.peak_bytes - small.peak_bytes < toy.LARGE * 1.5


def test_what_fails_stops_no_other(tmp_path: Path) -> None:
    result = conducted(Settings(tmp_path, rounds=1, warm_ups=1, memory=False))
    found = result.cases[1].outcomes
    total = sum(range(0, 3_000, 3))
    assert found["wrong"] == Failed(
        f"it finds {Answer(1_000, 2_997)}, and loop {Answer(1_000, total)}"
    )
    assert found["broken"] == Failed("ValueError: no [sums] today")
    assert found["dying"] == Failed("the process ended with status 3: out of patience")
    assert found["unavailable"] == Skipped("it needs a quantum computer")
    assert found["absent"] == Skipped(
        "no_such_module is not installed: pip install 'kleene[bench]'"
    )
    assert isinstance(found["many cores"], Skipped)
    assert isinstance(found["floor"], Timed)
    assert isinstance(found["loop"], Timed)
    failed = ["wrong (trouble)", "broken (trouble)", "dying (trouble)"]
    assert result.failed() == failed


def test_what_takes_too_much_is_told_as_such(tmp_path: Path) -> None:
    settings = Settings(tmp_path, rounds=2, warm_ups=1)
    result = conduct(toy.LIMITED, "support.limited_experiment", settings, print, lambda _: None)
    found = result.cases[0].outcomes
    assert found["endless"] == Exceeded("it takes more than 5 seconds", 5.0)
    assert found["greedy"] == Exceeded("all of the memory")
    loop = found["loop"]
    assert isinstance(loop, Timed)
    assert loop.peak_bytes is None
    more = result.cases[1].outcomes
    assert more["endless"] == more["greedy"] == Exceeded("it did so at limits")
    assert isinstance(more["loop"], Timed)
    assert result.cases[2].outcomes["greedy"] == Exceeded("all of the memory")
    assert result.failed() == []
    told = as_json(result)["cases"][0]["variants"]
    assert told["greedy"] == {"exceeded": "all of the memory"}
    out = Console(file=io.StringIO(), width=80)
    out.print(case_table(result.cases[0]))
    assert isinstance(out.file, io.StringIO)
    assert "greedy exceeded what a run is given: all of the memory" in out.file.getvalue()


def test_one_that_only_counts_agrees_with_all_of_the_same_number() -> None:
    assert Answer(3, None).agrees(Answer(3, 17))
    assert Answer(3, 17).agrees(Answer(3, 17))
    assert not Answer(3, 17).agrees(Answer(3, 18))
    assert not Answer(3, 17).agrees(Answer(4, None))


def test_events_are_made_once_and_always_the_same(tmp_path: Path) -> None:
    path = toy.NUMBERS.file(tmp_path)
    first = path.stat().st_mtime_ns, path.read_bytes()
    assert toy.NUMBERS.file(tmp_path) == path
    assert (path.stat().st_mtime_ns, path.read_bytes()) == first
    path.unlink()
    assert toy.NUMBERS.file(tmp_path).read_bytes() == first[1]
    others = {
        replace(toy.NUMBERS, events=5).file(tmp_path),
        Dataset("toy", toy.make_numbers, {"step": 4}, 1_000).file(tmp_path),
    }
    assert path not in others
    assert len(others) == 2


def result_of(*times: tuple[float, ...]) -> Result:
    outcomes = {
        variant.name: Timed(seconds, seconds, Answer(1, 2), 3 << 20)
        for variant, seconds in zip(toy.SUMS.variants, times, strict=True)
    }
    machine = {"processor": "Z80"}
    return Result("toy", quick=False, machine=machine, cases=(CaseResult(toy.SUMS, outcomes),))


def test_figures() -> None:
    # The second round was slow for everyone: ratios do not notice.
    case = result_of((1.0, 9.0, 2.0), (2.0, 18.0, 4.0), (5.0,)).cases[0]
    loop = case.timed("loop")
    assert loop is not None
    assert (loop.median, loop.spread) == (2.0, 4.0)
    assert case.rate("loop") == 500.0
    assert case.ratio("builtin", "loop") == 2.0
    assert case.ratio("large", "loop") == 5.0
    at_most, at_least = toy.SUMS.targets
    assert case.reached(at_most) == (2.0, True)
    assert case.reached(at_least) == (500.0, False)
    assert case.reached(BytesAtMost("builtin", 2 << 20)) == (3 << 20, False)
    assert case.reached(SecondsAtMost("builtin", 4.0)) == (4.0, True)
    assert case.reached(SecondsAtMost("builtin", 1.0, "loop")) == (2.0, False)


def test_json_and_tables() -> None:
    result = result_of((1.0, 9.0, 2.0), (2.0, 18.0, 4.0), (5.0,))
    told = as_json(result)["cases"][0]
    assert told["variants"]["builtin"]["time_by_baseline"] == 2.0
    assert [target["met"] for target in told["targets"]] == [True, False]
    out = Console(file=io.StringIO(), width=80)
    for part in (*map(case_table, result.cases), ratio_table(result), target_table(result)):
        out.print(part)
    assert isinstance(out.file, io.StringIO)
    shown = out.file.getvalue()
    for cell in ("loop", "2.000", "4.000", "0.0005 M", "missed", "met", "1,000 events"):
        assert cell in shown
