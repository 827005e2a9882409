"""What is told behind the cases: both sweeps of every class, runs, costs, and the targets."""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.console import RenderableType
from rich.table import Table

from kleene.bench.results import CaseResult, Exceeded, Failed, Result
from kleene.bench.sase.sweeps import Sweep, sweeps, times_faster
from kleene.bench.sase.variants import (
    AUTO,
    AUTOMATON,
    CONSTRUCTING,
    ENDLESS,
    MATCHING,
    METHODS,
    RUNS,
    STARTING,
)
from kleene.bench.table import target_table

FASTER, NO_SLOWER = 383, 1.1
"""The largest gain that the paper reports; how much slower than the automaton is too slow."""
_NAMES = {"selectivity": "θ", "window": "W"}


def conclusions(result: Result) -> Iterator[RenderableType]:
    """All tables."""
    for along in ("selectivity", "window"):
        for sweep in sweeps(result, along):
            yield _rates(sweep)
    for sweep in sweeps(result, "window"):
        yield _costs(sweep)
    yield _gains(result)
    if not result.quick:
        yield target_table(result)


def _table(title: str, first: str) -> Table:
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column(first, justify="right", no_wrap=True)
    return table


def _rates(sweep: Sweep) -> Table:
    """Events a second, and the selectivity that the events really have."""
    other = "W" if sweep.along == "selectivity" else "θ"
    title = f"{sweep.predicates}, {other} = {sweep.fixed:g}: million events a second"
    table = _table(title, _NAMES[sweep.along])
    for heading in ("matches by events", *sweep.variants):
        table.add_column(heading, justify="right")
    for case in sweep.cases:
        rates = (_rate(case, name) for name in sweep.variants)
        table.add_row(f"{sweep.where(case):g}", _selectivity(case), *rates)
    return table


def _rate(case: CaseResult, variant: str) -> str:
    rate = case.rate(variant)
    if rate is not None:
        return f"{rate / 1e6:.3g}"
    match case.outcomes[variant]:
        case Exceeded(_, seconds):
            return "exceeded" if seconds is None else f"> {seconds:g} s"
        case Failed():
            return "failed"
        case _:
            return "skipped"


def _selectivity(case: CaseResult) -> str:
    for name in case.outcomes:
        timed = case.timed(name)
        if timed is not None and timed.answer is not None:
            return f"{timed.answer.matches / case.case.data.events:.3g}"
    return ""


def _costs(sweep: Sweep) -> Table:
    """Runs, and seconds of each stage, where they were told."""
    table = _table(f"{sweep.predicates}, θ = {sweep.fixed:g}: runs, processor time by stage", "W")
    headings = (RUNS, STARTING, MATCHING, CONSTRUCTING)
    for heading in ("method", *headings):
        table.add_column(heading, justify="right")
    for case in sweep.cases:
        for method in METHODS:
            timed = case.timed(method) if method in case.outcomes else None
            if timed is not None and RUNS in timed.figures:
                runs, *seconds = (timed.figures[name] for name in headings)
                shown = f"{runs:,.0f}" if runs < ENDLESS else f"> {ENDLESS:.0e}"
                cells = (f"{each:.3f}" for each in seconds)
                table.add_row(f"{sweep.where(case):g}", method, shown, *cells)
    return table


def _gains(result: Result) -> Table:
    """Where each method gains most on the automaton, and where least."""
    table = _table(f"times faster than {AUTOMATON}, in processor time", "method")
    for heading in ("most", "where", "least", "where"):
        table.add_column(heading)
    for method in (*METHODS[1:], AUTO):
        told = []
        for case in result.cases:
            gain = times_faster(case, method, AUTOMATON)
            if gain is not None:
                told.append((*gain, case.case.name))
        if told:
            most, least = max(told), min(told)
            cells = (_gain(most), most[-1], _gain(least), least[-1])
            table.add_row(method, *cells)
    table.caption = f"targets: {FASTER} at most, and nowhere below {1 / NO_SLOWER:.2f}"
    return table


def _gain(told: tuple[float, bool, str]) -> str:
    return f"{'at least ' if told[1] else ''}{told[0]:,.3g}"
