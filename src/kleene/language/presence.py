"""Which parts of a pattern a match may do without, and which variables tell that one is there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from kleene.language.syntax import (
    And,
    Conditioned,
    EventPattern,
    Exists,
    Not,
    Or,
    Pattern,
    Repeat,
    Seq,
)


def nullable(part: Pattern) -> bool:
    """Whether a part may bind nothing."""
    match part:
        case EventPattern():
            return part.quantifier is not None and part.quantifier.low == 0
        case Seq() | And():
            return all(map(nullable, part.parts))
        case Or():
            return any(map(nullable, part.parts))
        case Not():
            return True
        case Repeat():
            return part.quantifier.low == 0 or nullable(part.body)
        case Exists() | Conditioned():
            return nullable(part.body)
        case _:
            assert_never(part)


def witnesses(part: Pattern) -> tuple[str, ...]:
    """Variables of which a match binds one exactly where it binds an event of the part."""
    match part:
        case EventPattern():
            assert part.variable is not None, "every event is named"
            return (part.variable.text,)
        case Seq() | And():
            sure = next((p for p in part.parts if not nullable(p)), None)
            chosen = part.parts if sure is None else (sure,)
            return tuple(name for p in chosen for name in witnesses(p))
        case Or():
            return tuple(name for p in part.parts for name in witnesses(p))
        case Not():
            return ()
        case Repeat() | Exists() | Conditioned():
            return witnesses(part.body)
        case _:
            assert_never(part)


def bound_by(part: Pattern) -> Iterator[str]:
    """The variables that a part binds itself, not through a negation."""
    match part:
        case EventPattern():
            assert part.variable is not None, "every event is named"
            yield part.variable.key
        case Seq() | And() | Or():
            for inner in part.parts:
                yield from bound_by(inner)
        case Not():
            return
        case Repeat() | Exists() | Conditioned():
            yield from bound_by(part.body)
        case _:
            assert_never(part)
