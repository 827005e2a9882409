"""Laws of patterns: what may be written in another way (semantics 2 and 3)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

from kleene.language.expressions import Comparison, Literal, Reference
from kleene.language.syntax import (
    And,
    Definition,
    EventPattern,
    Name,
    Or,
    Pattern,
    Repeat,
    SkipMode,
    Strategy,
    walk_patterns,
)
from support.generators import PRECISE, Operator, Sample, samples
from support.rewriting import (
    contains,
    flattened,
    nested,
    reversed_parts,
    with_impossible,
    with_pattern,
)

KEEPING_ALL = replace(PRECISE, skip_modes=(SkipMode.NO_SKIP,))
"""Where matches differ only in the order of their variables, AFTER MATCH may tell them apart."""

NOT_NEXT = (Strategy.ANY, Strategy.STRICT, Strategy.PARTITION)


def by_name(sample: Sample) -> Counter[tuple[str, ...]]:
    """The matches, whatever the order of their variables."""
    return Counter(
        tuple(sorted(f"{name}={value}" for name, value in match.binding.items()))
        for match in sample.meaning.matches
    )


@given(samples(PRECISE))
def test_a_sequence_in_a_sequence_is_its_elements_in_place(sample: Sample) -> None:
    """A positive `SEQ` inside a `SEQ` is the same as writing its elements in place."""
    flat = sample.asking(with_pattern(sample.query, flattened))
    deep = sample.asking(with_pattern(sample.query, nested))
    assert flat.found == sample.found == deep.found


@given(samples(KEEPING_ALL))
def test_conjunctions_commute(sample: Sample) -> None:
    """`AND`: all of them, over distinct events, in any order."""
    assume(contains(sample.query, And))
    turned = sample.asking(with_pattern(sample.query, reversed_parts(And)))
    assert by_name(turned) == by_name(sample)


@given(
    samples(replace(KEEPING_ALL, strategies=(Strategy.ANY, Strategy.STRICT, Strategy.PARTITION)))
)
def test_choices_commute(sample: Sample) -> None:
    """`OR`: any one of them.

    Under skip-till-next a run that passes over an OR takes the first branch that may be empty, and
    then the order of the branches is seen in the arrays of the others, which are null.
    """
    assume(contains(sample.query, Or))
    turned = sample.asking(with_pattern(sample.query, reversed_parts(Or)))
    assert by_name(turned) == by_name(sample)


@given(samples(replace(KEEPING_ALL, strategies=(Strategy.NEXT,)).without(Operator.OPTIONAL)))
def test_choices_of_what_must_be_there_commute_under_skip_till_next(sample: Sample) -> None:
    """`OR`: any one of them; each branch gives one successor (semantics 4)."""
    assume(contains(sample.query, Or) and not any(map(_may_be_empty, _nodes(sample))))
    turned = sample.asking(with_pattern(sample.query, reversed_parts(Or)))
    assert by_name(turned) == by_name(sample)


@given(samples(PRECISE), st.integers(0, 4))
def test_negating_what_cannot_occur_changes_nothing(sample: Sample, place: int) -> None:
    """`!p`: no match of p in this place."""
    more = sample.asking(with_pattern(sample.query, with_impossible(place)))
    assert more.found == sample.found


@given(samples(PRECISE))
def test_the_order_of_conjuncts_does_not_matter(sample: Sample) -> None:
    """WHERE is a conjunction; each conjunct is decided on its own."""
    turned = sample.asking(replace(sample.query, where=sample.query.where[::-1]))
    assert turned.found == sample.found


@given(samples(replace(PRECISE, definitions=False)))
def test_types_may_be_defined_by_their_column(sample: Sample) -> None:
    """An event has a type: any column, or a `DEFINE`d condition (semantics 1)."""
    definitions = tuple(map(_is_of, sorted(_types(sample.query.pattern))))
    defined = sample.asking(replace(sample.query, definitions=definitions))
    roles = replace(sample.roles, type=None)
    assert replace(defined, roles=roles).found == sample.found


def _nodes(sample: Sample) -> list[Pattern]:
    return list(walk_patterns(sample.query.pattern))


def _may_be_empty(node: Pattern) -> bool:
    quantifier = node.quantifier if isinstance(node, EventPattern | Repeat) else None
    return quantifier is not None and quantifier.low == 0


def _types(pattern: Pattern) -> set[str]:
    events = [node for node in walk_patterns(pattern) if isinstance(node, EventPattern)]
    return {node.type.text for node in events if node.type is not None}


def _is_of(name: str) -> Definition:
    return Definition(Name(name), Comparison((Reference("type"), Literal(name)), ("=",)))
