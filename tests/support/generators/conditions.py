"""Random conditions that fit where they stand: in WHERE, at patterns, in DEFINE."""

from __future__ import annotations

from collections.abc import Sequence

from kleene.language.expressions import Comparison, Expression
from kleene.language.resolved import Variable
from kleene.language.syntax import (
    And,
    Conditioned,
    EventPattern,
    Exists,
    Not,
    Or,
    Pattern,
    Repeat,
    Seq,
)
from kleene.language.traversal import flattened
from kleene.language.variables import Declarations, InlineCondition, Place, declare
from support.generators.attributes import COLUMNS, Sort
from support.generators.drawing import Drawer
from support.generators.profile import Profile
from support.generators.references import (
    EACH,
    FIRST,
    PREVIOUS,
    Nameable,
    at_place,
    nameable_inline,
    together,
)
from support.generators.values import ExpressionMaker

_ROW = (Nameable("", 0),)
_OFTEN = (3, 5, 3, 1)
"""How often there are so many conditions: where there are more, fewer events meet them all."""

_ORDERS = ("<=", ">=", "=", "<=", ">=", "<", ">", "!=")


class ConditionMaker:
    """Draws the conditions of a query, once the variables of its pattern are known."""

    def __init__(self, drawer: Drawer, profile: Profile, pattern: Pattern) -> None:
        self.drawer = drawer
        self.profile = profile
        self.pattern = pattern
        self.declarations: Declarations = declare(pattern)[1]

    def where(self) -> tuple[Expression, ...]:
        """The conjuncts of WHERE."""
        numbers = range(self.profile.max_conditions + 1)
        count = self.drawer.weighted({number: _OFTEN[min(number, 3)] for number in numbers})
        variables = self.declarations.variables
        return tuple(
            conjunct
            for _ in range(count)
            for conjunct in flattened(self._condition(variables, Place(), None))
        )

    def with_inline(self) -> Pattern:
        """The pattern with conditions in the places held for them."""
        conditions = [self._inline(found) for found in self.declarations.inline]
        return self._filled(self.pattern, conditions)

    def _inline(self, found: InlineCondition) -> Expression:
        variables = nameable_inline(self.declarations.variables, found.place)
        return self._condition(variables, found.place, found.own)

    def _condition(
        self, variables: Sequence[Variable], place: Place, own: str | None
    ) -> Expression:
        """A condition on one to three of the variables, which it can name together."""
        drawer = self.drawer
        named = self._named(variables, own)
        seen = [at_place(variable, place) for variable in named]
        if own is not None and named[0].name == own and not named[0].kleene and len(seen) == 1:
            return self._own_or_named(seen)
        arrays = [s for v, s in zip(named, seen, strict=True) if v.kleene and s.dimensions]
        if arrays and self.profile.element_conditions and drawer.chance(40):
            return self._relating(drawer.one(arrays))
        return ExpressionMaker(drawer, self.profile, seen).truth()

    def _own_or_named(self, seen: Sequence[Nameable]) -> Expression:
        """The condition of a single event may leave its name out."""
        bare = self.drawer.chance(40)
        return ExpressionMaker(self.drawer, self.profile, _ROW if bare else seen, row=bare).truth()

    def _named(self, variables: Sequence[Variable], own: str | None) -> list[Variable]:
        mine = [v for v in variables if v.name == own]
        found = mine if mine and self.drawer.chance(85) else [self.drawer.one(variables)]
        for _ in range(self.drawer.weighted({0: 3, 1: 5, 2: 1})):
            others = [v for v in variables if v not in found and all(together(v, w) for w in found)]
            if others:
                found.append(self.drawer.one(others))
        return found

    def _relating(self, array: Nameable) -> Expression:
        """`b[i].x >= b[i-1].x`: an element and the one before, the first, or what came before."""
        drawer = self.drawer
        column = drawer.one([c for c in COLUMNS if c.sort is not Sort.TRUTH]).name
        outer = (EACH,) * (array.dimensions - 1)
        left = array.reference((*outer, EACH), column)
        if column == "x" and self.profile.aggregates and drawer.chance(40):
            maker = ExpressionMaker(drawer, self.profile, (array,))
            return Comparison((left, maker.aggregate(array, Sort.NUMBER)), (drawer.one(_ORDERS),))
        right = array.reference((*outer, drawer.one((PREVIOUS, FIRST))), column)
        return Comparison((left, right), (drawer.one(_ORDERS),))

    def _filled(self, node: Pattern, conditions: list[Expression]) -> Pattern:
        """The pattern with its placeholders, in the order of their declaration, replaced."""
        match node:
            case EventPattern():
                return node
            case Seq() | And() | Or():
                parts = tuple(self._filled(part, conditions) for part in node.parts)
                return type(node)(parts)
            case Not():
                return Not(self._filled(node.body, conditions))
            case Repeat():
                return Repeat(self._filled(node.body, conditions), node.quantifier)
            case Exists():
                return Exists(node.variables, self._filled(node.body, conditions))
            case Conditioned():
                mine = tuple(conditions.pop(0) for _ in node.conditions)
                return Conditioned(self._filled(node.body, conditions), mine)


def row_condition(drawer: Drawer, profile: Profile) -> Expression:
    """A condition of DEFINE, on a row."""
    return ExpressionMaker(drawer, profile, _ROW, row=True).truth()
