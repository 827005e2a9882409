"""The examples of the page on negation: matches, verdicts, levels and pictures are what it shows.

`KLEENE_GOLDEN=1` writes verdicts, levels and pictures anew.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

import kleene
from kleene.explanation.tree import Branch
from kleene.visual import timeline
from support.cases import notation, same_multiset
from support.streams import read_stream

PAGE = Path(__file__).parent.parent / "docs" / "negation.md"
EXAMPLE = re.compile(r"```kleene\n(?P<query>.*?)```(?:\n\n```text\n(?P<shown>.*?)```)?", re.DOTALL)
EXAMPLES = [found.groupdict() for found in EXAMPLE.finditer(PAGE.read_text("utf-8"))]


def said(query: str, what: str) -> str | None:
    found = re.search(rf"^-- {what}: (.*)$", query, re.MULTILINE)
    return None if found is None else found[1]


def shown(query: str) -> str:
    """What the page shows below an example."""
    if said(query, "explain") is not None:
        told = kleene.explain(read_stream("a1(x=1)").table(), query, time="t", type="type")
        (body,) = (body for title, body in told.sections() if title == "negation")
        return "\n".join(body)
    events = read_stream(said(query, "events") or "").table()
    if (bound := said(query, "why")) is not None:
        binding = dict(pair.split("=") for pair in bound.split())
        return str(kleene.why(events, query, binding, time="t", type="type", id="id"))
    lane = said(query, "timeline")
    assert lane is not None, "an example with a picture says by what its lanes are"
    levels = kleene.explain(events, query, time="t", type="type").levels
    assert levels is not None
    forms = [*labels(levels), "matches"]
    panels = {
        form: kleene.match(events, asking(query, form), time="t", type="type") for form in forms
    }
    return str(timeline(events, panels, time="t", lane=lane, type="type"))


def labels(branch: Branch) -> list[str]:
    return [branch.label, *(label for part in branch.parts for label in labels(part))]


def asking(query: str, form: str) -> str:
    """The query with another pattern: a form of the game, or its own."""
    pattern = re.sub(r"^(find|rejected by|excused by) ", "", form)
    return query if form == "matches" else re.sub(r"PATTERN .*", f"PATTERN {pattern}", query)


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


if "KLEENE_GOLDEN" in os.environ:
    os.environ["COLUMNS"] = "100"
    PAGE.write_text(
        EXAMPLE.sub(
            lambda found: (
                found[0]
                if found["shown"] is None
                else f"```kleene\n{found['query']}```\n\n```text\n{shown(found['query'])}\n```"
            ),
            PAGE.read_text("utf-8"),
        ),
        "utf-8",
    )
    EXAMPLES = [found.groupdict() for found in EXAMPLE.finditer(PAGE.read_text("utf-8"))]


@pytest.mark.parametrize("example", EXAMPLES)
def test_example(example: dict[str, str | None]) -> None:
    query = example["query"] or ""
    matches = said(query, "matches")
    if matches is None:
        assert example["shown"] == f"{shown(query)}\n"
        return
    events = read_stream(said(query, "events") or "").table()
    found = kleene.match(events, query, time="t", type="type", id="id")
    rows = [
        " ".join(notation(value) for name, value in row.items() if not name.startswith("match_"))
        for row in found.to_pylist()
    ]
    assert same_multiset(matches.split("; "), rows)


def test_the_page_has_its_examples() -> None:
    kinds = ("matches", "why", "timeline", "explain")
    assert all(any(said(e["query"] or "", kind) for e in EXAMPLES) for kind in kinds)
