"""Aggregates as statements of a loop over positions, with the results of `logical.aggregates`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kleene.language.expressions import Aggregate
from kleene.language.kinds import Kind, kind_of
from kleene.program.kinds import ColumnKind, Unsupported, natural_kind
from kleene.program.text import FALSE, TRUE, Operand, negation

if TYPE_CHECKING:
    from kleene.program.conditions import Translator

_NUMBER_OF_LOW_BITS = 32


@dataclass(frozen=True, slots=True)
class AggregateCode:
    """Statements before the loop, for each position, and after it; then the aggregate.

    They use names that begin with the one that was given. The kind is the natural one of the
    aggregate's type, which is what `Translator.operand` takes the aggregate to be of.
    """

    before: tuple[str, ...]
    each: tuple[str, ...]
    after: tuple[str, ...]
    value: str
    null: str
    kind: ColumnKind


def aggregate_code(node: Aggregate, translator: Translator, name: str) -> AggregateCode:
    """The code of an aggregate; the translator is that of its argument, in the loop."""
    if node.name not in _AGGREGATES:
        raise Unsupported(f"{node.name} is an aggregate of the user")
    return _AGGREGATES[node.name](node, translator, name)


def _count(node: Aggregate, translator: Translator, name: str) -> AggregateCode:
    null = translator.null(node.argument)
    each = _if(negation(null), f"{name}n += 1")
    return AggregateCode((f"{name}n = 0",), each, (), f"{name}n", FALSE, ColumnKind.INT)


def _sum(node: Aggregate, translator: Translator, name: str) -> AggregateCode:
    kind = natural_kind(translator.type(node))
    if kind is ColumnKind.FLOAT:
        return _float_sum(translator.operand(node.argument, kind), name, f"{name}s")
    value, null = f"total({name}h, {name}l)", f"total_overflows({name}h, {name}l)"
    return _whole_sum(_whole_argument(node, translator), name, value, null)


def _average(node: Aggregate, translator: Translator, name: str) -> AggregateCode:
    """Numbers are added as floats; durations exactly."""
    if kind_of(translator.type(node)) is Kind.DURATION:
        argument = _whole_argument(node, translator)
        return _whole_sum(argument, name, f"mean({name}h, {name}l, {name}n)", FALSE)
    if kind_of(translator.type(node)) is Kind.DECIMAL:
        raise Unsupported("the average of decimals")
    argument = translator.operand(node.argument, ColumnKind.FLOAT)
    return _float_sum(argument, name, f"{name}s / {name}n")


def _whole_argument(node: Aggregate, translator: Translator) -> Operand:
    argument = translator.operand(node.argument)
    if argument.kind is not ColumnKind.INT:
        raise Unsupported(f"{node.name} of decimals or of whole numbers beyond 64 bits")
    return argument


def _float_sum(argument: Operand, name: str, result: str) -> AggregateCode:
    """From left to right; -0.0 is the number that changes nothing, -0.0 included."""
    return AggregateCode(
        before=(f"{name}n = 0", f"{name}s = -0.0", f"{name}v = 0.0"),
        each=_if(negation(argument.null), f"{name}n += 1", f"{name}s += {argument.value}"),
        after=_if(f"{name}n > 0", f"{name}v = {result}"),
        value=f"{name}v",
        null=f"{name}n == 0",
        kind=ColumnKind.FLOAT,
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
    return AggregateCode(
        zero, _if(negation(argument.null), *each), after, f"{name}v", f"{name}e", ColumnKind.INT
    )


def _extreme(node: Aggregate, translator: Translator, name: str, *, sign: str) -> AggregateCode:
    """The first of the values that none is beyond."""
    argument = translator.operand(node.argument)
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
        value=best,
        null=f"{name}n == 0",
        kind=argument.kind,
    )


def _minimum(node: Aggregate, translator: Translator, name: str) -> AggregateCode:
    return _extreme(node, translator, name, sign="<")


def _maximum(node: Aggregate, translator: Translator, name: str) -> AggregateCode:
    return _extreme(node, translator, name, sign=">")


def _first(node: Aggregate, translator: Translator, name: str) -> AggregateCode:
    """The first as it comes, null or not."""
    argument = translator.operand(node.argument)
    taken = _taken(argument, name)
    return _kept(argument, name, (f"{name}n = 0",), _if(f"{name}n == 0", *taken, f"{name}n = 1"))


def _last(node: Aggregate, translator: Translator, name: str) -> AggregateCode:
    argument = translator.operand(node.argument)
    return _kept(argument, name, (), _taken(argument, name))


def _taken(argument: Operand, name: str) -> tuple[str, ...]:
    return (f"{name}v = {argument.value}", f"{name}e = {argument.null}")


def _kept(
    argument: Operand, name: str, before: tuple[str, ...], each: tuple[str, ...]
) -> AggregateCode:
    initial = (*before, f"{name}v = {_zero(argument.kind)}", f"{name}e = True")
    return AggregateCode(initial, each, (), f"{name}v", f"{name}e", argument.kind)


def _if(condition: str, *lines: str) -> tuple[str, ...]:
    """The lines where a condition holds."""
    if condition == TRUE:
        return lines
    return (f"if {condition}:", *(f"    {line}" for line in lines))


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
