"""Random RETURN … GROUP BY … HAVING."""

from __future__ import annotations

from collections.abc import Sequence

from kleene.language.expressions import (
    Arithmetic,
    Call,
    Comparison,
    Expression,
    Literal,
    MatchCount,
    Reference,
)
from kleene.language.resolved import Variable
from kleene.language.syntax import GroupBy, Name, ReturnItem
from kleene.language.traversal import walk
from support.generators.attributes import ALL_COLUMNS, Sort
from support.generators.drawing import Drawer
from support.generators.profile import Profile
from support.generators.references import ALL, Nameable
from support.generators.values import ExpressionMaker

_WHOLE = ("x", "g", "n")
"""Columns of whole numbers: their sums do not depend on the order, so HAVING may compare them."""


class GroupMaker:
    """Draws keys, aggregates over matches, and what comes back of both."""

    def __init__(
        self,
        drawer: Drawer,
        profile: Profile,
        variables: Sequence[Variable],
        partition: Sequence[str],
    ) -> None:
        self.drawer = drawer
        self.profile = profile
        self.shown = [v for v in variables if v.positive and not v.hidden]
        self.single = [v for v in self.shown if not v.loops]
        self.arrays = [v for v in self.shown if v.loops]
        taken = {variable.key for variable in variables}
        self.partition = [name for name in partition if name.casefold() not in taken]

    def clauses(self) -> tuple[tuple[ReturnItem, ...], GroupBy]:
        """RETURN, with an alias for each item, and GROUP BY."""
        drawer = self.drawer
        keys = tuple(self._key() for _ in range(drawer.weighted({0: 2, 1: 4, 2: 2})))
        items = [self._item(keys) for _ in range(drawer.number(1, 4))]
        named = (ReturnItem(item, Name(f"r{number}")) for number, item in enumerate(items))
        having = (self._having(),) if drawer.chance(25) else ()
        return tuple(named), GroupBy(keys, having)

    def _key(self) -> Expression:
        drawer = self.drawer
        if self.partition and drawer.chance(40):
            return Reference(drawer.one(self.partition))
        if self.single and drawer.chance(40):
            return Reference(drawer.one(self.single).name)
        variable = drawer.one(self.shown)
        nameable = Nameable(variable.name, len(variable.loops))
        found = self._maker([nameable]).value(drawer.one(tuple(Sort)), 1)
        if any(isinstance(node, Reference) for node in walk(found)):
            return found
        if variable.loops:
            return Call("count", (nameable.reference((ALL,) * nameable.dimensions, None),))
        return nameable.reference((), drawer.one(ALL_COLUMNS).name)

    def _item(self, keys: Sequence[Expression]) -> Expression:
        drawer = self.drawer
        if keys and drawer.chance(35):
            key = drawer.one(keys)
            whole = isinstance(key, Reference) and not key.path and key.variable in self._names
            if isinstance(key, Reference) and whole and drawer.chance(50):
                return Nameable(key.variable, 0).reference((), drawer.one(ALL_COLUMNS).name)
            return key
        if drawer.chance(15):
            return Arithmetic(drawer.one(("+", "/", "*")), self._number(), self._number())
        return self._measure()

    @property
    def _names(self) -> set[str]:
        return {variable.name for variable in self.single}

    def _measure(self) -> Expression:
        """An aggregate over matches, of whatever it may be of."""
        drawer = self.drawer
        form = drawer.weighted({"all": 3, "events": 2, "within": 2, "value": 5})
        match form:
            case "all":
                return MatchCount()
            case "events":
                return Call("count", (Reference(drawer.one(self.shown).name),))
            case "within" if self.arrays:
                variable = drawer.one(self.arrays)
                nameable = Nameable(variable.name, len(variable.loops))
                sort = drawer.one((Sort.NUMBER, Sort.TEXT))
                inner = self._maker([nameable]).aggregate(nameable, sort)
                return Call(self._how(sort), (inner,))
            case _:
                sort = drawer.one((Sort.NUMBER, Sort.NUMBER, Sort.TEXT))
                value = self._maker(self._values()).value(sort, 1)
                return Call(self._how(sort), (value,))

    def _values(self) -> list[Nameable]:
        """One variable, and beside an array variable at times a single one."""
        one = self.drawer.one(self.shown)
        others = [v for v in self.single if v is not one]
        chosen = [one, *(self.drawer.some(others, 0, 1))]
        return [Nameable(variable.name, 0) for variable in chosen]

    def _number(self) -> Expression:
        """An aggregate that is a whole number, and the same in whatever order it is computed."""
        if self.drawer.chance(40):
            return MatchCount()
        variable, column = self.drawer.one(self.shown), self.drawer.one(_WHOLE)
        return Call(self._how(Sort.NUMBER), (Reference(variable.name, (), (column,)),))

    def _having(self) -> Expression:
        operator = self.drawer.one((">", ">=", "<", "="))
        return Comparison((self._number(), Literal(self.drawer.number(0, 3))), (operator,))

    def _how(self, sort: Sort) -> str:
        of_numbers = ("sum", "avg", "count", "min", "max")
        return self.drawer.one(of_numbers if sort is Sort.NUMBER else ("min", "max", "count"))

    def _maker(self, variables: Sequence[Nameable]) -> ExpressionMaker:
        return ExpressionMaker(self.drawer, self.profile, variables, returned=True)
