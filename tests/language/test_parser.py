"""Ways of writing a query, each with the text that it prints as: `spelling.toml`."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from kleene.language import tokens
from kleene.language.parser import parse

CASES: list[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "spelling.toml").read_text(encoding="utf-8")
)["case"]


def spellings() -> list[Any]:
    """Every spelling with the text that it prints as."""
    found = []
    for case in CASES:
        texts = [case["text"]] if isinstance(case["text"], str) else case["text"]
        for number, text in enumerate(texts, 1):
            found.append(
                pytest.param(text, case["printed"].strip("\n"), id=f"{case['name']} {number}")
            )
    return found


@pytest.mark.parametrize(("text", "printed"), spellings())
def test_a_query_prints_in_one_way(text: str, printed: str) -> None:
    query = parse(text)
    assert str(query) == printed
    assert query.text == text


@pytest.mark.parametrize(("text", "printed"), spellings())
def test_what_is_printed_means_the_same(text: str, printed: str) -> None:
    assert parse(printed) == parse(text)


def test_no_case_stands_twice() -> None:
    names = [case["name"] for case in CASES]
    assert len(names) == len(set(names))


def test_no_group_is_repeated_possessively() -> None:
    """Python 3.11.2, that of Debian 12, loses its place there; later ones would not show it."""
    assert not re.search(r"\)[?*+]\+", tokens._TOKEN.pattern)
