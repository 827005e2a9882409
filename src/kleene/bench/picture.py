"""Results as a picture: events a second of each variant, case by case."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from kleene.bench.results import CaseResult, Result

_OURS, _OTHERS = "#c2410c", "#94a3b8"
_BAR, _HEAD = 0.32, 0.75
"""Inches."""


def draw(result: Result, path: Path) -> None:
    """Write the picture of a result; the suffix says in which format."""
    rows = [len(_ran(case)) for case in result.cases]
    heights = [_HEAD + _BAR * max(number, 1) for number in rows]
    figure = Figure(figsize=(9, sum(heights)), layout="constrained")
    ratios = {"height_ratios": heights}
    axes = figure.subplots(len(rows), 1, squeeze=False, sharex=True, gridspec_kw=ratios)
    for case, each in zip(result.cases, axes[:, 0], strict=True):
        _draw_case(case, each)
    axes[-1, 0].set_xlabel("events a second (bars: quartiles)")
    figure.savefig(path, dpi=130)


def _ran(case: CaseResult) -> list[str]:
    return [name for name in case.outcomes if case.timed(name) is not None]


def _draw_case(case: CaseResult, axes: Axes) -> None:
    events = case.case.data.events
    axes.set_title(f"{case.case.name}, {events:,} events", loc="left", fontsize=10)
    axes.set_xscale("log")
    axes.grid(axis="x", alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    for row, name in enumerate(reversed(_ran(case))):
        timed = case.timed(name)
        assert timed is not None
        rate = events / timed.median
        spread = rate * timed.spread / timed.median / 2
        colour = _OURS if name.startswith("Kleene") else _OTHERS
        axes.barh(name, rate, xerr=spread, color=colour, height=0.7)
        axes.annotate(
            f" {rate / 1e6:.3g} M",
            (rate + spread, row),
            va="center",
            fontsize=8,
            xytext=(2, 0),
            textcoords="offset points",
        )
    axes.margins(x=0.12)
