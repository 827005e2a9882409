"""The binding that a call names, as rows of the input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kleene.errors import NOWHERE, InputError, UnknownVariableError, nearest
from kleene.language.schema import find_column
from kleene.logical.algebra import variables_of
from kleene.logical.binding import Value
from kleene.verdict.scene import Input

_MOST_LISTED = 5


def asked_rows(binding: Mapping[str, object], given: Input) -> dict[str, Value]:
    """The rows of the variables that a binding names; those that it leaves out are left out."""
    if not isinstance(binding, Mapping):
        raise InputError(
            f"a binding is a dict, and this is a {type(binding).__name__}",
            NOWHERE,
            'as in {"a": 17, "b": [21, 22]}: variables, and which events they are bound to',
        )
    finder = _Finder(given)
    variables = {variable.key: variable for variable in given.query.resolved.variables}
    positive = set(variables_of(given.query.pattern))
    found: dict[str, Value] = {}
    for name, value in binding.items():
        variable = variables.get(str(name).casefold())
        if variable is None:
            known = [v.name for v in variables.values() if v.name in positive]
            raise UnknownVariableError(
                f"the pattern has no variable {name}", NOWHERE, *nearest(str(name), known)
            )
        if variable.name not in positive:
            raise InputError(
                f"{variable.name} is negated, and a binding is of what matches bind",
                NOWHERE,
                f"leave {variable.name} out",
            )
        found[variable.name] = finder.value(variable.name, value, len(variable.loops))
    return found


@dataclass(frozen=True)
class _Finder:
    """Finds the row of an event by its id, its number, or what its columns hold."""

    given: Input

    def value(self, name: str, value: Any, depth: int) -> Value:
        """What a variable is bound to, with so many arrays around each event."""
        if value is None:
            return None
        listed = isinstance(value, Sequence) and not isinstance(value, str | bytes)
        if depth and listed:
            return tuple(self.value(name, item, depth - 1) for item in value)
        if depth or listed:
            wanted = "a list of " * depth + ("events" if depth else "one event")
            raise InputError(f"{name} is bound to {wanted}, not to {value!r}")
        return self._row(name, value)

    def _row(self, name: str, value: Any) -> int:
        column = self.given.query.resolved.shape.id
        if isinstance(value, Mapping):
            return self._only(name, self._holding(value), f"{value!r}")
        if column is not None:
            return self._only(name, self._holding({column: value}), f"the {column} {value!r}")
        rows = self.given.table.num_rows
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < rows:
            reason = f"{name} cannot be bound to {value!r}: events are rows 0 to {rows - 1}"
            hint = "or name the column that tells them apart, as in id='id', or give a dict"
            raise InputError(reason, NOWHERE, hint)
        return value

    def _holding(self, columns: Mapping[str, object]) -> list[int]:
        kept = np.full(self.given.table.num_rows, fill_value=True)
        for name, value in columns.items():
            field = find_column(self.given.table.schema, name)
            kept &= self._equal(self.given.table.column(field.name), value, field)
        return list(map(int, np.flatnonzero(kept)))

    def _equal(self, column: pa.ChunkedArray, value: object, field: pa.Field) -> np.ndarray:
        if value is None:
            return np.asarray(pc.is_null(column))
        try:
            scalar = pa.scalar(value, field.type)
            return np.asarray(pc.fill_null(pc.equal(column, scalar), fill_value=False))
        except (pa.ArrowException, TypeError, ValueError):
            reason = f"{field.name} ({field.type}) is never {value!r}"
            raise InputError(reason, NOWHERE, f"give a value of type {field.type}") from None

    def _only(self, name: str, rows: list[int], said: str) -> int:
        if not rows:
            raise InputError(f"no event has {said}, to which {name} is bound")
        if len(rows) > 1:
            listed = ", ".join(map(str, rows[:_MOST_LISTED]))
            more = ", …" if len(rows) > _MOST_LISTED else ""
            hint = f"they are rows {listed}{more}: name more of the columns, in a dict"
            raise InputError(
                f"{len(rows)} events have {said}, to which {name} is bound", NOWHERE, hint
            )
        return rows[0]
