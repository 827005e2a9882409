"""Random expressions of each sort over the events that some variables bind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from kleene.language.expressions import (
    Arithmetic,
    Call,
    Case,
    Cast,
    Comparison,
    Conjunction,
    Disjunction,
    Expression,
    Inversion,
    Like,
    Literal,
    Membership,
    Negative,
    NullTest,
    Range,
    Reference,
)
from support.generators.attributes import Sort, Value, columns_of
from support.generators.drawing import Drawer
from support.generators.profile import Profile
from support.generators.references import ALL, FIRST, Nameable, element_of, range_of

_COMPARISONS = {"=": 5, "<=": 4, ">=": 4, "!=": 2, "<": 1, ">": 2, "<=>": 1}
_CONSTANTS: dict[Sort, tuple[Expression, ...]] = {
    Sort.NUMBER: (
        *(Literal(value) for value in (0, 1, 0, 1, 2, 3, Decimal("1.5"), 0.5)),
        Negative(Literal(1)),
    ),
    Sort.TEXT: tuple(Literal(value) for value in ("p", "u", "p", "q", "pq", "")),
    Sort.TRUTH: tuple(Literal(value) for value in (True, True, False)),
}
_PATTERNS = ("p%", "_", "%", "%q", "p", "\\%q")


@dataclass(frozen=True, slots=True)
class ExpressionMaker:
    """Draws expressions over variables; `returned` where they stand in RETURN."""

    drawer: Drawer
    profile: Profile
    variables: Sequence[Nameable]
    returned: bool = False
    row: bool = False
    """Names are columns: in DEFINE, and in the conditions of a single event."""

    def truth(self, depth: int = 1) -> Expression:
        """A condition."""
        forms = {"comparison": 7, "same": 8, "test": 5, "column": 1}
        if depth > 0:
            forms |= {"or": 2, "not": 1, "and": 1, "case": int(self.profile.functions)}
        match self.drawer.weighted(forms):
            case "comparison":
                return self.comparison()
            case "same":
                return self.same()
            case "test":
                return self._test()
            case "or":
                return Disjunction((self.truth(depth - 1), self.truth(depth - 1)))
            case "and":
                return Conjunction((self.truth(depth - 1), self.truth(depth - 1)))
            case "not":
                return Inversion(self.truth(depth - 1))
            case "case":
                branch = (self.truth(0), self.truth(0))
                others = (None, *_CONSTANTS[Sort.TRUTH], self.truth(0))
                return Case(None, (branch,), self.drawer.one(others))
            case _:
                return self.column(Sort.TRUTH)

    def comparison(self) -> Expression:
        """Values of one sort compared, with each other or with a constant."""
        drawer = self.drawer
        sort = drawer.weighted({Sort.NUMBER: 5, Sort.TEXT: 2, Sort.TRUTH: 1})
        operator = drawer.weighted(_COMPARISONS)
        left = self.value(sort, 1)
        constant = len(self.variables) == 1 or drawer.chance(25)
        right = drawer.one(_CONSTANTS[sort]) if constant else self.value(sort, 1)
        if drawer.chance(6):
            return Comparison((left, right, self.value(sort, 0)), (operator, operator))
        return Comparison((left, right), (operator,))

    def same(self) -> Expression:
        """One attribute of two events compared, or of one with a value: as in most queries."""
        drawer = self.drawer
        column = drawer.one(columns_of(drawer.one((Sort.NUMBER, Sort.TEXT))))
        left = self.attribute(self.variables[0], column.name)
        if len(self.variables) == 1:
            return Comparison((left, Literal(_written(drawer.one(column.values[:2])))), ("=",))
        right = self.attribute(self.variables[1], column.name)
        operator = drawer.weighted({"=": 3, "<=": 2, ">=": 2, "<": 1, ">": 1, "!=": 1})
        return Comparison((left, right), (operator,))

    def value(self, sort: Sort, depth: int) -> Expression:
        """An expression of a sort."""
        drawer = self.drawer
        arrays = [variable for variable in self.variables if variable.dimensions]
        if arrays and self.profile.aggregates and drawer.chance(25):
            return self.aggregate(drawer.one(arrays), sort)
        if depth <= 0 or not self.profile.functions or drawer.chance(60):
            return self.column(sort)
        match sort:
            case Sort.NUMBER:
                return self._number(depth)
            case Sort.TEXT:
                return self._text(depth)
            case Sort.TRUTH:
                return self.column(sort)

    def column(self, sort: Sort) -> Expression:
        """An attribute of a sort of one of the events."""
        return self.attribute(self._any(), self.drawer.one(columns_of(sort)).name)

    def attribute(self, variable: Nameable, column: str) -> Reference:
        """An attribute of an event that the variable binds."""
        if self.row:
            return Reference(column)
        if self.returned:
            return variable.reference((FIRST,) * variable.dimensions, column)
        relating = self.profile.element_conditions
        return variable.reference(element_of(self.drawer, variable, relating=relating), column)

    def aggregate(self, variable: Nameable, sort: Sort) -> Expression:
        """An aggregate over elements of an array."""
        drawer = self.drawer
        names = list(self.profile.aggregates)
        if sort is not Sort.NUMBER:
            names = [name for name in names if name in ("max", "min", "first", "last")]
        if not names:
            return self.column(sort)
        name = drawer.one(names)
        relating = self.profile.element_conditions and not self.returned
        indices = range_of(drawer, variable, relating=relating)
        if self.returned:
            indices = (ALL,) * variable.dimensions
        if name == "count" and drawer.chance(60):
            return Call(name, (variable.reference(indices, None),))
        column = drawer.one(columns_of(sort)).name
        return Call(name, (variable.reference(indices, column),))

    def _any(self) -> Nameable:
        return self.drawer.one(self.variables)

    def _test(self) -> Expression:
        drawer = self.drawer
        negated = drawer.chance(25)
        match drawer.one(("in", "between", "null", "like")):
            case "in":
                sort = drawer.one((Sort.NUMBER, Sort.TEXT))
                items = tuple(drawer.some(_CONSTANTS[sort], 2, 3))
                return Membership(self.value(sort, 0), items, negated)
            case "between":
                low, high = drawer.one(((0, 2), (1, 3), (1, 1)))
                number = self.value(Sort.NUMBER, 0)
                return Range(number, Literal(low), Literal(high), negated)
            case "null":
                sort = drawer.one(tuple(Sort))
                return NullTest(self.value(sort, 0), not negated)
            case _:
                pattern: Expression = Literal(drawer.one(_PATTERNS))
                if drawer.chance(20):
                    pattern = self.value(Sort.TEXT, 0)
                return Like(self.value(Sort.TEXT, 0), pattern, negated=negated)

    def _number(self, depth: int) -> Expression:
        drawer = self.drawer
        operand = self.value(Sort.NUMBER, depth - 1)
        forms = ("+", "-", "*", "/", "%", "neg", "abs", "coalesce", "length", "cast", "round")
        match drawer.one(forms):
            case "round":
                return Call("round", (operand, Literal(1)))
            case "neg":
                return Negative(operand)
            case "abs":
                return Call("abs", (operand,))
            case "coalesce":
                return Call("coalesce", (operand, Literal(1)))
            case "length":
                return Call("length", (self.value(Sort.TEXT, depth - 1),))
            case "cast":
                return Cast(operand, "double")
            case operator:
                constant = drawer.chance(50)
                other = Literal(2) if constant else self.value(Sort.NUMBER, depth - 1)
                return Arithmetic(operator, operand, other)

    def _text(self, depth: int) -> Expression:
        operand = self.value(Sort.TEXT, depth - 1)
        other = Literal("q") if self.drawer.chance(60) else self.value(Sort.TEXT, depth - 1)
        match self.drawer.one(("upper", "concat", "||", "coalesce")):
            case "upper":
                return Call("upper", (operand,))
            case "concat":
                return Call("concat", (operand, other))
            case "coalesce":
                return Call("coalesce", (operand, Literal("p")))
            case _:
                return Arithmetic("||", operand, other)


def _written(value: Value) -> Value:
    """A value as a query has it: with no more places than it shows."""
    if not isinstance(value, Decimal):
        return value
    return int(value) if value == int(value) else value.normalize()
