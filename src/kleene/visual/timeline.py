"""Matches on a line of time: what is drawn, before anything is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import pyarrow as pa
from rich.console import Console, ConsoleOptions, RenderResult

from kleene.errors import NOWHERE, InputError, nearest
from kleene.visual.axis import Axis, axis_of

MOST_LANES, MOST_MATCHES = 60, 100
"""What a picture shows at most, of lanes and of the matches of a query."""

Row = Mapping[str, Any]
Match = list[tuple[int, Row]]


@dataclass(frozen=True, slots=True)
class Mark:
    """An event in its lane: at a moment, or with a duration up to that moment."""

    lane: int
    end: float
    start: float | None = None


@dataclass(frozen=True, slots=True)
class Bound:
    """An event of a match, with the variable that it is bound to."""

    variable: int
    mark: Mark


@dataclass(frozen=True, slots=True)
class Panel:
    """What one query found: its variables, each match as its events in order, and how many more."""

    name: str
    variables: tuple[str, ...]
    matches: tuple[tuple[Bound, ...], ...]
    more: int


@dataclass(frozen=True, slots=True)
class Timeline:
    """Events in lanes, and the matches of queries among them.

    Print it, save it as PNG with `save`; a notebook shows it as it is.
    """

    title: str
    axis: Axis
    lanes: tuple[str, ...]
    hidden_lanes: int
    events: tuple[Mark, ...]
    panels: tuple[Panel, ...]

    def save(self, path: str | PathLike[str]) -> None:
        """Write a PNG. This needs matplotlib, of the extra `kleene[pictures]`."""
        from kleene.visual.picture import png  # noqa: PLC0415 - matplotlib is an extra

        Path(path).write_bytes(png(self))

    def _repr_png_(self) -> bytes:
        from kleene.visual.picture import png  # noqa: PLC0415 - as above

        return png(self)

    def __str__(self) -> str:
        console = Console()
        with console.capture() as drawn:
            console.print(self)
        return drawn.get().rstrip("\n")

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from kleene.visual.terminal import lines  # noqa: PLC0415 - it draws what is declared here

        yield from lines(self, options.max_width)


def timeline(  # noqa: PLR0913 - the roles of columns
    events: Any,
    matches: Any,
    *,
    time: str,
    lane: str,
    start: str | None = None,
    type: str | None = None,  # noqa: A002 - as in kleene.match
    title: str = "",
) -> Timeline:
    """Matches drawn over the events among which they were found.

    `matches` is what `kleene.match` returns for a query without RETURN, or a dict of such frames
    by the name of their query: each gets a panel of its own. Events lie in lanes by the value of
    the column `lane`, such as the machine or the user, at their `time`; with `start`, a column of
    moments as well, those where it is not null are bars from there to their time. With `type` the
    legend says of which type the events of a variable are. Any kind of frame will do.

    >>> import kleene
    >>> rows = pa.table({"t": [1, 2, 3], "kind": ["A", "B", "B"], "host": ["x", "x", "y"]})
    >>> found = kleene.match(rows, "SEQ(A a, B b)", time="t", type="kind")
    >>> drawn = timeline(rows, found, time="t", lane="host", type="kind")
    >>> drawn.lanes, [len(panel.matches) for panel in drawn.panels]
    (('x', 'y'), [2])
    """
    table = _table(events)
    for name in (time, lane, start, type):
        if name is not None and name not in table.schema.names:
            reason = f"the events have no column {name}"
            raise InputError(reason, NOWHERE, *nearest(name, table.schema.names))
    roles = _Roles(time, lane, start, type)
    rows = [row for row in table.to_pylist() if roles.is_drawn(row)]
    frames = matches if isinstance(matches, Mapping) else {"": matches}
    found = {name: _bindings(_table(frame), roles) for name, frame in frames.items()}
    bound = [row for _, all_of in found.values() for match in all_of for _, row in match]
    axis = axis_of((moment for row in [*rows, *bound] for moment in roles.moments(row)), time)
    lanes = _lanes(rows, bound, roles)
    shown = {name: place for place, name in enumerate(lanes[:MOST_LANES])}
    pen = _Pen(roles, axis, shown)
    return Timeline(
        title=title,
        axis=axis,
        lanes=tuple(shown),
        hidden_lanes=len(lanes) - len(shown),
        events=tuple(pen.marks(rows)),
        panels=tuple(pen.panel(name, *told) for name, told in found.items()),
    )


def _table(frame: Any) -> pa.Table:
    """Any kind of frame as a table: Spark has a way of its own, all others speak Arrow."""
    return frame.toArrow() if hasattr(frame, "toArrow") else pa.table(frame)


@dataclass(frozen=True, slots=True)
class _Roles:
    time: str
    lane: str
    start: str | None
    type: str | None

    def is_drawn(self, row: Row) -> bool:
        return row.get(self.time) is not None and row.get(self.lane) is not None

    def begin(self, row: Row) -> Any:
        return None if self.start is None else row[self.start]

    def moments(self, row: Row) -> Iterator[object]:
        yield row[self.time]
        if self.begin(row) is not None:
            yield self.begin(row)


def _bindings(table: pa.Table, roles: _Roles) -> tuple[list[str], list[Match]]:
    """The variables, and the events of each match, in order, each with its variable."""
    names = [field.name for field in table.schema if _holds_events(field.type, roles)]
    if not names:
        reason = "the matches have no column of whole events"
        raise InputError(reason, NOWHERE, "take the matches of the query without its RETURN")
    matches = []
    for match in table.select(names).to_pylist():
        found = [(number, row) for number, name in enumerate(names) for row in _events(match[name])]
        drawn = [(number, row) for number, row in found if roles.is_drawn(row)]
        matches.append(sorted(drawn, key=lambda bound: bound[1][roles.time]))
    matches.sort(key=lambda match: [bound[1][roles.time] for bound in match])
    return names, matches


def _holds_events(kind: pa.DataType, roles: _Roles) -> bool:
    while pa.types.is_list(kind) or pa.types.is_large_list(kind):
        kind = kind.value_type
    names = {field.name for field in kind} if pa.types.is_struct(kind) else set()
    return {roles.time, roles.lane} <= names


def _events(value: Any) -> Iterator[Row]:
    if isinstance(value, list):
        for inner in value:
            yield from _events(inner)
    elif value is not None:
        yield value


def _lanes(rows: Iterable[Row], bound: Iterable[Row], roles: _Roles) -> list[str]:
    """The lanes by their first moment; if there are too many, those with matches come first."""
    first: dict[str, Any] = {}
    taking_part = {str(row[roles.lane]) for row in bound}
    for row in [*rows, *bound]:
        name, moment = str(row[roles.lane]), min(roles.moments(row))  # type: ignore[type-var]
        first[name] = min(first.get(name, moment), moment)
    crowded = len(first) > MOST_LANES
    return sorted(first, key=lambda name: (crowded and name not in taking_part, first[name], name))


@dataclass(frozen=True, slots=True)
class _Pen:
    """Makes marks of rows, in the lanes that are shown."""

    roles: _Roles
    axis: Axis
    lanes: Mapping[str, int]

    def marks(self, rows: Iterable[Row]) -> Iterator[Mark]:
        for row in rows:
            place = self.lanes.get(str(row[self.roles.lane]))
            if place is not None:
                begin = self.roles.begin(row)
                start = None if begin is None else self.axis.at(begin)
                yield Mark(place, self.axis.at(row[self.roles.time]), start)

    def panel(self, name: str, variables: list[str], matches: list[Match]) -> Panel:
        types: dict[int, dict[str, None]] = {number: {} for number in range(len(variables))}
        for number, row in (bound for match in matches for bound in match):
            if self.roles.type is not None:
                types[number][str(row[self.roles.type])] = None
        shown = [
            tuple(Bound(number, mark) for number, row in match for mark in self.marks([row]))
            for match in matches[:MOST_MATCHES]
        ]
        told = zip(variables, types.values(), strict=True)
        return Panel(
            name=name,
            variables=tuple(
                f"{variable} {' or '.join(kinds)}".rstrip() for variable, kinds in told
            ),
            matches=tuple(match for match in shown if match),
            more=len(matches) - len(shown),
        )
