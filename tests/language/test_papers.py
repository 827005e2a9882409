"""Every query that the papers print parses as it stands there: `papers.toml`."""

import tomllib
from pathlib import Path

import pytest

from kleene.language.parser import parse

QUERIES: list[dict[str, str]] = tomllib.loads(
    (Path(__file__).parent / "papers.toml").read_text(encoding="utf-8")
)["query"]


@pytest.mark.parametrize(
    "query", [pytest.param(q, id=f"paper {q['paper']}, {q['place']}") for q in QUERIES]
)
def test_a_query_of_the_papers(query: dict[str, str]) -> None:
    parsed = parse(query["text"])
    assert str(parsed) == query["printed"].strip("\n")
    assert parse(query["printed"]) == parsed
