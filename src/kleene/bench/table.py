"""Results as tables for people."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import assert_never

from rich import box
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from kleene.bench.experiment import BytesAtMost, RateAtLeast, SecondsAtMost, Target, TimeAtMost
from kleene.bench.results import CaseResult, Exceeded, Failed, Result, Skipped, Timed, told

_MANY = 100


def case_table(result: CaseResult) -> RenderableType:
    """One case: time, spread, rate, ratio and memory of each variant, and why others have none."""
    case = result.case
    table = _table(f"{case.name}: {case.data.events:,} events")
    for heading in ("seconds", "spread", "cpu s", "events/s", "times", "MiB", "found"):
        table.add_column(heading, justify="right", no_wrap=True)
    notes: list[Text] = []
    for name, outcome in result.outcomes.items():
        match outcome:
            case Timed():
                table.add_row(escape(name), *_figures(result, name, outcome))
            case Skipped(reason):
                table.add_row(escape(name), "skipped")
                notes.append(Text(f"{name} skipped: {reason}", "yellow"))
            case Failed(reason):
                table.add_row(escape(name), "[red]failed[/]")
                notes.append(Text(f"{name} failed: {reason}", "red"))
            case Exceeded(reason):
                table.add_row(escape(name), "exceeded")
                notes.append(Text(f"{name} exceeded what a run is given: {reason}", "yellow"))
            case _:
                assert_never(outcome)
    return Group(table, Text(case.question, "dim"), *notes, "")


def _table(title: str) -> Table:
    table = Table(title=escape(title), title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column("variant")
    return table


def _figures(result: CaseResult, name: str, timed: Timed) -> Iterator[str]:
    yield f"{timed.median:.3f}"
    yield f"{timed.spread:.3f}"
    yield f"{median(timed.cpu_seconds):.2f}"
    yield f"{_number((result.rate(name) or 0) / 1e6)} M"
    yield _times(result, name)
    yield "" if timed.peak_bytes is None else f"{timed.peak_bytes / 2**20:,.0f}"
    yield "" if timed.answer is None else f"{timed.answer.matches:,}"


def ratio_table(result: Result) -> Table:
    """All cases beside each other: the time of each variant by that of the case's baseline."""
    names = dict.fromkeys(name for case in result.cases for name in case.outcomes)
    table = _table("time, as a multiple of the baseline's")
    for case in result.cases:
        table.add_column(escape(case.case.name), justify="right", overflow="fold")
    for name in names:
        cells = (_times(case, name) if name in case.outcomes else "" for case in result.cases)
        table.add_row(escape(name), *cells)
    return table


def target_table(result: Result) -> Table:
    """The targets, and whether they were met."""
    table = Table("case", title="targets", title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column("target", overflow="fold")
    table.add_column("measured", justify="right")
    table.add_column("")
    for case in result.cases:
        for target in case.case.targets:
            reached = case.reached(target)
            figure, met = ("", "not measured") if reached is None else _told(target, *reached)
            table.add_row(escape(case.case.name), escape(told(target)), figure, met)
    return table


def _told(target: Target, figure: float, met: bool) -> tuple[str, str]:  # noqa: FBT001 - a value
    verdict = "met" if met else "[red]missed[/]"
    match target:
        case TimeAtMost():
            return _number(figure), verdict
        case RateAtLeast():
            return f"{_number(figure / 1e6)} million", verdict
        case SecondsAtMost():
            return f"{_number(figure)} s", verdict
        case BytesAtMost():
            return f"{figure / 2**20:,.0f} MiB", verdict
        case _:
            assert_never(target)


def _times(result: CaseResult, name: str) -> str:
    ratio = result.ratio(name, result.case.baseline)
    return "" if ratio is None else _number(ratio)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= _MANY else f"{value:.3g}"
