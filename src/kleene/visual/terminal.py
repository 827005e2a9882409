"""A timeline as text: lanes of characters, one panel below the other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from kleene.errors import printable
from kleene.visual.colours import look
from kleene.visual.timeline import Bound, Mark, Panel, Timeline

_LONGEST_NAME, _NARROWEST, _TICK_WIDTH = 28, 20, 12
_MOST_SPANS = 6
_QUIET = "bright_black"
_LINE, _BAR, _INSTANT = "─", "━", "╵"


def lines(timeline: Timeline, width: int) -> Iterator[Text]:
    """The lines of the text, not wider than the terminal."""
    if timeline.title:
        yield Text(printable(timeline.title), "bold")
    for number, panel in enumerate(timeline.panels):
        if number:
            yield Text()
        yield from _Drawing(timeline, panel, width).lines()
    if timeline.hidden_lanes:
        yield Text(f"{timeline.hidden_lanes:,} lanes are not shown", _QUIET)


class _Drawing:
    """One panel: the lanes in which it has matches, the spans of the matches, and the axis."""

    def __init__(self, timeline: Timeline, panel: Panel, width: int) -> None:
        self._timeline = timeline
        self._panel = panel
        self._lanes = sorted({bound.mark.lane for match in panel.matches for bound in match})
        names = [printable(timeline.lanes[lane]) for lane in self._lanes]
        longest = max(map(cell_len, [*names, f"match {len(panel.matches)}"]))
        self._margin = min(longest, _LONGEST_NAME)
        self._width = max(width - self._margin - 2, _NARROWEST)

    def lines(self) -> Iterator[Text]:
        if self._panel.name:
            yield Text(printable(self._panel.name), "bold")
        if not self._panel.matches:
            yield Text("no matches", _QUIET)
            return
        yield self._legend()
        for lane in self._lanes:
            yield self._row(self._timeline.lanes[lane], self._lane(lane))
        spans = self._panel.matches[:_MOST_SPANS]
        for number, match in enumerate(spans, 1):
            yield self._row(f"match {number}", self._span(match))
        if more := len(self._panel.matches) - len(spans) + self._panel.more:
            yield self._row("", Text(f"and {more} more", _QUIET))
        yield from self._axis()

    def _legend(self) -> Text:
        found = Text()
        for number, name in enumerate(self._panel.variables):
            drawn = look(number)
            found.append(f"{drawn.glyph} ", drawn.colour).append(f"{printable(name)}   ")
        found.rstrip()
        return found

    def _row(self, name: str, drawn: Text) -> Text:
        label = set_cell_size(printable(name), self._margin)
        if cell_len(printable(name)) > self._margin:
            label = set_cell_size(printable(name), self._margin - 1) + "…"
        row = Text(f"{label} ").append(drawn)
        row.rstrip()
        return row

    def _cell(self, moment: float) -> int:
        axis = self._timeline.axis
        share = (moment - axis.start) / axis.length
        return min(max(round(share * (self._width - 1)), 0), self._width - 1)

    def _lane(self, lane: int) -> Text:
        row = _Row(self._width)
        for mark in sorted(
            (m for m in self._timeline.events if m.lane == lane), key=lambda m: m.start is not None
        ):
            self._draw(row, mark, _LINE, _INSTANT, _QUIET)
        bound = [b for match in self._panel.matches for b in match if b.mark.lane == lane]
        for one in bound:
            self._draw(row, one.mark, _BAR, "", look(one.variable).colour)
        for one in bound:
            drawn = look(one.variable)
            row.put(self._cell(one.mark.end), drawn.glyph, f"bold {drawn.colour}")
        return row.text()

    def _draw(self, row: _Row, mark: Mark, bar: str, instant: str, style: str) -> None:
        end = self._cell(mark.end)
        if mark.start is None:
            row.put(end, instant, style)
        else:
            for cell in range(self._cell(mark.start), end + 1):
                row.put(cell, bar, style)

    def _span(self, match: tuple[Bound, ...]) -> Text:
        row = _Row(self._width)
        cells = [self._cell(bound.mark.end) for bound in match]
        for cell in range(min(cells), max(cells) + 1):
            row.put(cell, _LINE, _QUIET)
        for cell, bound in zip(cells, match, strict=True):
            drawn = look(bound.variable)
            row.put(cell, drawn.glyph, drawn.colour)
        return row.text()

    def _axis(self) -> Iterator[Text]:
        rule, labels = _Row(self._width), _Row(self._width)
        for cell in range(self._width):
            rule.put(cell, _LINE, _QUIET)
        free = 0
        for tick in self._timeline.axis.ticks(max(self._width // _TICK_WIDTH, 2)):
            cell, label = self._cell(tick), f"{tick:,g}"
            rule.put(cell, "┴", _QUIET)
            start = max(min(cell - len(label) // 2, self._width - len(label)), 0)
            if start >= free:
                for place, sign in enumerate(label, start):
                    labels.put(place, sign, _QUIET)
                free = start + len(label) + 1
        yield self._row("", rule.text())
        yield self._row("", labels.text())
        name = printable(self._timeline.axis.label)
        yield self._row("", Text(name.rjust(self._width), _QUIET))


class _Row:
    """A row of cells, each with a character and a style."""

    def __init__(self, width: int) -> None:
        self._cells = [(" ", "")] * width

    def put(self, cell: int, sign: str, style: str) -> None:
        if sign:
            self._cells[cell] = (sign, style)

    def text(self) -> Text:
        found = Text()
        for style, cells in groupby(self._cells, itemgetter(1)):
            found.append("".join(sign for sign, _ in cells), style)
        return found
