"""A timeline as PNG: the lanes of all events, and in each panel the matches of one query."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING

from kleene.errors import NOWHERE, MissingLibraryError, printable
from kleene.visual.colours import look
from kleene.visual.timeline import Bound, Mark, Panel, Timeline

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_INK, _FAINT, _GRID, _EVENT = "#20262E", "#66707C", "#E8EBEF", "#CFD5DC"
_PANEL_WIDTH, _LANE_HEIGHT, _PANEL_MARGIN = 7.2, 0.235, 1.15
_LONGEST_NAME = 36
_TICKS = 8
_BAR, _SPAN_GAP, _MOST_SPANS = 0.62, 1.0, 6
_DPI = 130
_LIGHTER = 0.45


def png(timeline: Timeline) -> bytes:
    """The picture of a timeline."""
    figure = _figure(timeline)
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=_DPI, facecolor="white")
    return file.getvalue()


def _figure(timeline: Timeline) -> Figure:
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - an extra
    except ImportError:
        hint = "pip install 'kleene[pictures]'; a terminal needs none: print(timeline)"
        raise MissingLibraryError("pictures are drawn by matplotlib", NOWHERE, hint) from None
    columns = 1 if len(timeline.panels) == 1 else 2
    rows = math.ceil(len(timeline.panels) / columns)
    spans = max((min(len(p.matches), _MOST_SPANS) for p in timeline.panels), default=0)
    height = _PANEL_MARGIN + _LANE_HEIGHT * (len(timeline.lanes) + _SPAN_GAP + spans)
    figure = Figure(
        figsize=(_PANEL_WIDTH * columns + 0.8, rows * height + 0.5), layout="constrained"
    )
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.12)  # type: ignore[union-attr, call-arg]
    if timeline.hidden_lanes:
        left_out = f"{timeline.hidden_lanes:,} lanes are not shown"
        figure.supxlabel(left_out, fontsize=8.5, color=_FAINT)
    if timeline.title:
        figure.suptitle(_plain(timeline.title), fontsize=14, weight="bold", color=_INK)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for number, axes in enumerate(grid.flat):
        if number < len(timeline.panels):
            _draw_panel(axes, timeline, timeline.panels[number], spans)
            axes.tick_params(labelbottom=True)
        else:
            axes.set_visible(False)
    return figure


def _draw_panel(axes: Axes, timeline: Timeline, panel: Panel, spans: int) -> None:
    _draw_frame(axes, timeline, spans)
    for mark in timeline.events:
        _draw_event(axes, mark, _EVENT)
    for match in panel.matches:
        _draw_links(axes, match)
    for bound in (bound for match in panel.matches for bound in match):
        _draw_event(axes, bound.mark, _tint(look(bound.variable).colour))
    for bound in (bound for match in panel.matches for bound in match):
        _draw_marker(axes, bound, bound.mark.lane)
    for number, match in enumerate(panel.matches[:_MOST_SPANS]):
        _draw_span(axes, match, len(timeline.lanes) + _SPAN_GAP + number)
    _draw_title(axes, panel)


def _draw_frame(axes: Axes, timeline: Timeline, spans: int) -> None:
    lanes, axis = len(timeline.lanes), timeline.axis
    bottom = lanes + _SPAN_GAP + spans
    axes.set_ylim(bottom - 0.3, -0.8)
    places = [*range(lanes), *([lanes + _SPAN_GAP + (spans - 1) / 2] if spans else [])]
    names = [_plain(name, _LONGEST_NAME) for name in timeline.lanes]
    axes.set_yticks(places, [*names, *["matches"][:spans]], fontsize=8.5, color=_INK)
    margin = axis.length * 0.02
    axes.set_xlim(axis.start - margin, axis.start + axis.length + margin)
    ticks = axis.ticks(_TICKS)
    axes.set_xticks(ticks, [f"{tick:,g}" for tick in ticks], fontsize=8.5, color=_FAINT)
    axes.set_xlabel(_plain(axis.label), fontsize=8.5, color=_FAINT)
    axes.grid(axis="x", color=_GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    if spans:
        axes.axhline(lanes - 0.1, color=_EVENT, linewidth=0.8)


def _draw_event(axes: Axes, mark: Mark, colour: str) -> None:
    if mark.start is None:
        half = _BAR / 2
        axes.vlines(mark.end, mark.lane - half, mark.lane + half, color=colour, linewidth=1.2)
    else:
        length = mark.end - mark.start
        axes.barh(mark.lane, length, _BAR, mark.start, color=colour, edgecolor="white", zorder=2)


def _draw_links(axes: Axes, match: tuple[Bound, ...]) -> None:
    places = [bound.mark.end for bound in match]
    lanes = [bound.mark.lane for bound in match]
    axes.plot(places, lanes, color=_INK, linewidth=0.9, alpha=0.55, zorder=3)


def _draw_marker(axes: Axes, bound: Bound, place: float) -> None:
    drawn = look(bound.variable)
    axes.plot(
        bound.mark.end,
        place,
        marker=drawn.marker,
        color=drawn.colour,
        markersize=7,
        markeredgecolor="white",
        markeredgewidth=0.9,
        zorder=4,
    )


def _draw_span(axes: Axes, match: tuple[Bound, ...], place: float) -> None:
    ends = [bound.mark.end for bound in match]
    axes.hlines(place, min(ends), max(ends), color=_FAINT, linewidth=1.4)
    for bound in match:
        _draw_marker(axes, bound, place)


def _draw_title(axes: Axes, panel: Panel) -> None:
    from matplotlib.lines import Line2D  # noqa: PLC0415 - an extra, there by now

    found = len(panel.matches) + panel.more
    told = f"{found:,} match{'' if found == 1 else 'es'}"
    if found > _MOST_SPANS:
        told += f", the first {len(panel.matches)} drawn" if panel.more else ""
    name = f"{_plain(panel.name)}  –  {told}" if panel.name else told
    axes.set_title(name, loc="left", fontsize=10.5, weight="bold", color=_INK, pad=24)
    handles = []
    for number, variable in enumerate(panel.variables):
        drawn, label = look(number), f" {_plain(variable, _LONGEST_NAME)}"  # "_" would hide it
        shape = Line2D([], [], linestyle="", marker=drawn.marker, color=drawn.colour, label=label)
        handles.append(shape)
    if handles:
        axes.legend(
            handles=handles,
            loc="lower left",
            bbox_to_anchor=(0, 1),
            borderaxespad=0.3,
            ncols=len(handles),
            frameon=False,
            fontsize=8.5,
            handletextpad=0.1,
            columnspacing=1.4,
            labelcolor=_INK,
        )


def _tint(colour: str) -> str:
    """A lighter colour, on which a marker of the colour itself stands out.

    >>> _tint("#0072B2")
    '#73b1d5'
    """
    parts = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return "#" + "".join(f"{round(part + (255 - part) * _LIGHTER):02x}" for part in parts)


def _plain(text: str, longest: int = 110) -> str:
    r"""A text as it is, on one line: a dollar would begin a formula.

    >>> _plain("a$b"), _plain("abcdef", 3)
    ('a\\$b', 'abc…')
    """
    line = printable(text)
    line = line if len(line) <= longest else f"{line[:longest]}…"
    return line.replace("$", r"\$")
