"""Rules that give the type of a call by the types of its arguments, which were checked before."""

from __future__ import annotations

import pyarrow as pa

from kleene.errors import Span, TypeMismatchError
from kleene.language.advice import quoted
from kleene.language.casting import cast_type
from kleene.language.combine import DURATION, arithmetic, check_comparable, common
from kleene.language.decimals import bounded, digits, rounded_decimal
from kleene.language.expressions import Literal, Negative, Type
from kleene.language.kinds import ANYTHING, Kind, Typed, describe, kind_of, plain, zone_of
from kleene.language.signatures import Rule


def always(type_: pa.DataType) -> Rule:
    """The rule of a function that has one type whatever it is given."""
    return lambda _arguments, _span: type_


def first(arguments: tuple[Typed, ...], _span: Span) -> Type:
    """The type of the first argument."""
    return plain(arguments[0].type)


def common_from(start: int) -> Rule:
    """The rule of a function whose value is one of its arguments from `start` on."""
    return lambda arguments, _span: common(arguments[start:])


def widened(arguments: tuple[Typed, ...], span: Span) -> Type:
    """The argument's family at its full width."""
    match kind_of(arguments[0].type):
        case Kind.INTEGER:
            return pa.int64()
        case Kind.FLOAT:
            return pa.float64()
        case _:
            return first(arguments, span)


def whole(arguments: tuple[Typed, ...], _span: Span) -> Type:
    """For floor and ceil: decimals keep their digits before the point and one for the carry."""
    type_ = arguments[0].type
    if kind_of(type_) is not Kind.DECIMAL:
        return pa.int64()
    precision, scale = digits(type_)
    return bounded(precision - scale + 1, 0)


def rounded(arguments: tuple[Typed, ...], span: Span) -> Type:
    """The scale of a rounded decimal is part of its type, so the places must be known."""
    if arguments[0].kind is not Kind.DECIMAL:
        return widened(arguments, span)
    places = 0 if len(arguments) == 1 else _constant(arguments[1])
    return rounded_decimal(arguments[0].type, places)


def _constant(argument: Typed) -> int:
    """A whole number written in the query, perhaps with a sign."""
    match argument.node:
        case Literal(value=int(number)):
            return number
        case Negative(operand=Literal(value=int(number))):
            return -number
        case Literal(value=None):
            return 0
        case _:
            reason = "the places to round to must be a constant"
            raise TypeMismatchError(reason, argument.span, "write a number, as in round(a.x, 2)")


def remainder(arguments: tuple[Typed, ...], span: Span) -> Type:
    left, right = arguments
    return arithmetic("%", left, right, span)


def distinguished(arguments: tuple[Typed, ...], span: Span) -> Type:
    """nullif: its arguments are compared."""
    check_comparable(*arguments, by_order=False)
    return first(arguments, span)


def joined(arguments: tuple[Typed, ...], _span: Span) -> Type:
    """concat_ws: arrays must be arrays of strings."""
    for argument in arguments:
        items = _item(argument)
        if argument.kind is Kind.LIST and kind_of(items) not in {Kind.STRING, *ANYTHING}:
            reason = f"concat_ws joins strings, not {describe(items)}"
            hint = "join arrays of strings, or strings: CAST(… AS string)"
            raise TypeMismatchError(reason, argument.span, hint)
    return pa.string()


def containing(arguments: tuple[Typed, ...], _span: Span) -> Type:
    """array_contains: the value is compared with the elements."""
    array, value = arguments
    check_comparable(Typed(array.node, _item(array)), value, by_order=False)
    return pa.bool_()


def element(arguments: tuple[Typed, ...], _span: Span) -> Type:
    """An element of an array by a whole number, or of a map by one of its keys."""
    collection, key = arguments
    if collection.kind is Kind.MAP:
        held = plain(collection.type)
        check_comparable(Typed(collection.node, held.key_type), key, by_order=False)
        return held.item_type
    if collection.kind is Kind.UNKNOWN:
        return None
    if key.kind is not Kind.INTEGER and key.kind not in ANYTHING:
        reason = f"elements of an array are counted in whole numbers, not {describe(key.type)}"
        hint = f"as in {quoted(collection.node)}[0] for the first"
        raise TypeMismatchError(reason, key.span, hint)
    return _item(collection)


def _item(argument: Typed) -> Type:
    """The type of an array's elements, NULL for NULL."""
    if argument.kind is Kind.LIST:
        return plain(argument.type).value_type
    return argument.type


def truncated(arguments: tuple[Typed, ...], _span: Span) -> Type:
    """date_trunc: the unit is checked where it is written in the query."""
    unit, moment = arguments
    match unit.node:
        case Literal(value=str(name)) if name.lower() not in TRUNCATIONS:
            known = ", ".join(sorted(set(TRUNCATIONS.values())))
            reason = f"date_trunc does not know the unit {name!r}"
            raise TypeMismatchError(reason, unit.span, f"units are {known}")
    return pa.timestamp("us", zone_of(moment.type))


TRUNCATIONS = {
    **dict.fromkeys(("year", "yyyy", "yy"), "year"),
    **dict.fromkeys(("month", "mon", "mm"), "month"),
    **dict.fromkeys(("day", "dd"), "day"),
    **{unit: unit for unit in ("quarter", "week", "hour", "minute", "second")},
    **{unit: unit for unit in ("millisecond", "microsecond")},
}
"""The units of date_trunc by each of their names."""


def cast_to(target: pa.DataType) -> Rule:
    return lambda arguments, span: cast_type(arguments[0].type, target, span)


def total(arguments: tuple[Typed, ...], span: Span) -> Type:
    """sum: decimals gain ten digits in front."""
    return _summed(arguments, span, 10, 0)


def mean(arguments: tuple[Typed, ...], span: Span) -> Type:
    """avg: decimals gain four digits behind the point, all other numbers become doubles."""
    return pa.float64() if arguments[0].kind is Kind.INTEGER else _summed(arguments, span, 4, 4)


def _summed(arguments: tuple[Typed, ...], span: Span, more: int, places: int) -> Type:
    type_ = arguments[0].type
    match kind_of(type_):
        case Kind.DECIMAL:
            precision, scale = digits(type_)
            return bounded(precision + more, scale + places)
        case Kind.NULL:
            return pa.float64()
        case Kind.DURATION:
            return DURATION
        case _:
            return widened(arguments, span)
