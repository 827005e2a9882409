"""The examples of the language reference mean what the page says."""

from __future__ import annotations

import fnmatch
import re
from pathlib import Path

import pytest

import kleene
from kleene.cli import WRONG, main
from kleene.errors import KleeneError
from kleene.language.functions import FUNCTIONS
from support.cases import notation, same_multiset
from support.streams import read_stream

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
ARCHITECTURE = ROOT / "docs" / "architecture.md"
PAGE = ROOT / "docs" / "language.md"
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
        time = ("lower", "upper") if "lower" in table.schema.names else "t"
        found = kleene.match(table, example, time=time, type="type", id="id").to_pylist()
        shown = [
            " ".join(notation(value) for name, value in row.items() if name not in _NOT_VARIABLES)
            for row in found
        ]
        assert same_multiset(matches.split("; "), shown)
    else:
        query = kleene.parse(example)
        assert kleene.parse(str(query)) == query


def test_the_page_lists_every_function() -> None:
    section = PAGE.read_text("utf-8").split("### Functions\n")[1].split("\n###")[0]
    rows = [line.split("|")[2].split(":")[0] for line in section.splitlines() if "`, `" in line]
    assert sorted(re.findall(r"`(\w+)`", " ".join(rows))) == sorted(FUNCTIONS)


def test_the_readme_shows_what_the_command_says(capsys: pytest.CaptureFixture[str]) -> None:
    shown = re.search(r'\$ kleene check "(.*)"\n((?:.*\n)*?)```', README.read_text("utf-8"))
    assert shown is not None
    assert main(["check", shown[1]]) == WRONG
    assert capsys.readouterr().err == shown[2]


def test_the_readme_has_a_query() -> None:
    shown = re.search(r'"""\n(.*?)"""', README.read_text("utf-8"), re.DOTALL)
    assert shown is not None
    assert str(kleene.parse(shown[1])).startswith("PATTERN SEQ(Search s")


def test_the_architecture_names_the_modules_that_there_are() -> None:
    named = re.findall(r"`(?:\w+/)*([\w*]+\.py)`", ARCHITECTURE.read_text("utf-8"))
    source = ROOT / "src" / "kleene"
    stages = {path.parent.name for path in source.glob("*/__init__.py")}
    assert {"language", "program", "runtime", "spark"} <= stages
    for stage in stages - {"bench"}:  # the registry lists experiments
        modules = {path.name for path in (source / stage).glob("[!_]*.py")}
        assert modules == {module for name in named for module in fnmatch.filter(modules, name)}
    known = {
        path.name
        for folder in ("src", "tests", "scripts")
        for path in (ROOT / folder).rglob("*.py")
    }
    assert all(fnmatch.filter(known, name) for name in named)


def test_the_page_has_examples() -> None:
    assert len(EXAMPLES) > 20
