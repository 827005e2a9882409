"""RETURN … GROUP BY: the matches of a query in groups, and a row for each (semantics 6).

A key compares as values do: null is a key, NaN is one, 0.0 and -0.0 are the same. A whole event is
the event, not what it holds.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import reduce

import pyarrow as pa

from kleene.errors import LimitError
from kleene.language.decimals import MOST_DIGITS
from kleene.language.expressions import Aggregate, Attribute
from kleene.language.measures import MEASURE, GroupColumn, Grouping, Measure
from kleene.logical.aggregates import aggregate_values
from kleene.logical.algebra import LogicalQuery
from kleene.logical.arithmetic import EXACT
from kleene.logical.history import field, holds_for_row
from kleene.logical.meaning import Meaning
from kleene.logical.moments import MICROSECOND, duration_of
from kleene.logical.ordering import sort_key
from kleene.logical.shown import Shown, pick
from kleene.logical.values import evaluate

_MOST = 10**MOST_DIGITS - 1


def group_rows(query: LogicalQuery, grouping: Grouping, found: Meaning) -> Iterator[list[object]]:
    """A row for each group of matches that HAVING keeps; without keys there is one, always."""
    groups: dict[tuple[object, ...], list[Shown]] = {} if grouping.keys else {(): []}
    for match in found.matches:
        shown = Shown(query, found.rows, match)
        key = tuple(_identity(column, shown) for column in grouping.keys)
        groups.setdefault(key, []).append(shown)
    for matches in groups.values():
        row = _row(grouping, matches)
        if all(holds_for_row(condition, row) for condition in grouping.having):
            yield [_on_row(column, row) for column in grouping.outputs]


def _identity(column: GroupColumn, shown: Shown) -> object:
    """What tells a key from another."""
    expression = column.expression
    if column.is_event and isinstance(expression, Attribute):
        return pick(shown.match.binding[expression.variable], expression.indices)
    return sort_key(shown.value(expression))


def _row(grouping: Grouping, matches: Sequence[Shown]) -> dict[str, object]:
    """The keys and aggregates of a group."""
    row: dict[str, object] = {}
    for key in grouping.keys:
        value = matches[0].value(key.expression)
        row[key.name] = value if key.is_event else _plain(value)
    for number, measure in enumerate(grouping.measures):
        row[MEASURE.format(number)] = _measured(measure, matches)
    return row


def _plain(value: object) -> object:
    """A key in one spelling: of the two zeros that are equal, the positive one."""
    match value:
        case float():
            return value + 0.0
        case list():
            return [_plain(item) for item in value]
        case dict():
            return {name: _plain(item) for name, item in value.items()}
        case _:
            return value


def _on_row(column: GroupColumn, row: dict[str, object]) -> object:
    def attribute(node: Attribute) -> object:
        return field(row, node.path)

    def aggregate(node: Aggregate) -> object:
        raise AssertionError(node)

    return evaluate(column.expression, attribute, aggregate)


def _measured(measure: Measure, matches: Sequence[Shown]) -> object:
    """An aggregate over all matches: an event that is in three of them counts three times."""
    if measure.argument is None:
        return counted(len(matches))
    values: list[object] = []
    for shown in matches:
        if measure.each is None:
            values.append(shown.value(measure.argument))
        else:
            values.extend(shown.values(measure.argument, measure.each))
    present = [value for value in values if value is not None]
    match measure.name:
        case "count":
            return counted(len(present))
        case "sum":
            return total(present) if present else None
        case "avg":
            return mean(total(present), len(present), measure.type) if present else None
        case _:
            return aggregate_values(measure.name, present)


def counted(number: int) -> Decimal:
    """A number of matches or of events."""
    if number > _MOST:
        raise LimitError(f"a count has more than {MOST_DIGITS} digits")
    return Decimal(number)


def total(values: Sequence[object]) -> object:
    """The sum of values, exact but for floats."""
    match values[0]:
        case int() | Decimal():
            numbers = (Decimal(value) for value in values if isinstance(value, int | Decimal))
            return in_digits(reduce(EXACT.add, numbers))
        case dt.timedelta():
            lengths = (value // MICROSECOND for value in values if isinstance(value, dt.timedelta))
            return length_of(sum(lengths))
        case _:
            return sum(value for value in values if isinstance(value, float))


def mean(total: object, count: int, type_: pa.DataType) -> object:
    """A sum divided; what comes of decimals and durations is rounded half up."""
    match total:
        case Decimal() if pa.types.is_floating(type_):
            return float(Fraction(total) / count)
        case Decimal():
            unit = Decimal(1).scaleb(-type_.scale)
            return in_digits(EXACT.divide(total, Decimal(count)).quantize(unit, context=EXACT))
        case dt.timedelta():
            exact = EXACT.divide(Decimal(total // MICROSECOND), Decimal(count))
            return length_of(int(exact.to_integral_value(ROUND_HALF_UP)))
        case float():
            return total / count
        case _:
            raise TypeError(f"{total!r} is no sum")


def in_digits(value: Decimal) -> Decimal:
    """A sum or an average, which has as many digits as a decimal has at most."""
    if len(value.as_tuple().digits) > MOST_DIGITS:
        raise LimitError(f"a sum or an average has more than {MOST_DIGITS} digits")
    return value


def length_of(microseconds: int) -> dt.timedelta:
    """A duration, which 64 bits count."""
    found = duration_of(microseconds)
    if found is None:
        raise LimitError("a sum of durations is longer than 64 bits count in microseconds")
    return found
