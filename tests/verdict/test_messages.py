"""What `kleene.why` says of the bindings in `verdicts.txt`, and of bindings that are none."""

from __future__ import annotations

import ast
import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pytest

import kleene
from kleene.verdict.reasons import Cause, Rejected
from support.streams import read_stream

FILE = Path(__file__).parent / "verdicts.txt"
ENTRY = re.compile(
    r"^=== (?P<name>.*)\n"
    r"events: (?P<events>.*)\n"
    r"binding: (?P<binding>.*)\n"
    r"(?P<query>(?:(?!=== |---).*\n)*)"
    r"---\n"
    r"(?P<told>(?:(?!=== ).*\n?)*)",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Case:
    """One entry of the file."""

    name: str
    events: str
    binding: str
    query: str
    told: str

    def met(self) -> Case:
        """The entry with what is told now."""
        return replace(self, told=f"{asked(self.events, self.query, self.binding)}\n")

    def __str__(self) -> str:
        head = f"=== {self.name}\nevents: {self.events}\nbinding: {self.binding}\n"
        return f"{head}{self.query}---\n{self.told}\n"


def asked(events: str, query: str, binding: str) -> object:
    """The verdict, or the error that comes instead."""
    table = read_stream(events).table()
    try:
        return why(table, query, ast.literal_eval(binding), id="id")
    except kleene.KleeneError as error:
        return error


def why(table: pa.Table, query: str, binding: Any, **call: Any) -> kleene.Verdict:
    return kleene.why(table, query, binding, **{"time": "t", "type": "type"} | call)


def cases() -> list[Case]:
    found = [Case(**entry.groupdict()) for entry in ENTRY.finditer(FILE.read_text("utf-8"))]
    return [replace(case, told=f"{case.told.rstrip()}\n") for case in found]


if "KLEENE_GOLDEN" in os.environ:
    FILE.write_text("\n".join(str(case.met()).rstrip() + "\n" for case in cases()), "utf-8")


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in cases()])
def test_what_is_said_of_a_binding(case: Case) -> None:
    assert case.met().told == case.told


def test_there_is_a_case_of_every_cause() -> None:
    verdicts = [asked(case.events, case.query, case.binding) for case in cases()]
    causes = {verdict.cause for verdict in verdicts if isinstance(verdict, kleene.Verdict)}
    assert causes == {None, *Cause}


EVENTS = read_stream("a1 b2 c3 b4 c5").table()
QUERY = "SEQ(A a, !SEQ(B b, C c), C d)"


def test_programs_read_fields() -> None:
    verdict = why(EVENTS, QUERY, {"a": "a1", "d": "c5"}, id="id")
    assert (verdict.is_match, verdict.cause) == (False, Cause.NEGATION)
    assert verdict.binding == {"a": 0, "d": 4}
    assert isinstance(verdict.reason, Rejected)
    standing = verdict.reason.line.standing
    assert standing is not None
    assert [(bound.label, bound.event.columns["id"]) for bound in standing.events] == [
        ("b", "b2"),
        ("c", "c3"),
    ]


def test_an_event_is_a_row_an_id_or_what_it_holds() -> None:
    by_row = why(EVENTS, QUERY, {"a": 0, "d": 2})
    by_id = why(EVENTS, QUERY, {"a": "a1", "d": "c3"}, id="id")
    by_columns = why(EVENTS, QUERY, {"a": {"type": "A"}, "d": {"type": "C", "t": 3}})
    assert by_row.binding == by_id.binding == by_columns.binding == {"a": 0, "d": 2}
    assert by_row.is_match
    assert by_id.is_match
    assert by_columns.is_match


def test_a_dataset_is_read_as_a_whole() -> None:
    assert why(ds.dataset(EVENTS), QUERY, {"a": 0, "d": 2}).is_match


def test_a_notebook_shows_the_same_without_harm() -> None:
    table = EVENTS.append_column("<b>", pa.array(["<i>"] * 5))
    shown = why(table, "A a WHERE a.`<b>` = 'x'", {"a": 0})._repr_html_()
    assert "&lt;i&gt;" in shown
    assert "<i>" not in shown


def test_imprecise_time_is_refused() -> None:
    table = read_stream("a@1..2 b@2..3").table()
    with pytest.raises(kleene.KleeneError, match="one time each"):
        why(table, "SEQ(A a, B b)", {"a": 0, "b": 1}, time=("lower", "upper"))


def test_a_window_keeps_it_small_however_many_events_there_are() -> None:
    """Of a million events those are looked at one by one that a negation can be about."""
    rows = 1_000_000
    table = pa.table(
        {
            "t": pa.array(range(rows), pa.int64()),
            "type": pa.array(["A", "X", "Y", "C"] * (rows // 4)),
        }
    )
    verdict = why(table, "SEQ(A a, !B b, C c) WITHIN 100", {"a": 400_000, "c": 400_031})
    assert verdict.is_match
    verdict = why(table, "SEQ(A a, !X x, C c) WITHIN 100", {"a": 400_000, "c": 400_031})
    assert str(verdict.reason) == "x = X in row 400001 lies between a and c"
