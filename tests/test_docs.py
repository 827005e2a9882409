"""The examples of the language reference mean what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.cases import notation, same_multiset
from support.streams import read_stream

import kleene
from kleene.errors import KleeneError

PAGE = Path(__file__).parent.parent / "docs" / "language.md"
EXAMPLES = re.findall(r"```kleene\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
_NOT_VARIABLES = {"match_start", "match_end"}


def said(example: str, what: str) -> str | None:
    found = re.search(rf"^-- {what}: (.*)$", example, re.MULTILINE)
    return None if found is None else found[1]


@pytest.mark.parametrize("example", EXAMPLES)
def test_example(example: str) -> None:
    events, matches = said(example, "events"), said(example, "matches")
    if (code := said(example, "error")) is not None:
        with pytest.raises(KleeneError) as raised:
            kleene.match(read_stream("a1").table(), example, time="t", type="type")
        assert raised.value.code == code
    elif events is not None and matches is not None:
        table = read_stream(events).table()
        found = kleene.match(table, example, time="t", type="type", id="id").to_pylist()
        shown = [
            " ".join(notation(value) for name, value in row.items() if name not in _NOT_VARIABLES)
            for row in found
        ]
        assert same_multiset(matches.split("; "), shown)
    else:
        query = kleene.parse(example)
        assert kleene.parse(str(query)) == query


def test_the_page_has_examples() -> None:
    assert len(EXAMPLES) > 20
