"""What a query is once every name in it is known: the language stage's result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from kleene.errors import Span
from kleene.language.expressions import Duration, Expression, Type, place
from kleene.language.measures import Grouping
from kleene.language.schema import EventShape
from kleene.language.syntax import AfterMatch, Pattern, Query, Strategy
from kleene.language.user_aggregates import UserAggregate


@dataclass(frozen=True, slots=True)
class BranchStep:
    """A variable lies in one branch of an OR that `loops` quantified groups enclose."""

    choice: int
    branch: int
    loops: int


@dataclass(frozen=True, slots=True)
class Variable:
    """A declared variable and where in the pattern it stands.

    `loops` are the repetitions around it, outermost first, each an array dimension; the last is
    its own where `kleene`. `negations` are the negations around it, outermost first.
    """

    name: str
    type: str | None
    loops: tuple[int, ...] = ()
    kleene: bool = False
    sequence: bool = False
    negations: tuple[int, ...] = ()
    branches: tuple[BranchStep, ...] = ()
    hidden: bool = False
    span: Span = place()

    @property
    def key(self) -> str:
        """The name as names are compared."""
        return self.name.casefold()

    @property
    def positive(self) -> bool:
        """Whether matches bind it."""
        return not self.negations


@dataclass(frozen=True, slots=True)
class Conjunct:
    """A condition, resolved, and the negation that it belongs to (None: the positive part).

    Attributes have one index for each loop of their variable; `[i]` of one loop is the same
    iteration throughout the conjunct.
    """

    condition: Expression
    negation: int | None = None
    span: Span = place()


@dataclass(frozen=True, slots=True)
class RowType:
    """A type given by a condition on the row (DEFINE)."""

    name: str
    condition: Expression


@dataclass(frozen=True, slots=True)
class Output:
    """A column of RETURN."""

    name: str
    expression: Expression
    type: Type


@dataclass(frozen=True)
class ResolvedQuery:
    """A query bound to the shape of its events. Every event pattern in it is named."""

    source: Query
    shape: EventShape
    pattern: Pattern
    variables: tuple[Variable, ...]
    conjuncts: tuple[Conjunct, ...] = ()
    definitions: tuple[RowType, ...] = ()
    partition_by: tuple[tuple[str, ...], ...] = ()
    strategy: Strategy = Strategy.ANY
    window: Duration | int | Decimal | None = None
    after_match: AfterMatch | None = None
    confidence: Decimal | None = None
    returns: tuple[Output, ...] = ()
    grouping: Grouping | None = None
    """RETURN with GROUP BY; `returns` is then empty, for no row is a match."""
    aggregates: tuple[UserAggregate, ...] = ()

    def expressions(self) -> Iterator[Expression]:
        """Every expression on events: conditions, definitions of types, what a match returns."""
        yield from (conjunct.condition for conjunct in self.conjuncts)
        yield from (definition.condition for definition in self.definitions)
        yield from (output.expression for output in self.returns)
        if self.grouping is not None:
            yield from self.grouping.on_matches()

    def variable(self, name: str) -> Variable:
        """The variable of that name, in whatever case."""
        return self._by_key[name.casefold()]

    @cached_property
    def _by_key(self) -> dict[str, Variable]:
        return {variable.key: variable for variable in self.variables}
