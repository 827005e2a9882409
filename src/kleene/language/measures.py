"""What a RETURN with GROUP BY is once its names are known: keys, aggregates over matches, rows.

The row of a group has a column for each key and for each aggregate. What comes back are
expressions on that row: their attributes name no variable, and columns as `KEY` and `MEASURE` do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pyarrow as pa

from kleene.errors import NOWHERE
from kleene.language.decimals import MOST_DIGITS, digits
from kleene.language.expressions import Attribute, Expression, Literal, Type
from kleene.language.functions import AGGREGATES
from kleene.language.kinds import Kind, Typed, kind_of

KEY, MEASURE = "key{}", "measure{}"
"""The columns of the row of a group."""

COUNTED = pa.decimal128(MOST_DIGITS, 0)
"""The type of counts: there may be more matches than 64 bits count."""


@dataclass(frozen=True, slots=True)
class Measure:
    """An aggregate over all matches of a group: of `argument`, which is `None` for `count(*)`.

    The argument has a value for each match; or, where it names an array variable without an index,
    for each event that `each`, that variable, binds in a match. `of` is the type of such a value.
    """

    name: str
    argument: Expression | None
    each: str | None = None
    of: Type = None

    @property
    def type(self) -> Type:
        """Sums of whole numbers and decimals are exact: they get as many digits as there are."""
        match self.name, kind_of(self.of):
            case "count", _:
                return COUNTED
            case "sum", Kind.INTEGER | Kind.DECIMAL:
                return pa.decimal128(MOST_DIGITS, digits(self.of)[1])
            case _:
                value = Typed(self.argument or Literal(None), self.of)
                return AGGREGATES[self.name].rule((value,), NOWHERE)

    @property
    def parts(self) -> tuple[Measure, ...]:
        """The aggregates whose values for some matches and for others give those for all."""
        if self.name == "avg":
            return replace(self, name="sum"), replace(self, name="count")
        return (self,)


@dataclass(frozen=True, slots=True)
class GroupColumn:
    """A column of the rows of groups: a key, as an expression on a match, or what comes back."""

    name: str
    expression: Expression
    type: Type

    @property
    def is_event(self) -> bool:
        """Whether it is a whole event: two events of equal content are two."""
        found = self.expression
        return isinstance(found, Attribute) and bool(found.variable) and not found.path


@dataclass(frozen=True, slots=True)
class Grouping:
    """RETURN … GROUP BY … HAVING: keys of matches, aggregates over them, and rows of both."""

    keys: tuple[GroupColumn, ...]
    measures: tuple[Measure, ...]
    outputs: tuple[GroupColumn, ...]
    having: tuple[Expression, ...] = ()

    @property
    def parts(self) -> tuple[Measure, ...]:
        """The parts of all aggregates, each once; the first is the number of matches."""
        parts = (part for measure in self.measures for part in measure.parts)
        return tuple(dict.fromkeys((Measure("count", None), *parts)))

    def partial(self) -> Grouping:
        """What some of the matches tell of each group: its key, and the parts."""
        parts = self.parts
        columns = [GroupColumn(k.name, row_attribute(k.name, k.type), k.type) for k in self.keys]
        for number, part in enumerate(parts):
            name = MEASURE.format(number)
            columns.append(GroupColumn(name, row_attribute(name, part.type), part.type))
        return Grouping(self.keys, parts, tuple(columns))

    def on_matches(self) -> Iterator[Expression]:
        """The expressions that read the events of matches."""
        yield from (key.expression for key in self.keys)
        yield from (m.argument for m in self.measures if m.argument is not None)


def row_attribute(name: str, type_: Type) -> Attribute:
    """A column of the row of a group."""
    return Attribute("", (), (name,), type_)
