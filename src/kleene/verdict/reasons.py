"""Why a binding is no match: a type for each kind of reason, which says it as a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from kleene.language.syntax import Strategy
from kleene.verdict.game import Line
from kleene.verdict.witness import Bound, Witness, listing, quoted


class Cause(StrEnum):
    """What a binding fails at, in the order in which it is looked at."""

    TIME = "time"
    STRUCTURE = "structure"
    PARTITION = "partition"
    WINDOW = "window"
    CONDITION = "condition"
    STRATEGY = "strategy"
    NEGATION = "negation"
    AFTER_MATCH = "after match"


@dataclass(frozen=True)
class NoTime:
    """A row without a valid time is no event."""

    event: Bound
    cause: ClassVar[Cause] = Cause.TIME

    def __str__(self) -> str:
        return f"{self.event} is no event: it has no valid time"


@dataclass(frozen=True)
class Misshapen:
    """The variables that are bound, or how many events they have, are not what the pattern asks."""

    variables: tuple[str, ...]
    said: str
    cause: ClassVar[Cause] = Cause.STRUCTURE

    def __str__(self) -> str:
        return self.said


@dataclass(frozen=True)
class WrongType:
    """An event is not of the type that its variable stands for."""

    event: Bound
    type: str
    cause: ClassVar[Cause] = Cause.STRUCTURE

    def __str__(self) -> str:
        return f"{self.event} is not of type {self.type}"


@dataclass(frozen=True)
class Twice:
    """An event takes two places."""

    first: Bound
    second: Bound
    cause: ClassVar[Cause] = Cause.STRUCTURE

    def __str__(self) -> str:
        return (
            f"{self.first.event} is both {self.first.label} and {self.second.label}:"
            " an event takes one place"
        )


@dataclass(frozen=True)
class OutOfOrder:
    """An event that should be after another is not; `tied` where neither is before the other."""

    earlier: Bound
    later: Bound
    tied: bool
    cause: ClassVar[Cause] = Cause.STRUCTURE

    def __str__(self) -> str:
        why = ": they are tied, so neither is before the other" if self.tied else ""
        return f"{self.later} is not after {self.earlier}{why}"


@dataclass(frozen=True)
class Apart:
    """Two events that do not agree in a column of the partition, or one with a null there."""

    events: tuple[Bound, ...]
    column: str
    values: tuple[object, ...]
    cause: ClassVar[Cause] = Cause.PARTITION

    def __str__(self) -> str:
        if len(self.events) == 1:
            return f"{self.events[0]} is in no partition: its {self.column} is null"
        values = listing(list(map(quoted, self.values)))
        return f"{listing(self.events)} are in different partitions: {self.column} is {values}"


@dataclass(frozen=True)
class TooFar:
    """The first and the last event are as far apart as the window is long, or farther."""

    first: Bound
    last: Bound
    apart: str
    window: str
    cause: ClassVar[Cause] = Cause.WINDOW

    def __str__(self) -> str:
        return (
            f"{self.last} is {self.apart} after {self.first},"
            f" and WITHIN {self.window} asks for less"
        )


@dataclass(frozen=True)
class Fails:
    """A conjunct is false, or null (`unknown`); `at` are the indices for which it is."""

    condition: str
    unknown: bool
    values: Mapping[str, object]
    at: str
    cause: ClassVar[Cause] = Cause.CONDITION

    def __str__(self) -> str:
        verdict = "null, and so not met" if self.unknown else "false"
        where = f" for {self.at}" if self.at else ""
        told = ", ".join(f"{name} = {quoted(value)}" for name, value in self.values.items())
        return f"{self.condition} is {verdict}{where}{f': {told}' if told else ''}"


@dataclass(frozen=True)
class Between:
    """Under contiguity: an event, one of `count`, lies between two consecutive ones."""

    before: Bound
    after: Bound
    event: Witness
    count: int
    strategy: Strategy
    cause: ClassVar[Cause] = Cause.STRATEGY

    def __str__(self) -> str:
        more = f" and {self.count - 1} more lie" if self.count > 1 else " lies"
        return (
            f"{self.event}{more} between {self.before} and {self.after},"
            f" and {self.strategy} wants neighbours"
        )


@dataclass(frozen=True)
class Instead:
    """Under skip_till_next_match: what the run took, and what the binding has in its place.

    `took` is empty where no run can take what is `expected`; both are where no run yields it.
    """

    expected: tuple[Bound, ...]
    took: tuple[Bound, ...]
    cause: ClassVar[Cause] = Cause.STRATEGY

    def __str__(self) -> str:
        if self.took and self.expected:
            done = f"the run takes {listing(self.took)}, not {listing(self.expected)}"
        elif self.took:
            done = f"the run takes {listing(self.took)} too"
        elif self.expected:
            done = f"no run takes {listing(self.expected)} here"
        else:
            done = "no run yields it"
        return f"under skip_till_next_match {done}"


@dataclass(frozen=True)
class Rejected:
    """A negation has an extension that stands."""

    line: Line
    cause: ClassVar[Cause] = Cause.NEGATION

    def __str__(self) -> str:
        return self.line.sentence()


@dataclass(frozen=True)
class Displaced:
    """AFTER MATCH: a match that was kept before leaves no room for this one."""

    clause: str
    by: tuple[Bound, ...]
    cause: ClassVar[Cause] = Cause.AFTER_MATCH

    def __str__(self) -> str:
        kept = ", ".join(map(str, self.by))
        return f"AFTER MATCH {self.clause} keeps the match {kept}, which comes before it"


Reason = (
    NoTime
    | Misshapen
    | WrongType
    | Twice
    | OutOfOrder
    | Apart
    | TooFar
    | Fails
    | Between
    | Instead
    | Rejected
    | Displaced
)


class Misfit(Exception):  # noqa: N818 - a signal, not an error
    """A binding fails at something."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason
