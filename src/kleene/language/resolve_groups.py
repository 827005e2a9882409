"""RETURN … GROUP BY: which expressions are keys, which aggregates, and what is neither."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from kleene.errors import IndexUseError, OutputError, TypeMismatchError
from kleene.language.coercion import coerce
from kleene.language.conditions import check_functions
from kleene.language.expressions import (
    Aggregate,
    Attribute,
    Call,
    Expression,
    Index,
    IndexKind,
    Literal,
    MatchCount,
    Reference,
    Type,
)
from kleene.language.functions import FUNCTIONS
from kleene.language.indices import RANGES
from kleene.language.kinds import Kind, describe, kind_of, plain
from kleene.language.measures import KEY, MEASURE, GroupColumn, Grouping, Measure, row_attribute
from kleene.language.printer import print_expression
from kleene.language.returns import check_shown, check_unique, column_names, resolve_on_match
from kleene.language.scopes import Scope, known_call, resolve_expression
from kleene.language.syntax import GroupBy, ReturnItem
from kleene.language.traversal import children, rebuild, walk
from kleene.language.types import check_condition, type_of
from kleene.language.ungrouped import as_within, many_events, nested, ungrouped
from kleene.language.unknown_names import wrong_count

_OVER_MATCHES = frozenset({"count", "sum", "avg", "min", "max"})
"""Aggregates that ask for no order: matches have none."""


def resolve_grouping(items: tuple[ReturnItem, ...], clause: GroupBy, scope: Scope) -> Grouping:
    """RETURN with GROUP BY; `scope` knows the columns of the partition."""
    keys = tuple(_key(n, expression, scope) for n, expression in enumerate(clause.keys))
    rows = _Rows(scope, {key.expression: key for key in keys})
    expressions = [rows.of(item.expression) for item in items]
    names = column_names(items, [rows.shown(item.expression) for item in items])
    check_unique(items, names)
    outputs = tuple(
        GroupColumn(name, found, type_of(found))
        for name, found in zip(names, map(_checked, expressions), strict=True)
    )
    having = tuple(_condition(condition, rows) for condition in clause.having)
    return Grouping(keys, tuple(rows.measures), outputs, having)


def _key(number: int, written: Expression, scope: Scope) -> GroupColumn:
    if (found := _measure_within(written, scope)) is not None:
        raise OutputError(
            f"{print_expression(found)} is about all matches of a group: it cannot make groups",
            found.span,
            "group by what a match is worth, and choose among groups with HAVING",
        )
    _refuse_many(written, scope)
    expression = resolve_on_match(written, scope)
    type_ = type_of(expression, scope.aggregates)
    key = GroupColumn(KEY.format(number), expression, type_)
    if not any(isinstance(node, Attribute) for node in walk(expression)):
        hint = "GROUP BY () makes one row of all matches; columns have no numbers here"
        raise OutputError("what is the same for every match makes no groups", written.span, hint)
    if isinstance(expression, Attribute) and IndexKind.ALL in expression.indices:
        shown = print_expression(expression)
        hint = f"group by a value of it, as in {'max' if expression.path else 'count'}({shown})"
        raise IndexUseError(f"{shown} is an array: it cannot make groups", written.span, hint)
    if not key.is_event and _holds_map(type_):
        hint = "group by an element of it, or by a column made of it"
        raise TypeMismatchError("maps are not compared, so they make no groups", written.span, hint)
    return key


def _holds_map(type_: Type) -> bool:
    inner = plain(type_)
    if inner is None or kind_of(inner) in {Kind.MAP, Kind.OTHER}:
        return inner is not None
    return any(_holds_map(inner.field(n).type) for n in range(inner.num_fields))


def _checked(expression: Expression) -> Expression:
    """An expression on the row of a group, which Kleene computes itself."""
    found = coerce(expression)
    for node in walk(found):
        if isinstance(node, Call) and node.name not in FUNCTIONS:
            raise OutputError(
                f"{node.name} is a function of Spark, and those take one event, not a group",
                node.span,
                "use it within an aggregate or a key, or on the rows that come back",
            )
    return found


def _condition(written: Expression, rows: _Rows) -> Expression:
    found = _checked(rows.of(written))
    if isinstance(found, Attribute) and kind_of(found.type) is not Kind.BOOLEAN:
        reason = f"a condition is a boolean, not {describe(found.type)}"
        hint = f"compare it, as in {print_expression(written)} > 0"
        raise TypeMismatchError(reason, written.span, hint)
    check_condition(found)
    return found


@dataclass(frozen=True, slots=True)
class _Rows:
    """Turns what RETURN and HAVING say into expressions on the row of a group."""

    scope: Scope
    keys: dict[Expression, GroupColumn]
    measures: dict[Measure, None] = field(default_factory=dict)

    def of(self, node: Expression) -> Expression:
        """The expression, with columns of the row in place of keys and aggregates over matches."""
        if _is_measure(node, self.scope):
            return self._column(node)
        if not isinstance(node, Literal) and _measure_within(node, self.scope) is None:
            if (key := self._key(node)) is not None:
                return replace(key, span=node.span)
            if isinstance(node, Reference) or _is_aggregate(node, self.scope):
                raise ungrouped(node)
        if isinstance(node, Call):
            node = known_call(node, self.scope)
        return rebuild(node, self.of)

    def shown(self, node: Expression) -> Expression:
        """What names the column of an item: the attribute that it is, or its text."""
        return resolve_expression(node, self.scope) if isinstance(node, Reference) else node

    def _key(self, node: Expression) -> Attribute | None:
        """The column of a key; or, where an event or a struct is one, a field of it."""
        _refuse_many(node, self.scope)
        found = coerce(resolve_expression(node, self.scope), self.scope.aggregates)
        for expression, key in self.keys.items():
            if found == expression:
                return row_attribute(key.name, key.type)
            if isinstance(found, Attribute) and isinstance(expression, Attribute):
                rest = found.path[len(expression.path) :]
                if found == replace(expression, path=(*expression.path, *rest), type=found.type):
                    return Attribute("", (), (key.name, *rest), found.type)
        return None

    def _column(self, node: Expression) -> Attribute:
        """The column of an aggregate over matches."""
        measure = Measure("count", None)
        if isinstance(node, Call):
            measure = self._measure(node)
        self.measures.setdefault(measure)
        name = MEASURE.format(list(self.measures).index(measure))
        return replace(row_attribute(name, measure.type), span=node.span)

    def _measure(self, node: Call) -> Measure:
        name = node.name.casefold()
        if len(node.arguments) != 1:
            raise wrong_count(node)
        (written,) = node.arguments
        if (inner := _measure_within(written, self.scope)) is not None:
            raise nested(node, inner)
        if name not in _OVER_MATCHES:
            raise OutputError(
                f"{name} is an aggregate within a match: matches have no order",
                node.span,
                "over all matches there are count, sum, avg, min and max",
                f"of each match, {name}({as_within(written)}) can be aggregated by one of them",
            )
        argument = coerce(resolve_expression(self._ranged(written), self.scope))
        check_functions(argument)
        for found in walk(argument):
            if isinstance(found, Attribute) and found.variable:
                check_shown(found, self.scope)
        each = self._each(node, argument)
        of = type_of(Aggregate(name, argument), self.scope.aggregates)  # the argument must fit
        if isinstance(argument, Attribute) and not argument.path and not _is_first(argument):
            return Measure("count", Literal(value=True), argument.variable, of)
        return Measure(name, argument, each, type_of(argument, self.scope.aggregates))

    def _ranged(self, node: Expression) -> Expression:
        """The argument with `[]` behind array variables, save in aggregates within a match."""
        if _is_array(node, self.scope) and isinstance(node, Reference):
            loops = self.scope.variables[node.variable.casefold()].loops
            return replace(node, indices=(Index(IndexKind.ALL),) * len(loops))
        return node if _is_aggregate(node, self.scope) else rebuild(node, self._ranged)

    def _each(self, node: Call, argument: Expression) -> str | None:
        """The array variable over whose events an aggregate goes, if any."""
        found = {
            n.variable: n
            for n in _outside_aggregates(argument, self.scope)
            if isinstance(n, Attribute) and IndexKind.ALL in n.indices
        }
        if len(found) > 1:
            one, other, *_ = found.values()
            raise IndexUseError(
                f"{one.variable} and {other.variable} bind many events each: over which of them?",
                node.span,
                f"aggregate one of them in each match, as in max({print_expression(other)})",
            )
        return next(iter(found), None)


def _is_measure(node: Expression, scope: Scope) -> bool:
    """Whether it is an aggregate over matches: one that names no elements within a match."""
    if isinstance(node, MatchCount):
        return True
    return _is_aggregate(node, scope) and not any(
        isinstance(found, Reference) and not RANGES.isdisjoint(i.kind for i in found.indices)
        for argument in children(node)
        for found in _outside_aggregates(argument, scope)
    )


def _refuse_many(node: Expression, scope: Scope) -> None:
    """Refuse array variables without an index, which have a meaning in aggregates alone."""
    for below in _outside_aggregates(node, scope):
        if _is_array(below, scope):
            raise many_events(below)


def _is_array(node: Expression, scope: Scope) -> bool:
    """Whether a reference means many events and does not say which."""
    if not isinstance(node, Reference) or node.indices:
        return False
    variable = scope.variables.get(node.variable.casefold())
    return variable is not None and bool(variable.loops)


def _measure_within(node: Expression, scope: Scope) -> Expression | None:
    return next((below for below in walk(node) if _is_measure(below, scope)), None)


def _outside_aggregates(node: Expression, scope: Scope) -> Iterator[Expression]:
    """An expression and what is below it, but for the arguments of aggregates."""
    yield node
    if not isinstance(node, Aggregate) and not _is_aggregate(node, scope):
        for child in children(node):
            yield from _outside_aggregates(child, scope)


def _is_first(node: Attribute) -> bool:
    """Whether it is one element of an array."""
    return IndexKind.FIRST in node.indices


def _is_aggregate(node: Expression, scope: Scope) -> bool:
    return isinstance(node, Call) and node.name.casefold() in scope.aggregates
