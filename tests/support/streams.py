"""Streams of events written as short strings or tables, as the cases of meaning write them.

`a1 b2@5(x=3, s='u') c@1..4`: labels, times (else one after the other), attributes.
"""

from __future__ import annotations

import ast
import datetime as dt
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

import pyarrow as pa

Rows = list[dict[str, object]]
_TOKEN = re.compile(
    r"(?P<label>[^\W\d_][^\W\d]*\d*)(?:@(?P<time>[^\s(]+))?(?P<attributes>\([^)]*\))?"
)
_ATTRIBUTE = re.compile(r"\s*(\w+)\s*=\s*((?:'(?:[^']|'')*'|\[[^\]]*\]|[^,\[\]])+?)\s*(?:,|$)")


@dataclass(frozen=True)
class Stream:
    """Rows and their schema."""

    rows: Rows
    schema: pa.Schema

    def table(self) -> pa.Table:
        """The stream as an Arrow table."""
        return pa.Table.from_pylist(self.rows, schema=self.schema)


def read_stream(text: str) -> Stream:
    """The stream that a short string spells."""
    parsed = []
    position, clock = 0, Decimal(0)
    text = text.strip()
    while position < len(text):
        found = _TOKEN.match(text, position)
        assert found, f"cannot read the stream at {text[position:]!r}"
        lower, upper = _times(found["time"], clock)
        clock = clock + 1 if lower is None else Decimal(str(lower))
        parsed.append((found["label"], lower, upper, _attributes(found["attributes"] or "()")))
        position = found.end()
        while position < len(text) and text[position].isspace():
            position += 1
    interval = any(".." in (m["time"] or "") for m in _TOKEN.finditer(text))
    names = list(dict.fromkeys(name for *_, attributes in parsed for name in attributes))
    rows: Rows = []
    for label, lower, upper, attributes in parsed:
        time = {"lower": lower, "upper": upper} if interval else {"t": lower}
        kind = re.sub(r"\d+$", "", label).upper()
        rows.append({"id": label, "type": kind, **time, **{n: attributes.get(n) for n in names}})
    times = ["lower", "upper"] if interval else ["t"]
    number = (
        pa.float64() if any(isinstance(r[c], float) for r in rows for c in times) else pa.int64()
    )
    fields = [pa.field("id", pa.string()), pa.field("type", pa.string())]
    fields += [pa.field(name, number) for name in times]
    fields += [pa.field(name, _inferred([row[name] for row in rows])) for name in names]
    return _typed(rows, pa.schema(fields))


def _times(text: str | None, clock: Decimal) -> tuple[object, object]:
    if text is None:
        following = clock + 1
        number = int(following) if following == int(following) else float(following)
        return number, number
    if ".." in text:
        lower, upper = text.split("..")
        return _number(lower), _number(upper)
    return _number(text), _number(text)


def _number(text: str) -> object:
    if text == "null":
        return None
    if text in ("nan", "inf", "-inf"):
        return float(text)
    return float(text) if "." in text else int(text)


def _attributes(text: str) -> dict[str, object]:
    return {m[1]: _value(m[2].strip()) for m in _ATTRIBUTE.finditer(text[1:-1])}


def _value(text: str) -> object:
    if text.startswith("'"):
        return text[1:-1].replace("''", "'")
    if text.startswith("["):
        return ast.literal_eval(text.replace("null", "None"))
    named = {"null": None, "true": True, "false": False, "nan": float("nan")}
    if text in named:
        return named[text]
    return _number(text)


def _inferred(values: list[object]) -> pa.DataType:
    present = [value for value in values if value is not None]
    if not present:
        return pa.int64()
    if any(isinstance(v, float) for v in present) and all(
        isinstance(v, int | float) and not isinstance(v, bool) for v in present
    ):
        return pa.float64()
    return pa.array(present).type


def _typed(rows: Rows, schema: pa.Schema) -> Stream:
    """The rows with the values that Arrow makes of them."""
    return Stream(pa.Table.from_pylist(rows, schema=schema).to_pylist(), schema)


_TYPES: dict[str, tuple[pa.DataType, Callable[[str], object]]] = {
    "string": (pa.string(), str),
    "long": (pa.int64(), int),
    "double": (pa.float64(), float),
    "boolean": (pa.bool_(), lambda text: text.lower() == "true"),
    "timestamp": (
        pa.timestamp("us", "UTC"),
        lambda text: dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC),
    ),
    "local": (pa.timestamp("us"), dt.datetime.fromisoformat),
    "date": (pa.date32(), dt.date.fromisoformat),
    "decimal": (pa.decimal128(38, 6), Decimal),
    "decimal(10, 2)": (pa.decimal128(10, 2), Decimal),
    "decimal(38, 18)": (pa.decimal128(38, 18), Decimal),
}


def read_table(text: str) -> Stream:
    """The stream that a table spells: a header of `name:type`, a row a line, cells between `|`."""
    lines = [line for line in text.strip("\n").splitlines() if line.strip()]
    header = [cell.strip() for cell in lines[0].split("|")]
    names, kinds = [], []
    for cell in header:
        name, separator, kind = cell.rpartition(":")
        names.append(name.strip() if separator and kind.strip() in _TYPES else cell)
        kinds.append(kind.strip() if separator and kind.strip() in _TYPES else "string")
    rows: Rows = []
    for line in lines[1:]:
        cells = [cell.strip() for cell in line.split("|")]
        cells += [""] * (len(names) - len(cells))
        rows.append(
            {
                name: None if cell == "" else _TYPES[kind][1](cell)
                for name, kind, cell in zip(names, kinds, cells, strict=True)
            }
        )
    schema = pa.schema([pa.field(n, _TYPES[k][0]) for n, k in zip(names, kinds, strict=True)])
    return _typed(rows, schema)
