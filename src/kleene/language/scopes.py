"""Names in conditions: which event, which column, which elements (semantics 2 and 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise

from kleene.errors import (
    IndexUseError,
    QuerySyntaxError,
    Span,
    UnknownColumnError,
    UnknownFunctionError,
    UnknownVariableError,
    nearest,
)
from kleene.language.expressions import (
    Aggregate,
    Attribute,
    Call,
    Expression,
    IndexKind,
    Reference,
    SameKey,
)
from kleene.language.functions import AGGREGATES, FUNCTIONS
from kleene.language.resolved import Variable
from kleene.language.schema import EventShape, find_path
from kleene.language.signatures import Function
from kleene.language.spark_functions import is_spark_function, refusal
from kleene.language.traversal import rebuild, walk
from kleene.language.variables import Place

ELEMENTS = frozenset({IndexKind.EACH, IndexKind.PREVIOUS, IndexKind.FIRST})
RANGES = frozenset({IndexKind.ALL, IndexKind.BEFORE, IndexKind.UP_TO})
_FREE = frozenset({IndexKind.FIRST, IndexKind.ALL})
"""What RETURN may pick: it has no index that runs."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The names that an expression may use, and the place where it stands."""

    shape: EventShape
    variables: dict[str, Variable]
    place: Place = Place()
    own: str | None = None
    returned: bool = False
    row: str | None = None
    """In DEFINE: the type being defined; names are then columns of the row."""
    aggregates: Mapping[str, Function] = field(default_factory=lambda: AGGREGATES)


def resolve_expression(node: Expression, scope: Scope, *, aggregated: bool = False) -> Expression:
    """The expression with references, aggregates and functions resolved."""
    match node:
        case Reference() if scope.row is not None:
            return _row_attribute(node, scope)
        case Reference():
            return _attribute(node, scope, aggregated=aggregated)
        case Call() if node.name.casefold() in scope.aggregates:
            return _aggregate(node, scope, aggregated=aggregated)
        case Call():
            _check_function(node, scope)
            node = replace(node, name=node.name.casefold())
        case SameKey():
            raise QuerySyntaxError(
                "a key between brackets stands on its own in WHERE",
                node.span,
                "as in WHERE [user] AND a.x > 1",
            )
        case _:
            pass
    change = partial(resolve_expression, scope=scope, aggregated=aggregated)
    return rebuild(node, change)


def _row_attribute(node: Reference, scope: Scope) -> Attribute:
    """In DEFINE a name is a column; the type's own name may stand before it."""
    if node.indices:
        raise IndexUseError("a definition speaks of one row, which has no elements", node.span)
    path = (node.variable, *node.path)
    if node.path and scope.row is not None and node.variable.casefold() == scope.row.casefold():
        path = node.path
    names, kind = find_path(scope.shape.schema, path, node.span)
    return Attribute("", (), names, kind, node.span)


def _attribute(node: Reference, scope: Scope, *, aggregated: bool) -> Attribute:
    variable = scope.variables.get(node.variable.casefold())
    if variable is None:
        return _own_attribute(node, scope)
    indices = _indices(node, variable, scope, aggregated=aggregated)
    if not node.path:
        return Attribute(variable.name, indices, (), scope.shape.event_type, node.span)
    names, kind = find_path(scope.shape.schema, node.path, node.span)
    return Attribute(variable.name, indices, names, kind, node.span)


def _own_attribute(node: Reference, scope: Scope) -> Attribute:
    """A bare column in the condition of a single event is that event's; elsewhere it is unknown."""
    path = (node.variable, *node.path)
    try:
        names, kind = find_path(scope.shape.schema, path, node.span)
    except UnknownColumnError:
        raise _unknown_variable(node, scope) from None
    own = None if scope.own is None else scope.variables[scope.own.casefold()]
    if own is None or own.kleene or node.indices:
        example = next((v.name for v in scope.variables.values() if not v.loops), "a")
        raise UnknownVariableError(
            f"{node.variable} is a column, not a variable: of which event?",
            node.span,
            f"write {example}.{node.variable}",
        )
    indices = (IndexKind.EACH,) * len(own.loops)
    return Attribute(own.name, indices, names, kind, node.span)


def _unknown_variable(node: Reference, scope: Scope) -> UnknownVariableError:
    names = [variable.name for variable in scope.variables.values()]
    hints = nearest(node.variable, names) or (f"variables are {', '.join(names[:12])}",)
    return UnknownVariableError(f"no variable is called {node.variable}", node.span, *hints)


def _indices(
    node: Reference, variable: Variable, scope: Scope, *, aggregated: bool
) -> tuple[IndexKind, ...]:
    """One index a loop: the loops around the place itself stand at their current iteration."""
    shared = _shared_loops(variable, scope.place)
    given = tuple(index.kind for index in node.indices)
    dimensions = len(variable.loops) - shared
    if len(given) > dimensions:
        raise _too_many(node, variable, dimensions)
    if dimensions and not given:
        raise _missing(node, variable, scope, aggregated=aggregated)
    _check_order(given, node)
    filled = given + _filling(given, node, dimensions - len(given), aggregated=aggregated)
    allowed = _FREE if scope.returned else ELEMENTS | RANGES if aggregated else ELEMENTS
    for kind in filled:
        if kind not in allowed and not (aggregated and scope.returned and kind in _FREE):
            raise _misplaced(node, kind, scope, aggregated=aggregated)
    return (IndexKind.EACH,) * shared + filled


def _shared_loops(variable: Variable, place: Place) -> int:
    shared = 0
    for own, around in zip(variable.loops, place.loops, strict=False):
        if own != around:
            break
        shared += 1
    return shared


def _check_order(given: tuple[IndexKind, ...], node: Reference) -> None:
    """Elements may be picked within the current iteration only; a range ends the picking."""
    for outer, inner in pairwise(given):
        fixed = outer in (IndexKind.PREVIOUS, IndexKind.FIRST)
        if (outer in RANGES and inner is not IndexKind.ALL) or (fixed and inner not in _FREE):
            raise IndexUseError(
                "within an iteration other than [i] only [] and [1] can be asked for", node.span
            )


def _filling(
    given: tuple[IndexKind, ...], node: Reference, missing: int, *, aggregated: bool
) -> tuple[IndexKind, ...]:
    """Dimensions left out at the end: all elements, one by one outside of aggregates."""
    if not missing:
        return ()
    if aggregated or given[-1] in RANGES:
        return (IndexKind.ALL,) * missing
    if given[-1] is IndexKind.EACH:
        return (IndexKind.EACH,) * missing
    raise IndexUseError(
        f"{node.variable} is an array of arrays here: its elements have two indices",
        node.span,
        f"for example {node.variable}[i][j]",
    )


def _too_many(node: Reference, variable: Variable, dimensions: int) -> IndexUseError:
    attribute = f".{node.path[0]}" if node.path else ""
    if dimensions == 0 and variable.loops:
        hint = "conditions that relate iterations stand in WHERE"
    else:
        hint = f"write {variable.name}{'[i]' * dimensions}{attribute}"
    what = "one event" if dimensions == 0 else f"an array of {dimensions} dimension(s)"
    return IndexUseError(f"{variable.name} is {what} here", node.span, hint)


def _missing(
    node: Reference, variable: Variable, scope: Scope, *, aggregated: bool
) -> IndexUseError:
    name, attribute = variable.name, f".{node.path[0]}" if node.path else ""
    if aggregated:
        hint = f"write {name}[]{attribute} for all of them"
    elif scope.returned:
        hint = f"write {name}[]{attribute} for the array, or an aggregate: max({name}[]{attribute})"
    else:
        hint = f"write {name}[i]{attribute} for each of them, or an aggregate over {name}[]"
    return IndexUseError(f"{name} binds many events: which of them?", node.span, hint)


def _misplaced(
    node: Reference, kind: IndexKind, scope: Scope, *, aggregated: bool
) -> IndexUseError:
    name, attribute = node.variable, f".{node.path[0]}" if node.path else ""
    if scope.returned and not aggregated:
        hint = f"write {name}[]{attribute} for the array, or an aggregate: max({name}[]{attribute})"
    elif scope.returned:
        hint = f"write {name}[]{attribute}"
    else:
        hint = f"as in max({name}[{kind}]{attribute}), or {name}[i]{attribute} for each element"
    reason = (
        f"[{kind}] runs over the elements, and a returned value has no index that runs"
        if scope.returned
        else f"{name}[{kind}] is many values: an aggregate makes one of them"
    )
    return IndexUseError(reason, node.span, hint)


def _aggregate(node: Call, scope: Scope, *, aggregated: bool) -> Aggregate:
    if aggregated:
        raise IndexUseError("an aggregate stands within an aggregate", node.span)
    if scope.row is not None:
        raise IndexUseError("a definition speaks of one row, not of many", node.span)
    if len(node.arguments) != 1:
        raise UnknownFunctionError(f"{node.name} takes one argument", node.span)
    argument = resolve_expression(node.arguments[0], scope, aggregated=True)
    ranges = {
        (found.variable, found.indices)
        for found in walk(argument)
        if isinstance(found, Attribute) and not RANGES.isdisjoint(found.indices)
    }
    if len(ranges) != 1:
        raise IndexUseError(
            f"{node.name} ranges over the elements of {'one' if ranges else 'a'} Kleene variable",
            node.span,
            f"as in {node.name}(b[].x), or {node.name}(b[..i-1].x)",
        )
    return Aggregate(node.name.casefold(), argument, node.span)


def _check_function(node: Call, scope: Scope) -> None:
    if reason := refusal(node.name):
        raise UnknownFunctionError(f"{node.name} cannot be used: it {reason}", _name_span(node))
    if node.name.casefold() in FUNCTIONS or is_spark_function(node.name):
        return
    known = nearest(node.name, [*scope.aggregates, *FUNCTIONS])
    raise UnknownFunctionError(f"no function is called {node.name}", _name_span(node), *known)


def _name_span(node: Call) -> Span:
    return Span(node.span.start, node.span.start + len(node.name))
