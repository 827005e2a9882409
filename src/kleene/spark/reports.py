"""What runs on Spark tell their users: errors, warnings, counts."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from kleene.errors import NOWHERE, KleeneError
from kleene.language.syntax import Query

BAD_ROWS = "bad_rows"
_observations: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()


class OneTaskWarning(UserWarning):
    """The whole input goes through one task of Spark."""


class MatchingError(KleeneError):
    """Something went wrong in a task of Spark."""

    code = "matching"

    def __init__(self, query: Query, error: BaseException) -> None:
        text = query.text or str(query)
        super().__init__(f"{type(error).__name__}: {error}", NOWHERE, f"the query is: {text}")


def observe(matches: Any, observation: Any) -> None:
    """Keep what counts the bad rows of a result, for as long as the result is there."""
    _observations[matches] = observation


def bad_rows(matches: Any) -> int:
    """How many rows of the input of `match` on Spark were no events, because they had no time.

    `matches` is the DataFrame that `match` returned. Spark counts while it computes it, so this
    waits until it, or something made of it, has been computed once, by an action.
    """
    observation = _observations.get(matches)
    return 0 if observation is None else int(observation.get[BAD_ROWS])
