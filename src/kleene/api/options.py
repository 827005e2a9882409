"""The choices of a call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from math import isfinite
from typing import Literal, get_args

from kleene.errors import NOWHERE, KleeneError, UnknownOptionError, nearest
from kleene.language.cursor import Cursor
from kleene.language.expressions import Duration
from kleene.language.parse_literal import parse_number
from kleene.language.schema import EventShape
from kleene.language.tokens import TokenKind
from kleene.language.user_aggregates import UserAggregate
from kleene.optimizer.methods import Method
from kleene.runtime.limits import MOST, STATE, Limits

BadRows = Literal["skip", "error"]
Evaluation = Literal["auto", "nfa", "postponing", "early-filters", "paths", "denotation"]
LargeKeys = Literal["whole", "sliced"]


@dataclass(frozen=True, slots=True)
class Options:
    """What a call may choose; every choice has a default that is right for most.

    - `bad_rows`: what happens to rows that are no events, because their time is null or their
      interval or probabilities make no sense. "skip" counts them and warns, "error" raises.
    - `evaluation`: how matches are found; they are the same. "auto" takes what suits the query.
      "nfa" has a run for every partial match and tries it with each event that it could take, as
      SASE+ does. "postponing" binds repetitions when the rest of a match is there.
      "early-filters" gathers their candidates before that, and decides conditions on all of these
      at once where their class allows it. "paths" walks subsets as paths through the candidates,
      and only where they lead to a match. These three are for skip_till_any_match, and refused
      where there is no repetition that could wait. All are programs generated for the query;
      "denotation" is the definition executed as it stands, slow and for comparison, and what
      "auto" takes where time is imprecise.
    - `unit`: with imprecise time, the distance of two points of the time line: "100 ms", or a
      number where time is a number.
    - `pmf`: with imprecise time, the column that holds, for each event, the list of probabilities
      of its points; null, or no column, stands for a uniform distribution.
    - `aggregates`: aggregates of your own, to be used in the query beside count, sum and so on.
    - `max_matches`: how many matches a partition may have that are found one by one, before AFTER
      MATCH and EXISTS choose among them; more end in an error that names the partition, and so do
      matches that bind more than eight times as many events. The default, "auto", is 100 million,
      and 10 billion where they are only counted: a minute or two of a core, as a rule.
    - `max_bytes`: how much memory may be kept for matches: by a kernel while it searches, by AFTER
      MATCH, EXISTS and collapsed output in one task, and by the result of a call without Spark.
      More end in an error, not in a machine without memory. The default is 512 MiB.
    - `spill_bytes`: how much memory the events of a dataset, a reader or a lazy frame may take. If
      those that can take part are more, they go through temporary files. The default is 512 MiB.
    - `large_keys`: what a task of Spark takes of a query with partition keys. "whole" is a whole
      partition: the least work as long as none is much larger than the others. "sliced" cuts each
      of them into slices of time, eight windows long, so that many tasks share a key that has a
      large part of the events. One event in eight is copied then, or in four where negations look
      back, for all keys: which are large is not known before they are read. A query of which that
      cannot be done is refused: it has no WITHIN, say. The matches are the same.
    """

    bad_rows: BadRows = "skip"
    evaluation: Evaluation = "auto"
    unit: str | int | float | Decimal | None = None
    pmf: str | None = None
    aggregates: tuple[UserAggregate, ...] = ()
    max_matches: int | Literal["auto"] = "auto"
    max_bytes: int = STATE
    spill_bytes: int = STATE
    large_keys: LargeKeys = "whole"

    def __post_init__(self) -> None:
        self._check("bad_rows", self.bad_rows, get_args(BadRows))
        self._check("evaluation", self.evaluation, get_args(Evaluation))
        self._check("large_keys", self.large_keys, get_args(LargeKeys))
        self._check_aggregates()
        self.unit_length()
        if self.max_matches != "auto":
            _check_limit("max_matches", self.max_matches, 'a number above 0, or "auto"')
        _check_limit("max_bytes", self.max_bytes, "a number above 0")
        _check_limit("spill_bytes", self.spill_bytes, "a number above 0")

    @property
    def method(self) -> Method | None:
        """The method of a kernel that is asked for by name."""
        return None if self.evaluation in {"auto", "denotation"} else Method(self.evaluation)

    @property
    def limits(self) -> Limits:
        """What an evaluation may take."""
        if self.max_matches == "auto":
            return Limits(state=self.max_bytes)
        return Limits(self.max_matches, self.max_matches, self.max_bytes)

    def defines(self, shape: EventShape) -> bool:
        """Whether the definition is executed: where that is asked for, or no program does it."""
        return self.evaluation == "denotation" or (self.method is None and shape.imprecise)

    def refused(self, reason: Exception) -> UnknownOptionError:
        """The query has no evaluation by the method that is asked for."""
        return UnknownOptionError(
            f"evaluation cannot be {self.evaluation!r} for this query: {reason}",
            NOWHERE,
            'evaluation="auto" takes what suits a query',
        )

    def _check(self, name: str, value: str, known: tuple[str, ...]) -> None:
        if value not in known:
            raise UnknownOptionError(
                f"{name} cannot be {value!r}: it is one of {', '.join(known)}",
                NOWHERE,
                *nearest(str(value), known),
            )

    def _check_aggregates(self) -> None:
        given: object = self.aggregates
        if not isinstance(given, tuple | list) or not all(
            isinstance(aggregate, UserAggregate) for aggregate in given
        ):
            raise UnknownOptionError(
                f"aggregates cannot be {given!r}: it is a tuple of kleene.UserAggregate",
                NOWHERE,
                "one alone is a tuple too: aggregates=(product,)",
            )

    def unit_length(self) -> Duration | int | Decimal | None:
        """The unit as a length of time or as a number."""
        match self.unit:
            case str():
                unit: Duration | int | Decimal | None = _length(self.unit)
            case float():
                unit = Decimal(repr(self.unit)) if isfinite(self.unit) else 0
            case _:
                unit = self.unit
        extent: object = unit.microseconds if isinstance(unit, Duration) else unit
        if extent is None or (isinstance(extent, int | Decimal) and extent > 0):
            return unit
        raise _no_unit(self.unit, "it is a length of time, or a number above 0")


def _check_limit(name: str, value: object, what: str) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= MOST:
        hint = f"as in {name}={1_000_000_000:_}"
        raise UnknownOptionError(f"{name} cannot be {value!r}: it is {what}", NOWHERE, hint)


def _length(text: str) -> Duration | int | Decimal:
    """What a text like `100 ms` or `0.5` says."""
    try:
        cursor = Cursor(text)
        if cursor.token.kind is TokenKind.NUMBER:
            value = parse_number(cursor).value
            if cursor.at_end() and isinstance(value, Duration | int | Decimal):
                return value
    except KleeneError as error:
        raise _no_unit(text, error.reason) from None
    raise _no_unit(text, "it is a number with or without a unit of time")


def _no_unit(unit: object, why: str) -> UnknownOptionError:
    hint = 'as in unit="1 second", or unit="0.5" where time is a number'
    return UnknownOptionError(f"unit cannot be {unit!r}: {why}", NOWHERE, hint)


def read_options(given: Options | Mapping[str, object] | None) -> Options:
    """Options, also from a mapping; a wrong name is refused by name."""
    if given is None:
        return Options()
    if isinstance(given, Options):
        return given
    known = [field.name for field in fields(Options)]
    if not isinstance(given, Mapping):
        raise UnknownOptionError(
            f"options cannot be {given!r}: they are a kleene.Options, or a mapping",
            NOWHERE,
            'as in options={"bad_rows": "error"}',
        )
    for name in given:
        if name not in known:
            raise UnknownOptionError(
                f"there is no option {name}",
                NOWHERE,
                *(nearest(name, known) or (f"options are {', '.join(known)}",)),
            )
    return Options(**given)  # type: ignore[arg-type]
