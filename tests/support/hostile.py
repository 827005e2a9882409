"""Texts that break out of what they are pasted into, and a query with one in every place."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from kleene.language.expressions import Literal
from kleene.language.printer import print_expression
from support.on_spark import Call

WORDS = ("class", "None", "lambda", "SELECT", "select", "within", "c0", "m0", "slice", "side", "t")
ODD = (" ", "a.b", "a.b.c", "`", "``", '"', "'", "a\nb", "a\r\n\tb", "\\", "\\n", "*", "1", "--")
STRANGE = ("é", "😀", "\u202e", "\u2028", "%s", "{x}", "$x", "${spark.app.name}", "x" * 300)
SQL = (
    "') OR true --",
    "' OR raise_error('{mark}') OR '",
    "`) OR raise_error('{mark}') OR (`",
    "*/ raise_error('{mark}') /*",
    "'; INSERT OVERWRITE DIRECTORY '{mark}' SELECT 1; --",
)
PYTHON = (
    "open('{mark}', 'w')",
    "'+str(open('{mark}', 'w'))+'",
    '"+str(open("{mark}", "w"))+"',
    "\nopen('{mark}', 'w')\n#",
    "):\n    open('{mark}', 'w')\n#",
    "'''\nopen('{mark}', 'w')\n'''",
    "\\'+str(open('{mark}', 'w'))#",
    "{open('{mark}', 'w')}",
)
TEXTS = (*WORDS, *ODD, *STRANGE, *SQL, *PYTHON)
HARMLESS = "harmless"


def armed(text: str, mark: Path) -> str:
    """The text, which leaves a file if any of it runs."""
    return text.replace("{mark}", str(mark))


def quoted(text: str) -> str:
    """The text as a name, whatever is in it."""
    return "`" + text.replace("`", "``") + "`"


def call_with(text: str, *, keyed: bool = True) -> Call:
    """A call with the text as type, value, variable and alias, and in the names of all columns."""
    time, kind, key, attribute = (f"{text}{role}" for role in ("t", "y", "k", "x"))
    variable, column = quoted(f"{text}v"), quoted(attribute)
    value = print_expression(Literal(text))
    same = f"AND [{quoted(key)}]" if keyed else ""
    query = f"""
        PATTERN SEQ({quoted(text)} {variable}, B+ b[], (C c : c.{column} != {value}))
        WHERE {variable}.{column} = {value} AND b[i].{column} >= {value} {same}
        WITHIN 40
        RETURN {variable}.{column} AS {quoted(text)}, max(b[].{quoted(time)}) AS `last b`,
               c.{column} || {value} AS `both`
    """
    columns = {
        time: [*range(1, 12), None],
        kind: [text, "B", "C", text, "B", "B", "Z", text, "C", "B", "C", "B"],
        key: [text, text, text, "o", text, "o", text, "o", "o", None, text, "o"],
        attribute: [text, text, "z", text, text, text + "z", text, "z", "z", text, "zz", text],
        f"{text}id": list(range(12)),
    }
    return Call(text, query, pa.table(columns), {"time": time, "type": kind, "id": f"{text}id"})


def told(found: pa.Table, text: str) -> list[tuple[object, ...]]:
    """The rows, with a harmless text in place of the other."""
    rows = (tuple(row.values()) for row in found.to_pylist())
    plain = [
        tuple(v.replace(text, HARMLESS) if isinstance(v, str) else v for v in row) for row in rows
    ]
    return sorted(plain, key=repr)
