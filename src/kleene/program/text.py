"""Source text of conditions and values, put together so that what is certain disappears.

Every text that is put together is in parentheses or is a call, so that texts fit anywhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kleene.program.kinds import ColumnKind, Unsupported

TRUE = "True"
FALSE = "False"
_MOST_CHARACTERS = 20_000
_MOST_PARENTHESES = 80
"""Python's parser gives up at 200 parentheses within each other, and the text is put into more."""


@dataclass(frozen=True, slots=True)
class Operand:
    """Source text of a value, and of whether it is null.

    Where it is null the value is some number, which means nothing. If the kind is SCALED the value
    is in units of 10^-scale and has so many digits at most. Where `beyond` holds 64 bits do not
    hold it, or what it was made of: then neither value nor null mean anything.
    """

    value: str
    null: str
    kind: ColumnKind
    scale: int = 0
    digits: int = 19
    beyond: str = "False"

    def __post_init__(self) -> None:
        bounded(self.value)
        bounded(self.null)
        bounded(self.beyond)


@dataclass(frozen=True, slots=True)
class Truth:
    """Source text of whether a condition is true and of whether it is false; else it is null.

    Where `beyond` holds neither means anything.
    """

    true: str
    false: str
    beyond: str = "False"

    def __post_init__(self) -> None:
        bounded(self.true)
        bounded(self.false)
        bounded(self.beyond)

    @property
    def null(self) -> str:
        if self.false == negation(self.true):
            return FALSE
        return both(negation(self.true), negation(self.false))

    def inverted(self) -> Truth:
        return Truth(self.false, self.true, self.beyond)


def merged(operands: Sequence[Operand], value: str, null: str) -> Operand:
    """A value that is one of several of one kind and scale."""
    digits = max(operand.digits for operand in operands)
    beyond = either(*(operand.beyond for operand in operands))
    return replace(operands[0], value=value, null=null, digits=digits, beyond=beyond)


def certain(text: str) -> Truth:
    """A condition that is never null."""
    return Truth(text, negation(text))


def bounded(text: str) -> str:
    """The text, unless it is so large that Numba would take minutes over it.

    An operand stands in the text as often as it is looked at, and so do those within it.
    """
    if len(text) > _MOST_CHARACTERS or _nesting(text) > _MOST_PARENTHESES:
        raise Unsupported("a condition is too large to be compiled")
    return text


def _nesting(text: str) -> int:
    if text.count("(") <= _MOST_PARENTHESES:
        return 0
    depth = deepest = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        deepest = max(deepest, depth)
    return deepest


NEVER = Truth(FALSE, FALSE)
"""The condition that is null."""


def both(*texts: str) -> str:
    """Conjunction.

    >>> both("x < y", "True", "z")
    '(x < y and z)'
    """
    return _joined(texts, "and", neutral=TRUE, final=FALSE)


def either(*texts: str) -> str:
    """Disjunction."""
    return _joined(texts, "or", neutral=FALSE, final=TRUE)


def _joined(texts: tuple[str, ...], word: str, *, neutral: str, final: str) -> str:
    left = list(dict.fromkeys(text for text in texts if text != neutral))
    if final in left:
        return final
    if len(left) <= 1:
        return left[0] if left else neutral
    return f"({f' {word} '.join(left)})"


def negation(text: str) -> str:
    """What is true where the text is false.

    >>> negation("m0[i] != 0"), negation(negation("(x or y)"))
    ('m0[i] == 0', '(x or y)')
    """
    if text in (TRUE, FALSE):
        return FALSE if text == TRUE else TRUE
    for test, opposite in ((" != 0", " == 0"), (" == 0", " != 0")):
        if text.endswith(test) and not text.startswith("("):
            return text.removesuffix(test) + opposite
    if text.startswith("(not "):
        return text[len("(not ") : -1]
    return f"(not {text})"


def choice(condition: str, then: str, otherwise: str) -> str:
    """One value or the other."""
    if condition in (TRUE, FALSE) or then == otherwise:
        return otherwise if condition == FALSE else then
    return f"({then} if {condition} else {otherwise})"


def chosen_truth(condition: str, then: str, otherwise: str) -> str:
    """One truth or the other."""
    if then == TRUE:
        return either(condition, otherwise)
    if otherwise == TRUE:
        return either(negation(condition), then)
    if then == FALSE:
        return both(negation(condition), otherwise)
    if otherwise == FALSE:
        return both(condition, then)
    return choice(condition, then, otherwise)


def number(value: float) -> str:
    """A number as it stands in the source, never an operator away from its neighbours."""
    if not math.isfinite(value):
        return "NAN" if math.isnan(value) else "INFINITY" if value > 0 else "(-INFINITY)"
    return f"({value!r})" if math.copysign(1.0, value) < 0 else repr(value)


def absent(kind: ColumnKind) -> Operand:
    """Null."""
    return Operand("0.0" if kind is ColumnKind.FLOAT else "0", TRUE, kind)
