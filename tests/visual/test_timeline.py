"""Timelines: what is on them, what a terminal shows (golden), and that a picture is one."""

from __future__ import annotations

import io
import os
import struct
import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from rich.console import Console

import kleene
from kleene.errors import InputError, MissingLibraryError
from kleene.visual import Timeline, timeline
from kleene.visual.axis import axis_of
from kleene.visual.timeline import MOST_LANES, MOST_MATCHES

GOLDEN = Path(__file__).parent / "terminal.txt"
MIDNIGHT = datetime(2026, 1, 1, tzinfo=UTC)
PNG = b"\x89PNG\r\n\x1a\n"


def rows(*told: tuple[float, str, str, float | None]) -> pa.Table:
    """Events of a time, type, lane and, perhaps, a start; times in seconds."""

    def moment(seconds: float | None) -> datetime | None:
        return None if seconds is None else MIDNIGHT + timedelta(seconds=seconds)

    columns = {
        "ts": [moment(time) for time, *_ in told],
        "kind": [kind for _, kind, *_ in told],
        "host": [host for _, _, host, _ in told],
        "began": pa.array([moment(start) for *_, start in told], pa.timestamp("us", "UTC")),
    }
    return pa.table(columns)


EVENTS = rows(
    (0, "Start", "web", None),
    (2, "Query", "db", 1),
    (4, "Query", "db", 2.5),
    (9, "Query", "db", 6),
    (10, "Error", "web", None),
    (12, "Ping", "cache", None),
    (20, "Error", "web", 14),
)
QUERIES = {
    "Queries before an error": "SEQ(Start s, Query+ q[], Error e) STRATEGY skip_till_next_match",
    "Two errors": "SEQ(Error a, Error b)",
    "Nothing": "SEQ(Error a, Start b)",
}
ROLES = {"time": "ts", "type": "kind"}


def matches(query: str, events: Any = EVENTS) -> Any:
    return kleene.match(events, query, time="ts", type="kind")


def drawn(events: Any = EVENTS, **queries: str) -> Timeline:
    found = {name: matches(query, events) for name, query in (queries or QUERIES).items()}
    return timeline(events, found, lane="host", start="began", title="A shop", **ROLES)


def in_terminal(picture: Timeline, width: int = 72) -> str:
    out = io.StringIO()
    Console(width=width, file=out).print(picture)
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def size(png: bytes) -> tuple[int, int]:
    assert png.startswith(PNG)
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def test_lanes_and_panels() -> None:
    found = drawn()
    assert found.lanes == ("web", "db", "cache")
    assert found.hidden_lanes == 0
    first, second, third = found.panels
    assert first.variables == ("s Start", "q Query", "e Error")
    assert [[b.variable for b in match] for match in first.matches] == [[0, 1, 1, 1, 2]]
    assert [b.mark.end for b in first.matches[0]] == [0, 2, 4, 9, 10]
    assert [b.mark.start for b in first.matches[0]] == [None, 1, 2.5, 6, None]
    assert [b.mark.lane for b in second.matches[0]] == [0, 0]
    assert third.matches == ()


def test_the_terminal() -> None:
    text = in_terminal(drawn())
    if "KLEENE_GOLDEN" in os.environ:
        GOLDEN.write_text(text, "utf-8")
    assert text == GOLDEN.read_text("utf-8")


@pytest.mark.parametrize("width", [20, 40, 61, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    text = in_terminal(drawn(), width)
    assert max(map(len, text.splitlines())) <= max(width, 30)


def test_a_picture_has_a_panel_for_each_query(tmp_path: Path) -> None:
    drawn().save(tmp_path / "all.png")
    drawn(one="Error e").save(tmp_path / "one.png")
    all_of_them, one = (size((tmp_path / name).read_bytes()) for name in ("all.png", "one.png"))
    assert all_of_them[0] > one[0] > 500
    assert all_of_them[1] > one[1] > 200
    assert size(drawn()._repr_png_()) == all_of_them


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_of_other_libraries(frame: type) -> None:
    events = EVENTS.to_pandas() if frame is pd.DataFrame else pl.from_arrow(EVENTS)
    assert isinstance(events, frame)
    found = timeline(events, matches("SEQ(Error a, Error b)", events), lane="host", **ROLES)
    assert len(found.panels[0].matches) == 1


def test_groups_and_what_is_unbound() -> None:
    found = matches("SEQ(Start s, Ping? p, (SEQ(Query q, Error e))+) STRATEGY skip_till_next_match")
    (panel,) = timeline(EVENTS, found, lane="host", **ROLES).panels
    assert panel.variables[0] == "s Start"
    assert len(panel.matches) == found.num_rows
    assert all(panel.matches)


def test_hostile_names_are_drawn_as_they_are(tmp_path: Path) -> None:
    names = ["$a^$", "\\frac{1}", "_x", "[red]no markup[/red]", "line\nbreak", "w" * 300, ""]
    events = rows(*((number, "A", name, None) for number, name in enumerate(names)))
    picture = timeline(events, {"$q_": matches("A a", events)}, lane="host", title="$", **ROLES)
    text = in_terminal(picture)
    assert "[red]no markup[/red]" in text
    assert "line break" in text
    picture.save(tmp_path / "x.png")
    assert size((tmp_path / "x.png").read_bytes())[0] < 3000


def test_wide_letters_take_two_places() -> None:
    events = rows((0, "A", "漢字", None), (1, "A", "abcd", None))
    picture = timeline(events, matches("A a", events), lane="host", **ROLES)
    wide, narrow = (
        line for line in in_terminal(picture).splitlines() if line[:2] in {"漢字", "ab"}
    )
    assert wide.index("●") + 2 == narrow.index("abcd") + len("abcd    ")


def test_what_is_too_much_is_left_out_and_said() -> None:
    events = rows(*((n, "A" if n % 2 else "B", f"host {n}", None) for n in range(300)))
    found = matches("SEQ(A a, B b) WITHIN 5 s", events)
    picture = timeline(events, found, lane="host", **ROLES)
    assert len(picture.lanes) == MOST_LANES
    assert picture.hidden_lanes == 300 - MOST_LANES
    (panel,) = picture.panels
    assert len(panel.matches) + panel.more <= found.num_rows
    assert panel.more == found.num_rows - MOST_MATCHES
    assert "and " in in_terminal(picture)
    assert f"{picture.hidden_lanes} lanes" in in_terminal(picture)


def test_matches_without_events_are_refused() -> None:
    with pytest.raises(InputError, match="without its RETURN"):
        timeline(EVENTS, matches("Start s RETURN s.ts"), lane="host", **ROLES)


def test_a_column_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="did you mean host"):
        timeline(EVENTS, matches("Start s"), lane="hots", **ROLES)


def test_without_matplotlib_there_is_a_hint(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingLibraryError, match=r"kleene\[pictures\]"):
        drawn().save(tmp_path / "no.png")
    assert not (tmp_path / "no.png").exists()


def test_no_events_at_all(tmp_path: Path) -> None:
    events = EVENTS.slice(0, 0)
    picture = timeline(events, matches("Start s", events), lane="host", **ROLES)
    assert "no matches" in in_terminal(picture)
    picture.save(tmp_path / "empty.png")
    assert size((tmp_path / "empty.png").read_bytes())


@pytest.mark.parametrize(
    ("last", "unit"),
    [
        (MIDNIGHT, "ms"),
        (MIDNIGHT + timedelta(milliseconds=9), "ms"),
        (MIDNIGHT + timedelta(seconds=4), "ms"),
        (MIDNIGHT + timedelta(seconds=9), "s"),
        (MIDNIGHT + timedelta(minutes=6), "min"),
        (MIDNIGHT + timedelta(hours=11), "h"),
        (MIDNIGHT + timedelta(days=40), "days"),
    ],
)
def test_units_of_time(last: datetime, unit: str) -> None:
    axis = axis_of([last, MIDNIGHT], "ts")
    assert axis.label.split()[0] == unit
    ticks = axis.ticks(6)
    assert 2 <= len(ticks) <= 7
    assert ticks[0] == 0


def test_numbers_and_dates_as_time() -> None:
    assert axis_of([5, 1005], "n").ticks(5) == [500, 1000]
    days = axis_of([date(2026, 1, 1), date(2026, 3, 1)], "day")
    assert days.label == "days since 2026-01-01"
    assert days.at(date(2026, 1, 11)) == 10


def test_it_is_printed_as_it_is_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    rows = pa.table({"t": [1, 2], "kind": ["A", "B"], "host": ["x", "x"]})
    found = kleene.match(rows, "SEQ(A a, B b)", time="t", type="kind")
    print(timeline(rows, found, time="t", lane="host"))  # noqa: T201 - what is tested
    assert "match 1 ●" in capsys.readouterr().out
