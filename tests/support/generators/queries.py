"""Random queries over the whole language, valid by construction."""

from __future__ import annotations

from hypothesis import strategies as st

from kleene.language.expressions import Expression, SameKey
from kleene.language.syntax import Column, Query
from support.generators.clauses import ClauseMaker
from support.generators.conditions import ConditionMaker
from support.generators.drawing import Drawer, drawn
from support.generators.groups import GroupMaker
from support.generators.patterns import PatternMaker
from support.generators.profile import EVERYTHING, Profile


def queries(profile: Profile = EVERYTHING) -> st.SearchStrategy[Query]:
    """Queries as syntax trees; `str` of one is its text."""
    return drawn(lambda drawer: make_query(drawer, profile, timestamps=False))


def make_query(drawer: Drawer, profile: Profile, *, timestamps: bool) -> Query:
    """A query for events whose times are moments, or numbers."""
    held = PatternMaker(drawer, profile).pattern()
    conditions = ConditionMaker(drawer, profile, held)
    pattern = conditions.with_inline()
    clauses = ClauseMaker(drawer, profile, conditions.declarations.variables)
    same, partition_by = clauses.keys()
    returns, group_by = clauses.returns(), None
    if profile.grouped:
        keys = {k.path[0] for k in (*same, *partition_by) if isinstance(k, SameKey | Column)}
        groups = GroupMaker(drawer, profile, conditions.declarations.variables, sorted(keys))
        returns, group_by = groups.clauses()
    return Query(
        pattern,
        definitions=clauses.definitions(pattern),
        where=_mixed(drawer, conditions.where(), same),
        partition_by=partition_by,
        strategy=clauses.strategy(),
        within=clauses.window(timestamps=timestamps),
        confidence=clauses.confidence(),
        after_match=clauses.after_match(),
        returns=returns,
        group_by=group_by,
    )


def _mixed(
    drawer: Drawer, conditions: tuple[Expression, ...], keys: tuple[Expression, ...]
) -> tuple[Expression, ...]:
    return keys + conditions if drawer.chance(50) else conditions + keys
