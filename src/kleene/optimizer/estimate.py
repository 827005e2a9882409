"""How many matches there will be, about: from a few windows of the events, or as a formula.

Structure, types and conditions on one event are counted as they are. Conditions between events
have default selectivities, for nothing is known of them; negations reject nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, log10, prod
from typing import assert_never

import pyarrow as pa

from kleene.language.expressions import (
    Attribute,
    Comparison,
    Conjunction,
    Disjunction,
    Expression,
    IndexKind,
    Inversion,
)
from kleene.language.syntax import Strategy
from kleene.language.traversal import walk
from kleene.logical.algebra import (
    And,
    Event,
    Extended,
    Kleene,
    LogicalQuery,
    Node,
    Not,
    Optional,
    Or,
    Repeat,
    Seq,
    variables_of,
)
from kleene.logical.algebra import walk as walk_nodes
from kleene.logical.history import Row, holds_for_row, types
from kleene.optimizer.growth import growth
from kleene.optimizer.positions import Positions, positions
from kleene.optimizer.sample import sample

DEFAULTS = {"=": 0.1, "<=>": 0.1, "!=": 0.9, "<": 1 / 3, "<=": 1 / 3, ">": 1 / 3, ">=": 1 / 3}
"""The selectivities of comparisons of which nothing is known, as System R had them."""
_OTHERWISE = 0.5
_LARGE = 1e200


@dataclass(frozen=True, slots=True)
class Estimate:
    """A power of ten that is about the number of matches, and what it was made of."""

    power: float
    windows: int
    least: bool
    """Whether windows were too long to look at the whole of them."""
    assumed: str
    """What was not counted."""

    def __str__(self) -> str:
        looked = f"{self.windows} windows of the events{self.assumed}"
        if self.power == -inf:
            return f"none in {looked}"
        return f"{'more than' if self.least else 'about'} {self._number()}, by {looked}"

    def _number(self) -> str:
        if self.power >= _EXPONENT:
            return f"10^{self.power:,.0f}"
        number = 10.0**self.power
        return f"{float(f'{number:.2g}'):,.{0 if number >= 1 else 2}f}"


_EXPONENT = 15


def estimate(query: LogicalQuery, table: pa.Table) -> Estimate:
    """About how many matches a query has in a table of events."""
    walker = _Walker(query, positions(query.pattern), _Selectivities.of(query))
    found = sample(query, table, walker.begins)
    powers = [walker.power(window.rows) for window in found.windows]
    return Estimate(
        power=_mean(powers) + _log(found.starts),
        windows=len(powers),
        least=any(window.cut for window in found.windows),
        assumed=_assumed(query),
    )


def _assumed(query: LogicalQuery) -> str:
    """What an estimate leaves to defaults, said as such."""
    negated = any(isinstance(node, Not) for node in walk_nodes(query.pattern))
    said = ["conditions between events by default selectivities"] if _between(query) else []
    said += ["negations left out"] if negated else []
    return f"; {', '.join(said)}" if said else ""


def _between(query: LogicalQuery) -> list[Expression]:
    """The conditions that are not on one event alone."""
    own = {id(c) for conditions in query.own_conditions.values() for c in conditions}
    return [condition for condition in query.conditions if id(condition) not in own]


def selectivity(condition: Expression) -> float:
    """The share of choices that meet a condition of which nothing is known."""
    match condition:
        case Comparison():
            return prod(DEFAULTS[operator] for operator in condition.operators)
        case Conjunction():
            return prod(map(selectivity, condition.operands))
        case Disjunction():
            return 1 - prod(1 - selectivity(operand) for operand in condition.operands)
        case Inversion():
            return 1 - selectivity(condition.operand)
        case _:
            return _OTHERWISE


@dataclass(frozen=True, slots=True)
class _Selectivities:
    """The conditions between events, as the shares of choices that they leave."""

    each: dict[str, float]
    """Of the events that fit a variable."""
    later: dict[str, float]
    """Of those that come after another one of the variable."""
    whole: float
    """Of what would else be matches."""

    @staticmethod
    def of(query: LogicalQuery) -> _Selectivities:
        """Each condition at the last variable that it has for each element."""
        each = dict.fromkeys(query.variables, 1.0)
        later, whole = dict(each), 1.0
        for condition in _between(query):
            share = selectivity(condition)
            nodes = [node for node in walk(condition) if isinstance(node, Attribute)]
            running = [node for node in nodes if not _RUNNING.isdisjoint(node.indices)]
            if not running:
                whole *= share
                continue
            last = max((node.variable for node in running), key=list(each).index)
            relates = any(not _RELATING.isdisjoint(node.indices) for node in running)
            (later if relates else each)[last] *= share
        return _Selectivities(each, later, whole)


_RELATING = frozenset({IndexKind.PREVIOUS, IndexKind.BEFORE})
_RUNNING = _RELATING | {IndexKind.EACH, IndexKind.UP_TO}


@dataclass(frozen=True)
class _Walker:
    """Counts the ways of a pattern through the events of a window that begin with its first."""

    query: LogicalQuery
    automaton: Positions
    shares: _Selectivities

    @property
    def begins(self) -> frozenset[str]:
        """The variables that a match may begin with."""
        return frozenset(self.automaton.variables[place] for place in self.automaton.first)

    def power(self, rows: Sequence[Row]) -> float:
        """The number of ways as a power of ten."""
        neighbours = self.query.resolved.strategy in {Strategy.STRICT, Strategy.PARTITION}
        ways = [0.0] * len(self.automaton.variables)
        total, scale = 0.0, 0
        for number, row in enumerate(rows):
            arrived = self.arrivals(row, ways, begins=number == 0)
            total += sum(arrived[place] for place in self.automaton.last)
            ways = arrived if neighbours else [x + y for x, y in zip(ways, arrived, strict=True)]
            if total > _LARGE or max(ways) > _LARGE:
                total, ways, scale = total / _LARGE, [x / _LARGE for x in ways], scale + 1
        power = _log(total * self.shares.whole) + scale * log10(_LARGE)
        if self.query.resolved.strategy is not Strategy.NEXT:
            return power
        degree = growth(self.query).degree
        return power if degree is None else min(power, degree * _log(len(rows)))

    def arrivals(self, row: Row, ways: Sequence[float], *, begins: bool) -> list[float]:
        """In how many ways an event is the last so far, in each position."""
        kinds = types(row, self.query.resolved)
        fits = {
            name: self.fits(name, row, kinds) for name in dict.fromkeys(self.automaton.variables)
        }
        found = []
        for place, name in enumerate(self.automaton.variables):
            share = self.shares.each[name] if fits[name] else 0.0
            if begins:
                found.append(share if place in self.automaton.first else 0.0)
                continue
            before = self.automaton.before[place] if share else ()
            found.append(share * sum(ways[other] * self.again(name, other) for other in before))
        return found

    def again(self, name: str, before: int) -> float:
        """The share of a variable's events that may come after another one of it."""
        return self.shares.later[name] if self.automaton.variables[before] == name else 1.0

    def fits(self, name: str, row: Row, kinds: frozenset[str]) -> bool:
        """Whether an event is of the type of a variable and meets its own conditions."""
        kind = self.query.variables[name].type
        if kind is not None and kind not in kinds:
            return False
        return all(holds_for_row(condition, row) for condition in self.query.own_conditions[name])


def _mean(powers: Sequence[float]) -> float:
    """The mean of numbers given by their powers of ten."""
    most = max(powers, default=-inf)
    if most == -inf:
        return -inf
    return most + _log(sum(10.0 ** (power - most) for power in powers) / len(powers))


def _log(number: float) -> float:
    return log10(number) if number > 0 else -inf


def formula(query: LogicalQuery) -> str:
    """The number of matches in one window, by how many events `w_v` of it fit each variable v."""
    shares = _Selectivities.of(query)
    parts = _factors(query.pattern, shares)
    kept = prod(shares.each[name] for name, v in query.variables.items() if not v.loops)
    kept *= shares.whole
    found = " · ".join(parts if kept == 1 else [*parts, f"{kept:.2g}"])
    return f"{found} in a window where w_v events fit variable v{_assumed(query)}"


def _factors(node: Node, shares: _Selectivities) -> list[str]:
    """The factors of the number of ways of a node."""
    match node:
        case Event():
            return [f"w_{node.variable}"]
        case Kleene():
            taken = f"w_{node.variable}"
            if node.high is not None:
                return [taken if node.high == 1 else f"{taken}^{node.high}"]
            share = shares.each[node.variable] * shares.later[node.variable]
            return [f"{1 + share:.3g}^{taken}"]
        case Seq() | And():
            return [factor for part in node.parts for factor in _factors(part, shares)]
        case Or():
            return [_sum(" · ".join(_factors(part, shares)) for part in node.parts)]
        case Optional():
            return [_sum(("1", " · ".join(_factors(node.body, shares))))]
        case Extended():
            return _factors(node.body, shares)
        case Repeat():
            if node.high is None:
                return [f"2^w_{name}" for name in variables_of(node.body)]
            inside = " · ".join(_factors(node.body, shares))
            return [inside if node.high == 1 else f"({inside})^{node.high}"]
        case Not():
            return []
        case _:
            assert_never(node)


def _sum(parts: Iterable[str]) -> str:
    return f"({' + '.join(parts)})"
