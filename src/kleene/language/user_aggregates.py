"""Aggregates that users bring along (paper 1, section 2.1: any finite-state aggregate)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import pyarrow as pa

from kleene.errors import NOWHERE, UnknownOptionError
from kleene.language.function_rules import always
from kleene.language.functions import AGGREGATES, FUNCTIONS
from kleene.language.signatures import ANY, Function


@dataclass(frozen=True, slots=True)
class UserAggregate:
    """`step` folds the values of the elements, in order, into a state that begins as `initial`.

    The aggregate is the last state, or what `result` makes of it. As with the aggregates of SQL
    nulls are left out, and where nothing is left the aggregate is null.

    >>> product = UserAggregate("product", 1, lambda state, x: state * x, pa.int64())
    >>> product.of([2, None, 3]), product.of([])
    (6, None)
    """

    name: str
    initial: object
    step: Callable[[object, object], object]
    type: pa.DataType
    result: Callable[[object], object] | None = None

    def of(self, values: Iterable[object]) -> object:
        """The aggregate of values."""
        present = [value for value in values if value is not None]
        if not present:
            return None
        state = self.initial
        for value in present:
            state = self.step(state, value)
        return state if self.result is None else self.result(state)


def signatures(aggregates: Iterable[UserAggregate]) -> Mapping[str, Function]:
    """The built-in aggregates and those of the user, by name."""
    known = dict(AGGREGATES)
    for aggregate in aggregates:
        name = aggregate.name.casefold()
        if name in known or name in FUNCTIONS:
            raise UnknownOptionError(
                f"{aggregate.name} is the name of another function",
                NOWHERE,
                f"choose a name of its own, as in my_{aggregate.name}",
            )
        known[name] = Function(name, (ANY,), always(aggregate.type))
    return known
