"""The types of events in an order in which they match a pattern, conditions aside."""

from __future__ import annotations

from collections import Counter

from kleene.language.syntax import (
    And,
    Conditioned,
    EventPattern,
    Exists,
    Not,
    Or,
    Pattern,
    Quantifier,
    Query,
    Repeat,
    Seq,
)
from support.generators.attributes import NOISE, TYPES
from support.generators.drawing import Drawer
from support.generators.profile import Profile
from support.generators.work import work


def types_for(drawer: Drawer, profile: Profile, query: Query) -> list[str]:
    """What the pattern asks for, with more events in between, as far as the work allows."""
    if drawer.chance(4):
        return []
    types = laid(drawer, query.pattern, rejected=40)
    if drawer.chance(40):
        types = _interleaved(drawer, types, laid(drawer, query.pattern, rejected=60))
    types = types[: profile.max_events]
    while work_of(query, types) > profile.max_work:
        types.pop(drawer.number(0, len(types) - 1))
    for _ in range(drawer.number(0, profile.max_events - len(types))):
        more = drawer.weighted({**dict.fromkeys(TYPES, 3), NOISE: 1})
        place = drawer.number(0, len(types))
        grown = [*types[:place], more, *types[place:]]
        if work_of(query, grown) > profile.max_work:
            break
        types = grown
    return types


def work_of(query: Query, types: list[str]) -> int:
    """The bound on what there is to do for rows of these types."""
    counts: Counter[str | None] = Counter(types)
    defined = [definition.name.text for definition in query.definitions]
    counts.update({name: len(types) for name in (None, *defined)})
    return work(query.pattern, counts)


def laid(drawer: Drawer, node: Pattern, *, rejected: int) -> list[str]:
    """One way to lay a pattern out; in so many percent of the cases with what is negated."""

    def within(part: Pattern) -> list[str]:
        return laid(drawer, part, rejected=rejected)

    match node:
        case EventPattern():
            kind = drawer.one(TYPES) if node.type is None else node.type.text
            return [kind] * _times(drawer, node.quantifier)
        case Seq():
            return [kind for part in node.parts for kind in within(part)]
        case And():
            return [kind for part in drawer.order(node.parts) for kind in within(part)]
        case Or():
            return within(drawer.one(node.parts))
        case Not():
            return within(node.body) if drawer.chance(rejected) else []
        case Repeat():
            iterations = range(_times(drawer, node.quantifier))
            return [kind for _ in iterations for kind in within(node.body)]
        case Exists() | Conditioned():
            return within(node.body)


def _interleaved(drawer: Drawer, one: list[str], other: list[str]) -> list[str]:
    """Two lists as one, each in its own order."""
    first = set(drawer.order(range(len(one) + len(other)))[: len(one)])
    mine, others = iter(one), iter(other)
    return [next(mine if place in first else others) for place in range(len(one) + len(other))]


def _times(drawer: Drawer, quantifier: Quantifier | None) -> int:
    """How often: rather once or more, even where it may be never."""
    if quantifier is None:
        return 1
    most = quantifier.low + 2 if quantifier.high is None else quantifier.high
    return drawer.number(max(quantifier.low, 1), min(most, max(quantifier.low, 1) + 1))
