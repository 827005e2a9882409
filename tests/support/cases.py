"""Cases of meaning: a stream, a query, what it means. tests/meaning/README.md has the format."""

from __future__ import annotations

import datetime as dt
import math
import tomllib
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from support.streams import Stream, read_stream, read_table

MEANING = Path(__file__).parent.parent / "meaning"
KEYS = frozenset(
    {"name", "from", "why", "decision", "events", "table", "query", "matches", "rows", "error"}
    | {"time", "type", "id", "order_by", "partition_by", "output", "options"}
)


@dataclass(frozen=True)
class Case:
    """One case as its file gives it."""

    path: Path
    data: dict[str, Any]

    @property
    def name(self) -> str:
        """Where the case stands, and what it says."""
        return f"{self.path.stem}: {self.data['name']}"

    @property
    def stream(self) -> Stream:
        """The events."""
        if "table" in self.data:
            return read_table(self.data["table"])
        return read_stream(self.data["events"])

    def roles(self, stream: Stream) -> dict[str, Any]:
        """The arguments of the call that say which column is what."""
        interval = "lower" in stream.schema.names and "t" not in stream.schema.names
        time = self.data.get("time", ["lower", "upper"] if interval else "t")
        return {
            "time": tuple(time) if isinstance(time, list) else time,
            "type": self.data.get("type", "type") or None,
            "id": self.data.get("id", "id") or None,
            "order_by": tuple(self.data.get("order_by", ())),
            "partition_by": tuple(self.data.get("partition_by", ())),
        }


def read_cases() -> list[Case]:
    """Every case of every file."""
    found = []
    for path in sorted(MEANING.glob("*.toml")):
        for data in tomllib.loads(path.read_text("utf-8"))["case"]:
            assert data.keys() <= KEYS, f"{path.name}: unknown keys {data.keys() - KEYS}"
            found.append(Case(path, data))
    return found


def notation(value: object) -> str:
    """A value of the default output as the cases write it: labels, `-`, `[a b]`."""
    match value:
        case None:
            return "-"
        case dict():
            return str(value["id"])
        case list():
            return "[" + " ".join(map(notation, value)) + "]"
        case _:
            return str(value)


def plain(value: object) -> object:
    """A value of an output row as the cases write it."""
    match value:
        case None:
            return "-"
        case dict():
            return value.get("id", value)
        case list():
            return [plain(item) for item in value]
        case dt.datetime():
            return value.replace(tzinfo=None).isoformat(sep=" ")
        case dt.date():
            return value.isoformat()
        case Decimal():
            return float(value)
        case bool():
            return value
        case int():
            return value
        case _:
            return value


def same(expected: object, actual: object) -> bool:
    """Whether two plain values are the same, numbers to 1e-9."""
    if isinstance(expected, list) and isinstance(actual, list):
        return len(expected) == len(actual) and all(map(same, expected, actual))
    if isinstance(expected, int | float) and isinstance(actual, int | float):
        if isinstance(expected, bool) or isinstance(actual, bool):
            return expected is actual
        if math.isnan(expected) or math.isnan(actual):
            return math.isnan(expected) and math.isnan(actual)
        return math.isclose(expected, actual, rel_tol=1e-9, abs_tol=1e-9)
    if isinstance(expected, str) and isinstance(actual, str):
        return expected.replace("T", " ") == actual.replace("T", " ")
    return expected == actual


def same_rows(expected: list[dict[str, object]], actual: list[dict[str, object]]) -> bool:
    """Whether two multisets of rows are the same."""
    left = list(actual)
    for row in expected:
        found = next(
            (
                candidate
                for candidate in left
                if list(candidate) == list(row)
                and all(same(row[name], candidate[name]) for name in row)
            ),
            None,
        )
        if found is None:
            return False
        left.remove(found)
    return not left


def same_multiset(expected: list[str], actual: list[str]) -> bool:
    """Whether two lists hold the same, each as often."""
    return Counter(expected) == Counter(actual)
