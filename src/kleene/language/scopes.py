"""Names in conditions: which event, which column, which elements (semantics 2 and 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from kleene.errors import IndexUseError, QuerySyntaxError, UnknownColumnError
from kleene.language.expressions import (
    Aggregate,
    Attribute,
    Call,
    Expression,
    IndexKind,
    MatchCount,
    Reference,
    SameKey,
)
from kleene.language.functions import AGGREGATES, FUNCTIONS
from kleene.language.indices import RANGES, Picking
from kleene.language.printer import print_expression, print_path
from kleene.language.resolved import Variable
from kleene.language.schema import EventShape, find_path
from kleene.language.signatures import Function
from kleene.language.spark_functions import is_spark_function, refusal
from kleene.language.traversal import rebuild, walk
from kleene.language.unknown_names import (
    Known,
    aggregate_in_definition,
    column_of_no_partition,
    element_of_row,
    event_in_definition,
    matches_counted,
    unknown_function,
    wrong_count,
    wrong_range,
)
from kleene.language.variables import Place


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
    partition: tuple[tuple[str, ...], ...] | None = None
    """Where matches are grouped: the columns of their partition, which stand without a variable."""


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
            node = known_call(node, scope)
        case MatchCount():
            raise matches_counted(node, returned=scope.returned)
        case SameKey(path=path):
            key = print_path(path)
            often = f"where it only sometimes holds, write it out: a.{key} = b.{key}"
            alone = f"what is returned is an attribute of an event: a.{key}"
            raise QuerySyntaxError(
                "a key between brackets stands on its own in WHERE",
                node.span,
                "as in WHERE [user] AND a.x > 1",
                alone if scope.returned else often,
            )
        case _:
            pass
    change = partial(resolve_expression, scope=scope, aggregated=aggregated)
    return rebuild(node, change)


def _row_attribute(node: Reference, scope: Scope) -> Attribute:
    """In DEFINE a name is a column; the type's own name may stand before it."""
    path = (node.variable, *node.path)
    if node.indices:
        raise element_of_row(node)
    if node.path and scope.row is not None and node.variable.casefold() == scope.row.casefold():
        path = node.path
    try:
        names, kind = find_path(scope.shape.schema, path, node.span)
    except UnknownColumnError:
        variable = scope.variables.get(node.variable.casefold())
        if variable is None or not node.path or len(path) == len(node.path):
            raise
        raise event_in_definition(node, variable, scope.variables.values(), scope.row) from None
    return Attribute("", (), names, kind, node.span)


def _attribute(node: Reference, scope: Scope, *, aggregated: bool) -> Attribute:
    variable = scope.variables.get(node.variable.casefold())
    if variable is None:
        return _own_attribute(node, scope, aggregated=aggregated)
    indices = Picking(node, variable, scope.place, aggregated, scope.returned).indices()
    if not node.path:
        return Attribute(variable.name, indices, (), scope.shape.event_type, node.span)
    names, kind = find_path(scope.shape.schema, node.path, node.span)
    return Attribute(variable.name, indices, names, kind, node.span)


def _own_attribute(node: Reference, scope: Scope, *, aggregated: bool) -> Attribute:
    """A bare column in the condition of a single event is that event's; elsewhere it is unknown.

    Save the columns of the partition where matches are grouped: a match has one value of them.
    """
    if scope.partition is not None and not node.indices:
        key = _partition_attribute(node, scope.partition, scope.shape)
        if key is not None:
            return key
    own = None if scope.own is None else scope.variables[scope.own.casefold()]
    many = aggregated or scope.returned
    known = Known(scope.shape.schema, tuple(scope.variables.values()), scope.place, many, own)
    if not known.has_column(node.variable):
        raise known.unknown(node)
    if own is None or own.kleene or node.indices:
        raise known.bare_column(node)
    path = (node.variable, *node.path)
    names, kind = find_path(scope.shape.schema, path, node.span)
    return Attribute(own.name, (IndexKind.EACH,) * len(own.loops), names, kind, node.span)


def _partition_attribute(
    node: Reference, partition: tuple[tuple[str, ...], ...], shape: EventShape
) -> Attribute | None:
    """A column of the partition, or None for what is no column at all."""
    try:
        names, kind = find_path(shape.schema, (node.variable, *node.path), node.span)
    except UnknownColumnError:
        return None
    if names not in partition:
        raise column_of_no_partition(node)
    return Attribute("", (), names, kind, node.span)


def _aggregate(node: Call, scope: Scope, *, aggregated: bool) -> Aggregate:
    if aggregated:
        raise IndexUseError(
            f"an aggregate stands within an aggregate: {node.name}",
            node.span,
            f"compute it beside the other, as in max(b[].x) > {print_expression(node)}",
        )
    if scope.row is not None:
        raise aggregate_in_definition(node, scope.row)
    if len(node.arguments) != 1:
        raise wrong_count(node)
    argument = resolve_expression(node.arguments[0], scope, aggregated=True)
    ranges = {
        (found.variable, found.indices): found
        for found in walk(argument)
        if isinstance(found, Attribute) and not RANGES.isdisjoint(found.indices)
    }
    if len(ranges) != 1:
        raise wrong_range(node, list(ranges.values()), scope.variables, returned=scope.returned)
    return Aggregate(node.name.casefold(), argument, node.span)


def known_call(node: Call, scope: Scope) -> Call:
    """A call of a function that there is, by its name in lower case."""
    if refusal(node.name) is None and (
        node.name.casefold() in FUNCTIONS or is_spark_function(node.name)
    ):
        return replace(node, name=node.name.casefold())
    raise unknown_function(node, scope.aggregates)
