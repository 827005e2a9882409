"""What types become together: the results of operators, and of branches that are one value."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import pyarrow as pa

from kleene.errors import Span, TypeMismatchError
from kleene.language.advice import branches_hint, comparison_hint, operator_hint, order_hint
from kleene.language.decimals import arithmetic_decimal, common_decimal, operand_digits
from kleene.language.expressions import Type
from kleene.language.kinds import (
    ANYTHING,
    MOMENTS,
    NUMBERS,
    Kind,
    Typed,
    comparable,
    describe,
    kind_of,
    ordered,
    plain,
    zone_of,
)

DURATION = pa.duration("us")


def check_comparable(
    left: Typed, right: Typed, *, by_order: bool, span: Span | None = None
) -> None:
    """Refuse `left = right`, or with `by_order` `left < right`, where it means nothing."""
    if not comparable(left.type, right.type):
        raise TypeMismatchError(
            f"{describe(left.type)} cannot be compared with {describe(right.type)}",
            left.span.to(right.span) if span is None else span,
            comparison_hint(left, right),
        )
    for side in (left, right):
        if by_order and not ordered(side.type):
            reason = f"{describe(side.type)} has no order"
            raise TypeMismatchError(reason, side.span, order_hint(side))


def common(values: Sequence[Typed]) -> Type:
    """The type of a value that is one of these, as in CASE or coalesce.

    >>> from kleene.language.expressions import Literal
    >>> one = Literal(1)
    >>> str(common([Typed(one, pa.int32()), Typed(one, pa.null()), Typed(one, pa.float64())]))
    'double'
    """
    return reduce(_wider, values).type


def _wider(left: Typed, right: Typed) -> Typed:
    joint = left.span.to(right.span)
    found = _common(left.type, right.type)
    if found is None and Kind.UNKNOWN not in {left.kind, right.kind}:
        words = [describe(side.type) for side in (left, right)]
        one, other = words if words[0] != words[1] else (str(left.type), str(right.type))
        raise TypeMismatchError(
            f"{one} and {other} cannot be values of one expression",
            joint,
            branches_hint(left, right),
        )
    return Typed(right.node, found)


def _common(one: Type, other: Type) -> Type:
    """The type that holds the values of both; None where there is none or one is unknown."""
    left, right = plain(one), plain(other)
    kinds = {kind_of(left), kind_of(right)}
    if Kind.UNKNOWN in kinds:
        return None
    if Kind.NULL in kinds:
        return left if kind_of(right) is Kind.NULL else right
    if left.equals(right):
        return left
    if kinds <= NUMBERS:
        return _common_number(left, right, kinds)
    if kinds <= MOMENTS:
        return pa.timestamp("us", zone_of(left) or zone_of(right))
    widest = {Kind.STRING: pa.string(), Kind.BINARY: pa.binary(), Kind.DURATION: DURATION}
    widest[Kind.DATE] = pa.date32()
    return widest.get(kind_of(left)) if len(kinds) == 1 else None


def _common_number(left: pa.DataType, right: pa.DataType, kinds: set[Kind]) -> pa.DataType:
    if Kind.FLOAT in kinds:
        return pa.float64()
    return common_decimal(left, right) if Kind.DECIMAL in kinds else pa.int64()


def arithmetic(operator: str, left: Typed, right: Typed, span: Span) -> Type:
    """The type of `left operator right`, or the reason why there is none."""
    kinds = (left.kind, right.kind)
    if Kind.UNKNOWN in kinds:
        return pa.string() if operator == "||" else None
    found = _arithmetic(operator, left, right)
    if found is None:
        words = f"{describe(left.type)} and {describe(right.type)}"
        hint = operator_hint(operator, left, right)
        raise TypeMismatchError(f"{operator} is not defined for {words}", span, hint)
    return found


def _arithmetic(operator: str, left: Typed, right: Typed) -> Type:
    kinds = {left.kind, right.kind} - {Kind.NULL}
    if operator == "||":
        return pa.string() if kinds <= {Kind.STRING} else None
    if kinds <= NUMBERS:
        return _number(operator, left, right, kinds)
    if kinds & (MOMENTS | {Kind.DURATION}):
        return _temporal(operator, left, right)
    return None


def _number(operator: str, left: Typed, right: Typed, kinds: set[Kind]) -> Type:
    """Whole numbers are 64 bits wide; `/` leaves them; a float makes everything a double."""
    if operator == "div":
        return None if Kind.FLOAT in kinds else pa.int64()
    if Kind.FLOAT in kinds:
        return pa.float64()
    if Kind.DECIMAL in kinds:
        sides = (operand_digits(side.node, side.type) for side in (left, right))
        return arithmetic_decimal(operator, *sides)
    return pa.float64() if operator == "/" else pa.int64()


def _temporal(operator: str, left: Typed, right: Typed) -> Type:
    """Arithmetic of dates, timestamps and durations; NULL stands for whatever fits."""
    match operator:
        case "+":
            return _moved(left, right) or _moved(right, left) or _both_durations(left, right)
        case "-" if _is(left, MOMENTS) and _is(right, MOMENTS):
            return DURATION
        case "-":
            return _moved(left, right) or _both_durations(left, right)
        case "*" if _is(left, {Kind.DURATION}) and _is(right, NUMBERS):
            return DURATION
        case "*" if _is(left, NUMBERS) and _is(right, {Kind.DURATION}):
            return DURATION
        case "/" if _is(left, {Kind.DURATION}) and _is(right, NUMBERS):
            return DURATION
        case "/" if _is(left, {Kind.DURATION}) and _is(right, {Kind.DURATION}):
            return pa.float64()
        case _:
            return None


def _is(side: Typed, kinds: frozenset[Kind] | set[Kind]) -> bool:
    return side.kind in ANYTHING or side.kind in kinds


def _moved(moment: Typed, by: Typed) -> Type:
    """A date moved by days stays a date; moved by a duration it is a timestamp."""
    if moment.kind is Kind.DATE and _is(by, {Kind.INTEGER}):
        return pa.date32()
    if moment.kind in MOMENTS and _is(by, {Kind.DURATION}):
        return pa.timestamp("us", zone_of(moment.type))
    return None


def _both_durations(left: Typed, right: Typed) -> Type:
    durations = _is(left, {Kind.DURATION}) and _is(right, {Kind.DURATION})
    return DURATION if durations else None
