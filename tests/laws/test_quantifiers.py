"""Laws of quantifiers (semantics 2, Patterns and Kleene variables)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

from kleene.language.expressions import Comparison, Expression, Index, IndexKind, Reference
from kleene.language.resolved import Variable
from kleene.language.syntax import (
    EventPattern,
    Name,
    Pattern,
    Quantifier,
    Query,
    Seq,
    SkipMode,
    Strategy,
    StrategyClause,
    walk_patterns,
)
from kleene.logical.binding import Value
from support.generators import PRECISE, PURE, Operator, Sample, samples
from support.generators.samples import bound
from support.rewriting import with_pattern

CHOOSING = replace(
    PRECISE.without(Operator.EXISTS, Operator.GROUP),
    strategies=(Strategy.ANY, Strategy.STRICT, Strategy.PARTITION),
    skip_modes=(SkipMode.NO_SKIP,),
)
"""Where every admissible choice is a match."""


def quantified(query: Query, variable: str, quantifier: Quantifier | None) -> Query:
    """The query with another quantifier at one of its variables."""

    def change(node: Pattern) -> Pattern:
        if isinstance(node, EventPattern) and node.variable == Name(variable):
            return replace(node, quantifier=quantifier)
        return node

    return with_pattern(query, change)


def where(sample: Sample, variable: str, fits: Callable[[Value], bool]) -> Counter[str]:
    """The matches whose value of a variable fits."""
    matches = [m for m in sample.meaning.matches if fits(m.binding[variable])]
    return Counter(bound(match, sample.meaning.rows) for match in matches)


def chosen(sample: Sample, fits: Callable[[Variable], bool]) -> Variable:
    """The first variable of matches that fits; without one the sample says nothing."""
    found = [v for v in sample.logical.resolved.variables if v.positive and fits(v)]
    assume(found)
    return found[0]


def optional(sample: Sample) -> set[str]:
    """The variables of optional events."""
    events = walk_patterns(sample.logical.resolved.pattern)
    return {
        node.variable.text
        for node in events
        if isinstance(node, EventPattern) and node.quantifier is not None
        if node.quantifier.optional and node.variable is not None
    }


@given(samples(CHOOSING))
def test_an_optional_event_that_is_there_is_an_event(sample: Sample) -> None:
    """`T? b`: at most one."""
    names = optional(sample)
    variable = chosen(sample, lambda v: v.name in names and not v.branches).name
    certain = sample.asking(quantified(sample.query, variable, None))
    assert where(sample, variable, lambda value: value is not None) == certain.bindings


@given(samples(CHOOSING), st.integers(1, 3))
def test_bounds_choose_among_collections(sample: Sample, size: int) -> None:
    """`T* b[]`, `T{n,m} b[]`: the same with zero or more, with n to m."""
    variable = chosen(sample, lambda v: v.kleene).name
    some = sample.asking(quantified(sample.query, variable, Quantifier(0, None)))
    exact = sample.asking(quantified(sample.query, variable, Quantifier(size, size)))
    of_size = where(some, variable, lambda value: isinstance(value, tuple) and len(value) == size)
    assert of_size == where(exact, variable, lambda value: value is not None)


@given(samples(replace(PURE, definitions=False, strategies=tuple(Strategy))), st.data())
def test_a_sequence_of_three_is_three_events_in_order(sample: Sample, data: st.DataObject) -> None:
    """`b[i]` holds for every element; with `b[i-1]` for every element but the first."""
    operator = data.draw(st.sampled_from(["<=", "<", "=", "!=", ">"]))
    column = data.draw(st.sampled_from(["x", "y", "s", "id"]))
    assume(column in sample.stream.schema.names)
    sample = replace(sample, roles=replace(sample.roles, type="type"))
    query = replace(sample.query, strategy=_unnamed(sample.query.strategy))
    array = EventPattern(Name("A"), Name("b"), Quantifier(3, 3))
    each = _compared(
        _element(IndexKind.EACH, column), operator, _element(IndexKind.PREVIOUS, column)
    )
    many = sample.asking(replace(query, pattern=array, where=(each,)))

    names = ("p", "q", "r")
    events = tuple(EventPattern(Name("A"), Name(name)) for name in names)
    p, q, r = (Reference(name, (), (column,)) for name in names)
    pairs = (_compared(q, operator, p), _compared(r, operator, q))
    three = sample.asking(replace(query, pattern=Seq(events), where=pairs))
    assert _listed(many) == _listed(three)


def _unnamed(clause: StrategyClause | None) -> StrategyClause | None:
    """The strategy without the variables that it was written with."""
    return None if clause is None else replace(clause, variables=())


def _element(kind: IndexKind, column: str) -> Expression:
    return Reference("b", (Index(kind),), (column,))


def _compared(left: Expression, operator: str, right: Expression) -> Expression:
    return Comparison((left, right), (operator,))


def _listed(sample: Sample) -> Counter[tuple[Value, ...]]:
    """The events of each match in the order of its variables."""
    flat = []
    for match in sample.meaning.matches:
        values = [v if isinstance(v, tuple) else (v,) for v in match.binding.values()]
        flat.append(tuple(event for value in values for event in value))
    return Counter(flat)
