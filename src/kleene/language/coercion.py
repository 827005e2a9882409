"""Dates and timestamps in quotes, read as what stands beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from kleene.errors import TypeMismatchError
from kleene.language.expressions import (
    Arithmetic,
    Call,
    Case,
    Comparison,
    Expression,
    Literal,
    Membership,
    Range,
    Type,
)
from kleene.language.functions import AGGREGATES, FUNCTIONS
from kleene.language.instants import in_utc, parse_date, parse_timestamp
from kleene.language.kinds import MOMENTS, Kind, kind_of, zone_of
from kleene.language.signatures import MOMENT, Function
from kleene.language.traversal import rebuild
from kleene.language.types import type_of

Aggregates = Mapping[str, Function]


def coerce(expression: Expression, aggregates: Aggregates = AGGREGATES) -> Expression:
    """The resolved expression, with strings beside dates and timestamps replaced by such literals.

    Beside a timestamp a string must be a timestamp or a date, beside a date a date; a string that
    is neither is an error and not, as in Spark, a failure of the run.
    """
    node = rebuild(expression, lambda child: coerce(child, aggregates))
    match node:
        case Comparison():
            return replace(node, operands=_beside(node.operands, aggregates))
        case Membership():
            operand, *items = _beside((node.operand, *node.items), aggregates)
            return replace(node, operand=operand, items=tuple(items))
        case Range():
            operand, low, high = _beside((node.operand, node.low, node.high), aggregates)
            return replace(node, operand=operand, low=low, high=high)
        case Arithmetic(operator="-"):
            left, right = _beside((node.left, node.right), aggregates)
            return replace(node, left=left, right=right)
        case Case():
            return _case(node, aggregates)
        case Call() if node.name in FUNCTIONS:
            return _call(node, FUNCTIONS[node.name], aggregates)
        case _:
            return node


def _case(node: Case, aggregates: Aggregates) -> Case:
    """The subject stands beside what it is compared with, the results beside each other."""
    whens = tuple(when for when, _ in node.branches)
    subject = node.subject
    if subject is not None:
        subject, *read = _beside((subject, *whens), aggregates)
        whens = tuple(read)
    results = [then for _, then in node.branches]
    if node.otherwise is None:
        thens = _beside(results, aggregates)
        return replace(node, subject=subject, branches=tuple(zip(whens, thens, strict=True)))
    *thens_read, otherwise = _beside([*results, node.otherwise], aggregates)
    branches = tuple(zip(whens, thens_read, strict=True))
    return replace(node, subject=subject, branches=branches, otherwise=otherwise)


def _call(node: Call, function: Function, aggregates: Aggregates) -> Call:
    """Arguments that must be moments, and arguments that stand beside each other."""
    arguments = tuple(
        _read_any(argument) if function.parameter(place) is MOMENT else argument
        for place, argument in enumerate(node.arguments)
    )
    if function.beside is not None:
        start = function.beside
        arguments = (*arguments[:start], *_beside(arguments[start:], aggregates))
    return replace(node, arguments=arguments)


def _beside(parts: Iterable[Expression], aggregates: Aggregates) -> tuple[Expression, ...]:
    """The parts, with strings among them read as the moment that another of them is."""
    parts = tuple(parts)
    if not any(map(_is_text, parts)):
        return parts
    types = [type_of(part, aggregates) for part in parts if not _is_text(part)]
    moments = [type_ for type_ in types if kind_of(type_) in MOMENTS]
    if not moments:
        return parts
    timestamps = [type_ for type_ in moments if kind_of(type_) is Kind.TIMESTAMP]
    target = (timestamps or moments)[0]
    return tuple(_read(part, target) for part in parts)


def _is_text(node: Expression) -> bool:
    return isinstance(node, Literal) and isinstance(node.value, str)


def _read(node: Expression, target: Type) -> Expression:
    """A string as a date, or as a timestamp with a zone iff the target has one."""
    if not isinstance(node, Literal) or not isinstance(node.value, str):
        return node
    if kind_of(target) is Kind.DATE:
        day = parse_date(node.value)
        return _refuse(node, "date") if day is None else replace(node, value=day)
    moment = parse_timestamp(node.value)
    if moment is None:
        return _refuse(node, "timestamp")
    moment = in_utc(moment)
    return replace(node, value=moment if zone_of(target) else moment.replace(tzinfo=None))


def _read_any(node: Expression) -> Expression:
    """A string as the date, or else the timestamp, that it is."""
    if not isinstance(node, Literal) or not isinstance(node.value, str):
        return node
    moment = parse_date(node.value) or parse_timestamp(node.value)
    return _refuse(node, "date or timestamp") if moment is None else replace(node, value=moment)


def _refuse(node: Literal, kind: str) -> Literal:
    examples = {"date": "'2024-01-31'", "timestamp": "'2024-01-31 12:00:00'"}
    example = examples.get(kind, examples["date"])
    raise TypeMismatchError(f"{node.value!r} is not a {kind}", node.span, f"write it as {example}")
