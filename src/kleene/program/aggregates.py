"""Aggregates as statements of a loop over positions, with the results of `logical.aggregates`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kleene.language.decimals import MOST_DIGITS, digits
from kleene.language.expressions import Aggregate
from kleene.language.kinds import Kind, kind_of, plain
from kleene.program.kinds import ColumnKind, Unsupported, natural_kind
from kleene.program.rescale import NARROW
from kleene.program.text import FALSE, TRUE, Operand, negation

if TYPE_CHECKING:
    from kleene.program.conditions import Translator

_NUMBER_OF_LOW_BITS = 32
_MORE_DIGITS, _MORE_PLACES = 10, 4
"""What sums of decimals gain in front of the point, and averages behind it."""


@dataclass(frozen=True, slots=True)
class AggregateCode:
    """Statements before the loop, for each position, and after it; then the aggregate.

    They use names that begin with the one that was given.
    """

    before: tuple[str, ...]
    each: tuple[str, ...]
    after: tuple[str, ...]
    result: Operand


def aggregate_code(node: Aggregate, translator: Translator, name: str) -> AggregateCode:
    """The code of an aggregate; the translator is that of its argument, in the loop."""
    if node.name not in _AGGREGATES:
        raise Unsupported(f"{node.name} is an aggregate of the user")
    return _AGGREGATES[node.name](node, translator, name)


def _count(node: Aggregate, translator: Translator, name: str) -> AggregateCode:
    null = translator.null(node.argument)
    each = _if(negation(null), f"{name}n += 1")
    return AggregateCode((f"{name}n = 0",), each, (), Operand(f"{name}n", FALSE, ColumnKind.INT))


def _sum(node: Aggregate, translator: Translator, name: str) -> AggregateCode:
    kind = natural_kind(translator.type(node))
    if kind is ColumnKind.FLOAT:
        return _float_sum(translator.operand(node.argument, kind), name, f"{name}s")
    total, overflows = f"total({name}h, {name}l)", f"total_overflows({name}h, {name}l)"
    if kind_of(translator.type(node)) is Kind.DECIMAL:
        argument = _units(node, translator)
        digits = argument.digits + _MORE_DIGITS
        return _exact_sum(argument, name, total, overflows, argument.scale, digits)
    return _whole_sum(_whole_argument(node, translator), name, total, overflows)


def _average(node: Aggregate, translator: Translator, name: str) -> AggregateCode:
    """Numbers are added as floats; decimals and durations exactly."""
    if kind_of(translator.type(node)) is Kind.DURATION:
        argument = _whole_argument(node, translator)
        return _whole_sum(argument, name, f"mean({name}h, {name}l, {name}n)", FALSE)
    if kind_of(translator.type(node)) is Kind.DECIMAL:
        return _exact_average(_units(node, translator), name)
    argument = translator.operand(node.argument, ColumnKind.FLOAT)
    return _float_sum(argument, name, f"{name}s / {name}n")


def _exact_average(argument: Operand, name: str) -> AggregateCode:
    """With four places more than what is averaged."""
    if argument.scale + _MORE_PLACES > MOST_DIGITS:
        raise Unsupported("the average of decimals with very many places")
    division = f"(total({name}h, {name}l), {name}n, {_MORE_PLACES})"
    beyond = f"total_overflows({name}h, {name}l) or quotient_fails{division}"
    scale, digits = argument.scale + _MORE_PLACES, argument.digits + _MORE_PLACES
    return _exact_sum(argument, name, f"quotient{division}", beyond, scale, digits)


def _exact_sum(  # noqa: PLR0913, PLR0917 - what is summed, and what comes of the sum
    argument: Operand, name: str, value: str, beyond: str, scale: int, digits: int
) -> AggregateCode:
    """A sum in units; where 64 bits do not hold a part of it the result is beyond them."""
    code = _whole_sum(argument, name, value, FALSE)
    before = (*code.before, f"{name}b = False")
    each = code.each
    if argument.beyond != FALSE:
        each = (f"if {argument.beyond}:", f"    {name}b = True", "else:", *_indented(each))
    after = (*code.after, f"{name}b = {name}b or {beyond}")
    result = replace(
        code.result, kind=ColumnKind.SCALED, scale=scale, digits=digits, beyond=f"{name}b"
    )
    return AggregateCode(before, each, after, result)


def _units(node: Aggregate, translator: Translator) -> Operand:
    if plain(translator.type(node.argument)).scale < 0:
        raise Unsupported(f"{node.name} of decimals whose scale is negative")
    return translator.wide(node.argument, ColumnKind.SCALED)


def _whole_argument(node: Aggregate, translator: Translator) -> Operand:
    argument = translator.operand(node.argument)
    if argument.kind is not ColumnKind.INT:
        raise Unsupported(f"{node.name} of whole numbers beyond 64 bits")
    return argument


def _float_sum(argument: Operand, name: str, result: str) -> AggregateCode:
    """From left to right; -0.0 is the number that changes nothing, -0.0 included."""
    return AggregateCode(
        before=(f"{name}n = 0", f"{name}s = -0.0", f"{name}v = 0.0"),
        each=_if(negation(argument.null), f"{name}n += 1", f"{name}s += {argument.value}"),
        after=_if(f"{name}n > 0", f"{name}v = {result}"),
        result=Operand(f"{name}v", f"{name}n == 0", ColumnKind.FLOAT),
    )


def _whole_sum(argument: Operand, name: str, value: str, null: str) -> AggregateCode:
    """In two parts, so that only the total overflows: high * 2^32 + low."""
    each = (
        f"{name}n += 1",
        f"{name}x = {argument.value}",
        f"{name}h += {name}x >> {_NUMBER_OF_LOW_BITS}",
        f"{name}l += {name}x & {2**_NUMBER_OF_LOW_BITS - 1}",
    )
    zero = (f"{name}n = 0", f"{name}h = 0", f"{name}l = 0")
    empty = f"{name}n == 0"
    after = (f"{name}v = {value}", f"{name}e = {empty if null == FALSE else f'{empty} or {null}'}")
    result = Operand(f"{name}v", f"{name}e", ColumnKind.INT)
    return AggregateCode(zero, _if(negation(argument.null), *each), after, result)


def _extreme(node: Aggregate, translator: Translator, name: str, *, sign: str) -> AggregateCode:
    """The first of the values that none is beyond."""
    argument = _as_it_is(node, translator)
    new, best = f"{name}x", f"{name}v"
    better = f"{new} {sign} {best}"
    if argument.kind is ColumnKind.FLOAT:
        one, other = (new, best) if sign == "<" else (best, new)
        better = f"float_less({one}, {other})"
    each = (
        f"{new} = {argument.value}",
        f"if {name}n == 0 or {better}:",
        f"    {best} = {new}",
        f"{name}n += 1",
    )
    return AggregateCode(
        before=(f"{name}n = 0", f"{best} = {_zero(argument.kind)}"),
        each=_if(negation(argument.null), *each),
        after=(),
        result=replace(argument, value=best, null=f"{name}n == 0"),
    )


def _minimum(node: Aggregate, translator: Translator, name: str) -> AggregateCode:
    return _extreme(node, translator, name, sign="<")


def _maximum(node: Aggregate, translator: Translator, name: str) -> AggregateCode:
    return _extreme(node, translator, name, sign=">")


def _first(node: Aggregate, translator: Translator, name: str) -> AggregateCode:
    """The first as it comes, null or not."""
    argument = _as_it_is(node, translator)
    taken = _taken(argument, name)
    return _kept(argument, name, (f"{name}n = 0",), _if(f"{name}n == 0", *taken, f"{name}n = 1"))


def _last(node: Aggregate, translator: Translator, name: str) -> AggregateCode:
    argument = _as_it_is(node, translator)
    return _kept(argument, name, (), _taken(argument, name))


def _as_it_is(node: Aggregate, translator: Translator) -> Operand:
    """The argument in its natural kind, or decimals in units if these surely fit."""
    type_ = translator.type(node.argument)
    if kind_of(type_) is Kind.DECIMAL and digits(type_)[0] <= NARROW:
        return translator.operand(node.argument, ColumnKind.SCALED)
    return translator.operand(node.argument)


def _taken(argument: Operand, name: str) -> tuple[str, ...]:
    return (f"{name}v = {argument.value}", f"{name}e = {argument.null}")


def _kept(
    argument: Operand, name: str, before: tuple[str, ...], each: tuple[str, ...]
) -> AggregateCode:
    initial = (*before, f"{name}v = {_zero(argument.kind)}", f"{name}e = True")
    result = replace(argument, value=f"{name}v", null=f"{name}e")
    return AggregateCode(initial, each, (), result)


def _if(condition: str, *lines: str) -> tuple[str, ...]:
    """The lines where a condition holds."""
    if condition == TRUE:
        return lines
    return (f"if {condition}:", *_indented(lines))


def _indented(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"    {line}" for line in lines)


def _zero(kind: ColumnKind) -> str:
    return "0.0" if kind is ColumnKind.FLOAT else "0"


_AGGREGATES: dict[str, Callable[[Aggregate, Translator, str], AggregateCode]] = {
    "count": _count,
    "sum": _sum,
    "avg": _average,
    "min": _minimum,
    "max": _maximum,
    "first": _first,
    "last": _last,
}
