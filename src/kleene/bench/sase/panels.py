"""The microbenchmarks as a picture, with panels like those of figure 4 of paper 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from kleene.bench.results import Result
from kleene.bench.sase.point import FALSE, TRUE
from kleene.bench.sase.sweeps import Sweep, sweeps
from kleene.bench.sase.variants import AUTOMATON, CONSTRUCTING, MATCHING, METHODS, RUNS, STARTING

_COLOURS = ("#475569", "#0891b2", "#16a34a", "#c2410c", "#9333ea", "#ca8a04", "#db2777", "#2563eb")
_MARKERS = "osD^vPX*"
_LEAST = 1e-3
"""Seconds below which nothing is told apart."""
Drawn = tuple[list[float], list[float]]
_STAGES = {STARTING: "#475569", MATCHING: "#0891b2", CONSTRUCTING: "#c2410c"}


def draw(result: Result, path: Path) -> None:
    """Write the picture; the suffix says in which format."""
    by_selectivity = {sweep.predicates: sweep for sweep in sweeps(result, "selectivity")}
    by_window = {sweep.predicates: sweep for sweep in sweeps(result, "window")}
    true, false = by_window.get(TRUE.name), by_window.get(FALSE.name)
    panels: list[tuple[str, Sweep | None, Callable[[Axes, Sweep], None]]] = [
        ("a", by_selectivity.get(TRUE.name), _draw_rates),
        ("b", true, _draw_rates),
        ("c", true, _draw_runs),
        ("d", false, _draw_rates),
        ("e", true, lambda axes, sweep: _draw_costs(axes, sweep, [AUTOMATON])),
        ("f", true, lambda axes, sweep: _draw_costs(axes, sweep, METHODS[1:])),
    ]
    figure = Figure(figsize=(15, 9), layout="constrained")
    for (letter, sweep, draw_in), axes in zip(panels, figure.subplots(2, 3).flat, strict=True):
        if sweep is None:
            axes.set_axis_off()
            continue
        draw_in(axes, sweep)
        if not axes.lines:
            axes.set_axis_off()
            continue
        other = "θ" if sweep.along == "window" else "W"
        title = f"({letter}) {sweep.predicates}, {other} = {sweep.fixed:g}"
        axes.legend(fontsize=7)
        axes.set_title(title, loc="left", fontsize=10)
        axes.set_xlabel("window W" if sweep.along == "window" else "selectivity θ")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=110)


def _plot(axes: Axes, drawn: Drawn, name: str, style: str, colour: str) -> None:
    """A line, if there is something to draw."""
    where, values = drawn
    if where:
        shown = [max(value, _LEAST) for value in values]
        axes.plot(where, shown, style, label=name, color=colour, markersize=4)


def _draw_rates(axes: Axes, sweep: Sweep) -> None:
    for name, colour, marker in zip(sweep.variants, _COLOURS, _MARKERS, strict=False):
        _plot(axes, sweep.rates(name), name, f"{marker}-", colour)
    axes.set_ylabel("events a second")


def _draw_runs(axes: Axes, sweep: Sweep) -> None:
    for name, colour, marker in zip(METHODS, _COLOURS, _MARKERS, strict=False):
        _plot(axes, sweep.figures(name, RUNS), name, f"{marker}-", colour)
    axes.set_ylabel("runs")


def _draw_costs(axes: Axes, sweep: Sweep, methods: Sequence[str]) -> None:
    for method, style in zip(methods, ("o-", "s--", "^:", "v-.", "D-"), strict=False):
        for stage, colour in _STAGES.items():
            name = f"{method}: {stage.removesuffix(' s')}"
            _plot(axes, sweep.figures(method, stage), name, style, colour)
    axes.set_ylabel("seconds of processor time")
