"""Every mistake in the text files here gets exactly the message that stands behind it."""

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pytest

from kleene.errors import KleeneError
from kleene.language.parser import parse
from kleene.language.resolve import resolve
from kleene.language.schema import EventShape

FILES = sorted(Path(__file__).parent.glob("*.txt"))
REWRITE = "KLEENE_GOLDEN" in os.environ
ENTRY = re.compile(
    r"^=== (?P<name>.*)\n"
    r"(?P<header>(?:(?:schema|escapes): .*\n)*)"
    r"(?P<query>(?:(?!=== |--- ).*\n)*)"
    r"--- ?(?P<code>.*)\n"
    r"(?P<message>(?:(?!=== |#).*\n?)*)",
    re.MULTILINE,
)
TYPES = {
    "boolean": pa.bool_(),
    "int": pa.int32(),
    "long": pa.int64(),
    "double": pa.float64(),
    "string": pa.string(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "strings": pa.list_(pa.string()),
    "address": pa.struct([("city", pa.string()), ("zip", pa.int32())]),
}


@dataclass(frozen=True)
class Mistake:
    """One entry of a file."""

    name: str
    header: str
    query: str
    code: str
    message: str

    @property
    def text(self) -> str:
        """The query as it is parsed."""
        text = self.query.removesuffix("\n")
        if "escapes: yes" not in self.header:
            return text
        return re.sub(r"\\(u[0-9a-f]{4}|.)", lambda m: _unescaped(m[0]), text)

    @property
    def shape(self) -> EventShape | None:
        """The events of the header."""
        found = re.search(r"^schema: (.*)$", self.header, re.MULTILINE)
        if found is None:
            return None
        columns = [column.split() for column in found[1].split(",")]
        schema = pa.schema([(name, TYPES[kind]) for name, kind in columns])
        return EventShape(schema, ("ts",), "type")

    def met(self) -> "Mistake":
        """The entry with the code and the message that its query gets now."""
        try:
            query = parse(self.text)
            if self.shape is not None:
                resolve(query, self.shape)
        except KleeneError as error:
            return replace(self, code=error.code, message=f"{error}\n")
        pytest.fail(f"{self.name}: no mistake is found")

    def __str__(self) -> str:
        return f"=== {self.name}\n{self.header}{self.query}--- {self.code}\n{self.message}\n"


def _unescaped(escape: str) -> str:
    return escape.encode("ascii").decode("unicode-escape")


def mistakes(path: Path) -> list[Mistake]:
    """The entries of a file."""
    found = ENTRY.finditer(path.read_text(encoding="utf-8"))
    return [
        Mistake(**{**entry.groupdict(), "message": f"{entry['message'].rstrip()}\n"})
        for entry in found
    ]


def rewrite(path: Path) -> None:
    """Put the messages of today into a file, and leave its remarks."""
    text = path.read_text(encoding="utf-8")
    met = iter([mistake.met() for mistake in mistakes(path)])
    path.write_text(ENTRY.sub(lambda _: str(next(met)), text).rstrip() + "\n", encoding="utf-8")


if REWRITE:
    for file in FILES:
        rewrite(file)


@pytest.mark.parametrize(
    "mistake",
    [pytest.param(m, id=f"{path.stem}: {m.name}") for path in FILES for m in mistakes(path)],
)
def test_a_mistake_gets_its_message(mistake: Mistake) -> None:
    met = mistake.met()
    assert met.message == mistake.message
    assert met.code == mistake.code


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_names_of_mistakes_differ(path: Path) -> None:
    names = [mistake.name for mistake in mistakes(path)]
    assert len(set(names)) == len(names)
    assert path.read_text(encoding="utf-8").count("\n=== ") + 1 >= len(names) > 0


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_message_has_a_hint(path: Path) -> None:
    assert not [m.name for m in mistakes(path) if "\nhint: " not in m.message]
