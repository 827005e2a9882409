"""Random clauses behind the pattern."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from kleene.language.expressions import Duration, Expression, SameKey
from kleene.language.resolved import Variable
from kleene.language.syntax import (
    AfterMatch,
    Column,
    Confidence,
    Definition,
    EventPattern,
    Name,
    Pattern,
    ReturnItem,
    SkipMode,
    Strategy,
    StrategyClause,
    Window,
    walk_patterns,
)
from support.generators.attributes import ALL_COLUMNS, KEYS, Sort
from support.generators.conditions import row_condition
from support.generators.drawing import Drawer
from support.generators.profile import Profile
from support.generators.references import ALL, Nameable
from support.generators.values import ExpressionMaker

_SECOND = 1_000_000
_DAY = 86_400 * _SECOND
_STRATEGIES = {Strategy.ANY: 4, Strategy.NEXT: 3, Strategy.PARTITION: 1, Strategy.STRICT: 1}


class ClauseMaker:
    """Draws the clauses of a query with the given variables."""

    def __init__(self, drawer: Drawer, profile: Profile, variables: Sequence[Variable]) -> None:
        self.drawer = drawer
        self.profile = profile
        self.positive = [variable for variable in variables if variable.positive]

    def keys(self) -> tuple[tuple[Expression, ...], tuple[Column, ...]]:
        """`[k]` in WHERE, and PARTITION BY."""
        drawer = self.drawer
        if not self.profile.partitions or not drawer.chance(30):
            return (), ()
        names = [key.name for key in KEYS]
        inside = drawer.some(names, 0, 2)
        clause = drawer.some(names, 0 if inside else 1, 2)
        return tuple(SameKey((name,)) for name in inside), tuple(Column((n,)) for n in clause)

    def strategy(self) -> StrategyClause | None:
        """A strategy, sometimes written with all variables, as within WHERE."""
        chosen = self.drawer.weighted({s: _STRATEGIES[s] for s in self.profile.strategies})
        if chosen is Strategy.ANY and self.drawer.chance(70):
            return None
        named = self.drawer.chance(15)
        return StrategyClause(chosen, tuple(Name(v.name) for v in self.positive) if named else ())

    def window(self, *, timestamps: bool) -> Window | None:
        """A length in units of time, or in seconds or days."""
        extent = self.drawer.one(self.profile.windows)
        if extent is None:
            return None
        if timestamps:
            unit = _DAY if self.profile.time_types and self.drawer.chance(40) else _SECOND
            return Window(Duration(extent * unit))
        half = extent + Decimal("0.5")
        return Window(half if self.drawer.chance(10) else extent)

    def after_match(self) -> AfterMatch | None:
        """What is skipped behind a match, in one of four cases."""
        mode = self.drawer.one(self.profile.skip_modes)
        if not self.drawer.chance(25):
            return None
        if mode in (SkipMode.TO_FIRST, SkipMode.TO_LAST):
            return AfterMatch(mode, Name(self.drawer.one(self.positive).name))
        return AfterMatch(mode)

    def confidence(self) -> Confidence | None:
        """A threshold, where time is imprecise."""
        wanted = self.profile.imprecise and self.drawer.chance(30)
        thresholds = tuple(map(Decimal, ("0.5", "0.25", "0", "1", "0.3")))
        return Confidence(self.drawer.one(thresholds)) if wanted else None

    def definitions(self, pattern: Pattern) -> tuple[Definition, ...]:
        """A condition on the row in place of some of the types."""
        if not self.profile.definitions or not self.drawer.chance(12):
            return ()
        events = [node for node in walk_patterns(pattern) if isinstance(node, EventPattern)]
        types = list(dict.fromkeys(node.type.text for node in events if node.type is not None))
        chosen = self.drawer.some(types, 0, len(types))
        return tuple(
            Definition(Name(name), row_condition(self.drawer, self.profile)) for name in chosen
        )

    def returns(self) -> tuple[ReturnItem, ...]:
        """Expressions over what matches show, each with an alias: attributes may share a name."""
        shown = [variable for variable in self.positive if not variable.hidden]
        if not self.profile.returns or not self.drawer.chance(30):
            return ()
        count = self.drawer.number(1, 3)
        return tuple(self._item(shown, Name(f"r{number}")) for number in range(count))

    def _item(self, shown: Sequence[Variable], alias: Name) -> ReturnItem:
        drawer = self.drawer
        chosen = [Nameable(v.name, len(v.loops)) for v in drawer.some(shown, 1, 2)]
        maker = ExpressionMaker(drawer, self.profile, chosen, returned=True)
        if drawer.chance(20):
            column = drawer.one((None, *(column.name for column in ALL_COLUMNS)))
            return ReturnItem(chosen[0].reference((ALL,) * chosen[0].dimensions, column), alias)
        sort = drawer.one(tuple(Sort))
        return ReturnItem(maker.truth() if drawer.chance(15) else maker.value(sort, 1), alias)
