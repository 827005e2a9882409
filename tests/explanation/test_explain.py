"""What `kleene.explain` tells of the queries in `explanations.txt`."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import kleene

FILE = Path(__file__).parent / "explanations.txt"
SCHEMA = pa.schema(
    [
        ("ts", pa.timestamp("us", "UTC")),
        ("event", pa.string()),
        ("user", pa.string()),
        ("item", pa.string()),
        ("amount", pa.float64()),
        ("seq", pa.int64()),
        ("lower", pa.int64()),
        ("upper", pa.int64()),
        ("address", pa.struct([("city", pa.string())])),
    ]
)
ENTRY = re.compile(
    r"^=== (?P<name>.*)\n"
    r"(?:call: (?P<call>.*)\n)?"
    r"(?P<query>(?:(?!=== |---).*\n)*)"
    r"---\n"
    r"(?P<told>(?:(?!=== ).*\n?)*)",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Case:
    """One entry of the file."""

    name: str
    call: str | None
    query: str
    told: str

    def met(self) -> Case:
        """The entry with what is told now."""
        call: dict[str, Any] = {"time": "ts", "type": "event"} | json.loads(self.call or "{}")
        call["time"] = tuple(call["time"]) if isinstance(call["time"], list) else call["time"]
        return replace(self, told=f"{kleene.explain(SCHEMA, self.query, **call)}\n")

    def __str__(self) -> str:
        call = "" if self.call is None else f"call: {self.call}\n"
        return f"=== {self.name}\n{call}{self.query}---\n{self.told}\n"


def cases() -> list[Case]:
    """The entries of the file."""
    found = [Case(**entry.groupdict()) for entry in ENTRY.finditer(FILE.read_text("utf-8"))]
    return [replace(case, told=f"{case.told.rstrip()}\n") for case in found]


if "KLEENE_GOLDEN" in os.environ:
    FILE.write_text("\n".join(str(case.met()).rstrip() + "\n" for case in cases()), "utf-8")


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in cases()])
def test_what_is_told_of_a_query(case: Case) -> None:
    assert case.met().told == case.told


def test_the_names_of_cases_differ() -> None:
    names = [case.name for case in cases()]
    assert len(set(names)) == len(names) == FILE.read_text("utf-8").count("=== ")


def test_the_kernel_is_shown_on_request() -> None:
    told = kleene.explain(SCHEMA, "SEQ(A a, B b)", time="ts", type="event", kernel=True)
    assert told.kernel is not None
    assert "\nkernel\n  def kernel(" in str(told)
    asked = {"evaluation": "denotation"}
    told = kleene.explain(SCHEMA, "A a", time="ts", type="event", kernel=True, options=asked)
    assert told.kernel is None


def test_events_and_their_schema_are_told_alike() -> None:
    call = {"query": "SEQ(A a, B+ b[])", "time": "ts", "type": "event"}
    empty = SCHEMA.empty_table()
    assert kleene.explain(empty, **call) == kleene.explain(SCHEMA, **call)  # type: ignore[arg-type]


def test_a_notebook_shows_the_same_without_harm() -> None:
    told = kleene.explain(SCHEMA, "A a WHERE a.item = '<b>'", time="ts", type="event")
    shown = told._repr_html_()
    assert "&lt;b&gt;" in shown
    assert "<b>" not in shown


def test_a_wrong_call_is_refused() -> None:
    with pytest.raises(kleene.KleeneError, match="no column tss"):
        kleene.explain(SCHEMA, "A a", time="tss", type="event")
    with pytest.raises(kleene.KleeneError, match="RETURN"):
        kleene.explain(SCHEMA, "A a RETURN a.item", time="ts", type="event", output="count")
