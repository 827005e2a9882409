"""Whether a pattern looks for something, and does not only forbid (semantics 3)."""

from __future__ import annotations

from kleene.errors import EmptyPatternError
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


def check_positive_part(pattern: Pattern) -> None:
    """Refuse what looks for nothing: only negations where something must be bound."""
    if not _has_positive(pattern):
        raise EmptyPatternError(
            "this pattern has no positive part: it says only what must not happen",
            pattern.span,
            "name an event that must happen, as in SEQ(A a, !B b)",
        )


def _has_positive(node: Pattern) -> bool:
    match node:
        case EventPattern():
            return True
        case Seq() | And():
            found = [_has_positive(part) for part in node.parts]  # all, for the errors in them
            return any(found)
        case Or():
            for part in node.parts:
                _require(part, "a branch of OR", "name an event in it, as in SEQ(C c, !B b)")
            return True
        case Not():
            _require(
                node.body,
                "what is negated",
                "two negations make no demand: leave both out, as in B b",
            )
            return False
        case Repeat():
            _require(
                node.body, "what is repeated", "a negation holds once for its place: write !B b"
            )
            return True
        case Exists() | Conditioned():
            return _has_positive(node.body)


def _require(part: Pattern, what: str, hint: str) -> None:
    if not _has_positive(part):
        reason = f"{what} must look for something: this says only what must not happen"
        raise EmptyPatternError(reason, part.span, hint)
