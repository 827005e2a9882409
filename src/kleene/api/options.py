"""The choices of a call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Literal, get_args

from kleene.errors import NOWHERE, KleeneError, UnknownOptionError, nearest
from kleene.language.cursor import Cursor
from kleene.language.expressions import Duration
from kleene.language.parse_literal import parse_number
from kleene.language.tokens import TokenKind
from kleene.language.user_aggregates import UserAggregate

BadRows = Literal["skip", "error"]


@dataclass(frozen=True, slots=True)
class Options:
    """What a call may choose; every choice has a default that is right for most.

    - `bad_rows`: what happens to rows that are no events, because their time is null or their
      interval or probabilities make no sense. "skip" counts them and warns, "error" raises.
    - `unit`: with imprecise time, the distance of two points of the time line: "100 ms", or a
      number where time is a number.
    - `pmf`: with imprecise time, the column that holds, for each event, the list of probabilities
      of its points; null, or no column, stands for a uniform distribution.
    - `aggregates`: aggregates of your own, to be used in the query beside count, sum and so on.
    """

    bad_rows: BadRows = "skip"
    unit: str | int | Decimal | None = None
    pmf: str | None = None
    aggregates: tuple[UserAggregate, ...] = ()

    def __post_init__(self) -> None:
        if self.bad_rows not in get_args(BadRows):
            raise UnknownOptionError(
                f"bad_rows cannot be {self.bad_rows!r}: it is one of {', '.join(get_args(BadRows))}"
            )

    def quantity_of_unit(self) -> Duration | int | Decimal | None:
        """The unit as a duration or a number."""
        if not isinstance(self.unit, str):
            return self.unit
        try:
            cursor = Cursor(self.unit)
            value = parse_number(cursor).value if cursor.token.kind is TokenKind.NUMBER else None
        except KleeneError as error:
            raise UnknownOptionError(f"unit cannot be {self.unit!r}: {error.reason}") from None
        if (
            not isinstance(value, Duration | int | Decimal)
            or cursor.token.kind is not TokenKind.END
        ):
            raise UnknownOptionError(f"unit cannot be {self.unit!r}: it is a length of time")
        return value


def read_options(given: Options | Mapping[str, object] | None) -> Options:
    """Options, also from a mapping; a wrong name is refused by name."""
    if given is None:
        return Options()
    if isinstance(given, Options):
        return given
    known = [field.name for field in fields(Options)]
    for name in given:
        if name not in known:
            raise UnknownOptionError(
                f"there is no option {name}",
                NOWHERE,
                *(nearest(name, known) or (f"options are {', '.join(known)}",)),
            )
    return Options(**given)  # type: ignore[arg-type]
