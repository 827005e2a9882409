"""What is generated: the part of the language and of the possible streams that a test asks for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from kleene.language.syntax import SkipMode, Strategy


class Operator(StrEnum):
    """The operators of patterns beside SEQ."""

    AND = "and"
    OR = "or"
    NOT = "not"
    KLEENE = "kleene"
    OPTIONAL = "optional"
    GROUP = "group"
    ANY = "any"
    EXISTS = "exists"


@dataclass(frozen=True, slots=True)
class Profile:
    """The choices of the generators; nearly everything is on unless it is switched off.

    - `operators`: what patterns are made of, beside events and SEQ.
    - `depth`: how deep patterns nest; `negation_depth`: how deep negations do.
    - `max_variables`, `max_events`, `max_conditions`: sizes; `max_work` bounds the product of the
      two, as `support.generators.work` counts it, and `max_worlds` the possible worlds.
    - `element_conditions`: conditions that relate elements of a Kleene variable to each other.
    - `inline`: conditions at variables and composite patterns, not only in WHERE.
    - `functions`: arithmetic, CASE, casts and functions in conditions; `aggregates`: which ones.
    - `unnamed`: events without a variable; `odd_names`: variables that need backticks.
    - `strategies`, `skip_modes`: which STRATEGY and AFTER MATCH; `windows` in WITHIN: of None, or
      a length in units of time.
    - `returns`: RETURN, at times; `grouped`: RETURN with GROUP BY, always.
    - `imprecise`: times are intervals; `timestamps`: times may be moments, not numbers;
      `time_types`: times of all types, not only whole numbers and moments in UTC.
    - `wide`: streams have every column, also those that the query does not name.
    - `nulls`, `nan`: in attributes; `ties`: events of equal time, with `tie_breaks` ordered by
      a column; `bad_rows`: rows without a time; `duplicates`: rows of equal content.
    """

    operators: frozenset[Operator] = frozenset(Operator)
    depth: int = 3
    negation_depth: int = 3
    max_variables: int = 6
    max_events: int = 12
    max_conditions: int = 3
    max_work: int = 10_000
    max_worlds: int = 12
    element_conditions: bool = True
    inline: bool = True
    functions: bool = True
    aggregates: tuple[str, ...] = ("count", "max", "min", "sum", "avg", "first", "last")
    unnamed: bool = True
    odd_names: bool = False
    definitions: bool = True
    partitions: bool = True
    returns: bool = False
    grouped: bool = False
    strategies: tuple[Strategy, ...] = tuple(Strategy)
    skip_modes: tuple[SkipMode, ...] = tuple(SkipMode)
    windows: tuple[int | None, ...] = (None, 8, 20, 4, 20)
    imprecise: bool = False
    timestamps: bool = True
    time_types: bool = False
    wide: bool = False
    nulls: bool = True
    nan: bool = True
    ties: bool = True
    tie_breaks: bool = True
    bad_rows: bool = True
    duplicates: bool = True

    def allows(self, operator: Operator) -> bool:
        """Whether patterns may contain the operator."""
        return operator in self.operators

    def without(self, *operators: Operator) -> Profile:
        """The profile with some operators less."""
        return replace(self, operators=self.operators - set(operators))


EVERYTHING = Profile(odd_names=True, returns=True, time_types=True)
"""The whole language, over precise time."""

GROUPED = replace(EVERYTHING, grouped=True)
"""The whole language, where what comes back are groups of matches."""

PRECISE = Profile()
"""All that decides which matches there are, over precise time."""

BATCH = replace(PRECISE, strategies=(Strategy.ANY,), skip_modes=(SkipMode.NO_SKIP,))
"""Every binding: skip-till-any, with nothing skipped behind a match."""

POSITIVE = BATCH.without(Operator.NOT)
"""Every binding of patterns without negation."""

PURE = replace(POSITIVE, max_conditions=0, inline=False)
"""Structure and window alone."""

FLAT = replace(
    BATCH.without(*Operator),
    depth=1,
    inline=False,
    definitions=False,
    unnamed=False,
    max_events=16,
)
"""SEQ of single events with conditions in WHERE."""

IMPRECISE = replace(
    PRECISE,
    imprecise=True,
    max_variables=4,
    max_events=6,
    max_work=500,
    tie_breaks=False,
    timestamps=False,
)
"""The whole language over imprecise time."""
