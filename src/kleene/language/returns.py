"""RETURN: expressions, their names and types (semantics 6)."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa

from kleene.errors import DuplicateNameError, IndexUseError, ScopeError
from kleene.language.coercion import coerce
from kleene.language.conditions import check_functions
from kleene.language.expressions import Aggregate, Attribute, Expression, IndexKind, Type
from kleene.language.printer import print_expression, print_name
from kleene.language.resolved import Output
from kleene.language.scopes import Scope, resolve_expression
from kleene.language.syntax import ReturnItem
from kleene.language.traversal import children, walk
from kleene.language.types import type_of


def resolve_returns(items: tuple[ReturnItem, ...], scope: Scope) -> tuple[Output, ...]:
    """The columns of RETURN, named as `AS` says, else by attribute, else by their text."""
    expressions = [resolve_on_match(item.expression, scope) for item in items]
    names = column_names(items, expressions)
    check_unique(items, names)
    return tuple(
        Output(name, expression, _type(expression, scope))
        for name, expression in zip(names, expressions, strict=True)
    )


def resolve_on_match(expression: Expression, scope: Scope) -> Expression:
    """An expression on what a match shows."""
    resolved = coerce(resolve_expression(expression, scope), scope.aggregates)
    check_functions(resolved)
    _check_arrays(resolved)
    for node in walk(resolved):
        if isinstance(node, Attribute) and node.variable:
            check_shown(node, scope)
    return resolved


def check_shown(node: Attribute, scope: Scope) -> None:
    """What no match binds and what EXISTS hides cannot be returned."""
    variable = scope.variables[node.variable.casefold()]
    shown = [v.name for v in scope.variables.values() if v.positive and not v.hidden]
    others = f"return an attribute of {' or '.join(shown)}"
    if not variable.positive:
        raise ScopeError(f"{variable.name} is negated: no match binds it", node.span, others)
    if variable.hidden:
        raise ScopeError(
            f"{variable.name} is hidden by EXISTS: a match does not show it",
            node.span,
            f"take {variable.name} out of the list behind EXISTS, or {others}",
        )


def _type(expression: Expression, scope: Scope) -> Type:
    """The type of a returned value: `b[].x` is an array."""
    kind = type_of(expression, scope.aggregates)
    if isinstance(expression, Attribute):
        for _ in range(expression.indices.count(IndexKind.ALL)):
            kind = None if kind is None else pa.list_(kind)
    return kind


def _check_arrays(expression: Expression) -> None:
    """`b[].x` is returned as it is or aggregated: there is no arithmetic on arrays."""
    pending: list[Expression] = [expression]
    while pending:
        node = pending.pop()
        if node is expression and isinstance(node, Attribute):
            return
        if isinstance(node, Attribute) and IndexKind.ALL in node.indices:
            shown = print_expression(node)
            raise IndexUseError(
                f"{shown} is an array here", node.span, f"aggregate it, as in max({shown})"
            )
        if not isinstance(node, Aggregate):
            pending.extend(children(node))


def column_names(items: tuple[ReturnItem, ...], expressions: list[Expression]) -> list[str]:
    """Attributes that would share a name are told apart by their variables."""
    plain = [_attribute_name(e) for i, e in zip(items, expressions, strict=True) if i.alias is None]
    shared = Counter(name.casefold() for name in plain if name is not None)
    names = []
    for item, expression in zip(items, expressions, strict=True):
        attribute = _attribute_name(expression)
        if item.alias is not None:
            names.append(item.alias.text)
        elif attribute is None or not isinstance(expression, Attribute):
            names.append(_text(item, expression))
        elif shared[attribute.casefold()] > 1 and expression.variable:
            names.append(f"{expression.variable}_{attribute}")
        else:
            names.append(attribute)
    return names


def _attribute_name(expression: Expression) -> str | None:
    if isinstance(expression, Attribute) and expression.path:
        return expression.path[-1]
    return None


def _text(item: ReturnItem, expression: Expression) -> str:
    if isinstance(expression, Attribute):
        return expression.variable
    return print_expression(item.expression)


def check_unique(items: tuple[ReturnItem, ...], names: list[str]) -> None:
    seen: dict[str, str] = {}
    for item, name in zip(items, names, strict=True):
        before = seen.get(name.casefold())
        if before is not None:
            raise _same_name(item, before, name)
        seen[name.casefold()] = name


def _same_name(item: ReturnItem, before: str, name: str) -> DuplicateNameError:
    reason = f"two returned columns are called {name}"
    if before != name:
        reason = f"{before} and {name} are one name: upper and lower case do not count"
    expression, other = print_expression(item.expression), print_name(f"{name}_2")
    return DuplicateNameError(
        reason,
        item.span if item.alias is None else item.alias.span,
        f"give one of them another name, as in {expression} AS {other}",
    )
