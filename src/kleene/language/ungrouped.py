"""What is said to expressions of RETURN … GROUP BY that have no one value for a group."""

from __future__ import annotations

from dataclasses import replace

from kleene.errors import IndexUseError, KleeneError, OutputError
from kleene.language.expressions import Call, Expression, Index, IndexKind, Reference
from kleene.language.printer import print_expression


def as_within(argument: Expression) -> str:
    """The argument of an aggregate as it is written within a match."""
    match argument:
        case Reference(indices=()):
            return print_expression(replace(argument, indices=(Index(IndexKind.ALL),)))
        case _:
            return print_expression(argument)


def ungrouped(node: Expression) -> KleeneError:
    """The error of what may be another value in each match of a group."""
    shown = print_expression(node)
    if isinstance(node, Call):
        return OutputError(
            f"{shown} has a value for each match, and a row is a group of matches",
            node.span,
            f"over all matches of the group it is {shown.replace('[]', '')}",
            f"or aggregate what each match has, as in avg({shown}), or GROUP BY it",
        )
    how = "max" if isinstance(node, Reference) and node.path else "count"
    return OutputError(
        f"{shown} is neither a key of GROUP BY nor aggregated: a group may have many of it",
        node.span,
        f"aggregate it, as in {how}({shown.replace('[]', '')})",
        *([] if "[]" in shown else [f"or make it a key: GROUP BY {shown}"]),
    )


def many_events(node: Expression) -> KleeneError:
    """The error of an array variable outside of aggregates."""
    shown = print_expression(node)
    assert isinstance(node, Reference)
    how = "max" if node.path else "count"
    within = print_expression(replace(node, indices=(Index(IndexKind.ALL),)))
    return IndexUseError(
        f"{node.variable} binds many events in each match: which of them?",
        node.span,
        f"over all of them in all matches: {how}({shown}); of each match: {how}({within})",
    )


def nested(node: Call, inner: Expression) -> KleeneError:
    """The error of an aggregate over matches within another."""
    hint = f"within, name the events of a match: {node.name}(count(b[])), {node.name}(max(b[].x))"
    return IndexUseError(
        f"an aggregate over matches stands within another: {print_expression(inner)}",
        inner.span,
        hint,
    )
