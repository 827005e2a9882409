"""Rows as a table in a terminal, to be read by people."""

from __future__ import annotations

from datetime import timedelta

import pyarrow as pa
from rich.table import Table
from rich.text import Text

from kleene.errors import printable
from kleene.language.schema import is_number

MOST_SHOWN = 40
"""Rows that a terminal shows; `-o` writes all."""
LONGEST_CELL = 400
"""Characters of a value that a terminal shows."""


def as_table(found: pa.Table, rows: int | None = None) -> Table:
    """The first rows, of as many as there are; what can be measured stands to the right."""
    table = Table()
    for field in found.schema:
        measured = is_number(field.type) or pa.types.is_duration(field.type)
        name = Text(printable(field.name))  # a Text has no markup
        table.add_column(name, justify="right" if measured else "left")
    for row in found.slice(0, MOST_SHOWN).to_pylist():
        table.add_row(*(Text(_cut(_cell(value))) for value in row.values()))
    rows = found.num_rows if rows is None else rows
    if rows > MOST_SHOWN:
        table.caption = f"the first {MOST_SHOWN} of {rows:,} rows"
    return table


def _cell(value: object) -> str:
    match value:
        case None:
            return "-"
        case dict():
            return ", ".join(_cell(inner) for inner in value.values() if inner is not None)
        case list():
            return "\n".join(map(_cell, value)) or "[]"
        case timedelta():
            return f"{value.total_seconds():,.2f} s"
        case float():
            return f"{value:.10g}"
        case _:
            return printable(_cut(str(value)))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}…"
