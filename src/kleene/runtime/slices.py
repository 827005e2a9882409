"""Events without a partition key, cut into slices of time that can be matched apart.

A match belongs to the slice in which its first shown event lies, and everything that decides on it
lies less than a window away from that event. So each slice gets, beside its own rows, copies of
those less than a window after it and, where negations or hidden events look back, before it. A
slice is then a partition like those of a key: the kernel walks over many of them in one call.

A row carries the number of its `slice`, and its `side`: 0 in the slice that it lies in, -1 where it
is a copy from before, 1 from after. The side of a match's first event is the least of its sides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import assert_never

import pyarrow as pa

from kleene.language.expressions import Attribute, Comparison, Duration, IndexKind, Literal
from kleene.language.resolved import Output, Variable
from kleene.language.syntax import Strategy
from kleene.logical.algebra import (
    And,
    Event,
    Extended,
    Kleene,
    LogicalQuery,
    Node,
    Not,
    Optional,
    Or,
    Repeat,
    Seq,
    variables_of,
)
from kleene.logical.output import OutputForm, visible
from kleene.runtime.needs import skips

WINDOWS_PER_SLICE = 4
"""The longer a slice, the fewer copies, and the fewer tasks; of four windows one is copied."""

WINDOWS_PER_SLICE_OF_KEY = 8
"""Where keys share the work already, copies weigh more than the number of slices."""

EXACT = 2**50
"""Quotients of doubles below this tell neighbouring slices apart; beyond it only equal times are
less than a window apart."""

_LONGEST = 2**62
"""The sum of a place in a slice and of where slices begin is a number of 64 bits."""


@dataclass(frozen=True)
class Slices:
    """How time is cut: the length of a slice and of what is copied from each side of it."""

    length: int | float
    window: int | float
    looks_back: bool
    floating: bool
    number: str
    side: str


def plan_slices(
    query: LogicalQuery, form: OutputForm, windows: int = WINDOWS_PER_SLICE
) -> Slices | None:
    """How to cut the time of a query, or None where its matches cannot be found slice by slice.

    A slice is so many windows long: four at least, for the sake of floating time (`EXACT`).
    """
    resolved = query.resolved
    kind = resolved.shape.time_type
    decimal = pa.types.is_decimal(kind)
    if resolved.window is None or resolved.shape.imprecise or skips(query) or decimal:
        return None
    keyed = bool(resolved.partition_by)  # then neighbours lie in other partitions
    if not _is_owned(query, form) or (keyed and resolved.strategy is Strategy.STRICT):
        return None
    window = _extent(resolved.window, floating=pa.types.is_floating(kind))
    hidden = any(variable.hidden or variable.negations for variable in resolved.variables)
    if not 0 < window < _LONGEST // windows:
        return None
    return Slices(
        length=windows * window,
        window=window,
        looks_back=hidden,
        floating=pa.types.is_floating(kind),
        number=_unused("slice", resolved.shape.schema),
        side=_unused("side", resolved.shape.schema),
    )


def widest(cuts: Sequence[Slices]) -> Slices:
    """The slices in which each of some queries finds its matches.

    Longer ones, and copies from further away, leave what a query finds as it is: a match still
    begins in one slice, and all that decides on it is still there.
    """
    return replace(
        max(cuts, key=lambda cut: cut.window), looks_back=any(cut.looks_back for cut in cuts)
    )


def sliced(query: LogicalQuery, slices: Slices) -> LogicalQuery:
    """The query over rows that know their slice; it finds matches of the slice, and maybe others.

    Where one variable is always first, a condition on it leaves the others out from the start.
    """
    resolved = query.resolved
    number = pa.int64() if not slices.floating else pa.float64()
    schema = resolved.shape.schema
    schema = schema.append(pa.field(slices.number, number, nullable=False))
    schema = schema.append(pa.field(slices.side, pa.int64(), nullable=False))
    returns, conditions = resolved.returns, query.conditions
    first = first_variable(query)
    if first is not None:
        own = Attribute(first, (), (slices.side,), pa.int64())
        conditions = (*conditions, Comparison((own, Literal(0)), ("=",)))
    elif returns:
        returns = (*returns, *(_side_of(variable, slices) for variable in visible(query)))
    strict = resolved.strategy is Strategy.STRICT
    changed = replace(
        resolved,
        strategy=Strategy.PARTITION if strict else resolved.strategy,
        shape=replace(resolved.shape, schema=schema),
        partition_by=((slices.number,), *resolved.partition_by),
        returns=returns,
    )
    return replace(query, resolved=changed, conditions=conditions)


def first_variable(query: LogicalQuery) -> str | None:
    """The variable that binds the first shown event of every match, if there is one such.

    Under skip-till-next it must be the very first: a run takes the event that comes, and one that
    were kept from it would make it take another.
    """
    hidden = {variable.name for variable in query.resolved.variables if variable.hidden}
    found = _first(query.pattern, hidden)
    if query.resolved.strategy is Strategy.NEXT and found != _first(query.pattern, set()):
        return None
    return found


def _first(node: Node, hidden: set[str]) -> str | None:
    match node:
        case Event():
            return None if node.variable in hidden else node.variable
        case Seq():
            shown = (part for part in node.parts if not set(variables_of(part)) <= hidden)
            return _first(next(shown, Kleene("", None, 0, None, sequence=False)), hidden)
        case And() | Or() | Optional() | Repeat() | Kleene() | Not() | Extended():
            return None
        case _:
            assert_never(node)


def _is_owned(query: LogicalQuery, form: OutputForm) -> bool:
    """Whether every row of the output comes from matches of one slice, or is a number to add up."""
    hidden = {variable.name for variable in query.resolved.variables if variable.hidden}
    match form:
        case OutputForm.MATCHES if query.resolved.grouping is not None:
            return first_variable(query) is not None
        case OutputForm.MATCHES:
            return _shows_something(query.pattern, hidden)
        case OutputForm.COLLAPSED | OutputForm.COUNT:
            return first_variable(query) is not None
        case _:
            assert_never(form)


def _shows_something(node: Node, hidden: set[str]) -> bool:
    """Whether every match of a node binds a variable that is shown."""
    match node:
        case Event():
            return node.variable not in hidden
        case Kleene():
            return node.low > 0 and node.variable not in hidden
        case Seq() | And():
            return any(_shows_something(part, hidden) for part in node.parts)
        case Or():
            return all(_shows_something(part, hidden) for part in node.parts)
        case Repeat():
            return node.low > 0 and _shows_something(node.body, hidden)
        case Optional() | Not() | Extended():
            return False
        case _:
            assert_never(node)


def _side_of(variable: Variable, slices: Slices) -> Output:
    """A column of RETURN that tells the sides of the events of a variable."""
    kind = pa.int64()
    for _ in variable.loops:
        kind = pa.list_(kind)
    indices = (IndexKind.ALL,) * len(variable.loops)
    side = Attribute(variable.name, indices, (slices.side,), pa.int64())
    return Output(f"{slices.side} {variable.name}", side, kind)


def _extent(window: Duration | int | Decimal, *, floating: bool) -> int | float:
    """A length that is not below the window, in the numbers of the time column."""
    exact = window.microseconds if isinstance(window, Duration) else window
    return math.nextafter(float(exact), math.inf) if floating else math.ceil(exact)


def _unused(name: str, schema: pa.Schema) -> str:
    while name in schema.names:
        name += "_"
    return name
