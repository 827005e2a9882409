"""Events and values as verdicts speak of them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from kleene.errors import shown
from kleene.language.expressions import Duration
from kleene.language.printer import print_duration
from kleene.language.resolved import ResolvedQuery
from kleene.logical.binding import Value
from kleene.logical.history import Time, type_name


@dataclass(frozen=True)
class Witness:
    """An event: its row in the input, what it is called, and what it says."""

    row: int
    name: str
    columns: Mapping[str, object] = field(compare=False, repr=False)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Bound:
    """An event with the variable, and the element of it, that a binding gives it to."""

    label: str
    event: Witness

    def __str__(self) -> str:
        return f"{self.label} = {self.event}"


@dataclass(frozen=True)
class Witnesses:
    """Calls rows of the input by names: their type, and their id where there is one."""

    query: ResolvedQuery
    table: pa.Table

    def of(self, row: int) -> Witness:
        """The event that a row is."""
        columns = self.table.slice(row, 1).to_pylist()[0]
        shape = self.query.shape
        kind = None if shape.type is None else type_name(columns[shape.type])
        name = f"row {row}" if shape.id is None else plain(columns[shape.id])
        if kind is None or name.casefold().startswith(kind.casefold()):
            return Witness(row, name, columns)
        return Witness(row, f"{kind} in {name}" if shape.id is None else f"{kind} {name}", columns)

    def bound(self, label: str, row: int) -> Bound:
        """An event with the variable that it is bound to."""
        return Bound(label, self.of(row))

    def all_of(self, names: Sequence[str], binding: Mapping[str, Value]) -> Iterator[Bound]:
        """The events of some variables, element by element."""
        for name in names:
            yield from (Bound(label, self.of(row)) for label, row in labelled(name, binding[name]))


def labelled(name: str, value: Value) -> Iterator[tuple[str, int]]:
    """The events in a value, each with its element: b[1], b[2].

    >>> list(labelled("b", ((4, 5), (7,))))
    [('b[1][1]', 4), ('b[1][2]', 5), ('b[2][1]', 7)]
    """
    match value:
        case int():
            yield name, value
        case tuple():
            for number, item in enumerate(value, 1):
                yield from labelled(f"{name}[{number}]", item)
        case _:
            return


def plain(value: object) -> str:
    """A value in a table, without quotes.

    >>> plain(None), plain(True), plain(dt.datetime(2026, 5, 4, 9, tzinfo=dt.UTC))
    ('null', 'true', '2026-05-04 09:00:00')
    """
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case dt.datetime():
            return value.replace(tzinfo=None).isoformat(" ")
        case _:
            return shown(str(value))


def quoted(value: object) -> str:
    """A value in a sentence: text in quotes."""
    return f"'{plain(value)}'" if isinstance(value, str) else plain(value)


def length(extent: Time, query: ResolvedQuery) -> str:
    """A length of time, in the numbers in which times are kept."""
    if isinstance(query.window, Duration):
        return print_duration(Duration(int(extent)))
    return f"{extent:f}".rstrip("0").rstrip(".") if isinstance(extent, float) else str(extent)


def listing(items: Sequence[object], joint: str = "and") -> str:
    """Things in a sentence.

    >>> listing(["a", "b", "c"])
    'a, b and c'
    """
    *most, last = map(str, items)
    return f"{', '.join(most)} {joint} {last}" if most else last
