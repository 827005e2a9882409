"""Colours and shapes of variables, told apart by everyone, in print and in the terminal."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Look:
    """How the events of a variable are drawn."""

    colour: str
    glyph: str
    marker: str
    """The same shape in the words of matplotlib."""


# The colours of Okabe and Ito, which colour-blind people tell apart, but for those too light.
LOOKS = (
    Look("#0072B2", "●", "o"),
    Look("#D55E00", "◆", "D"),
    Look("#009E73", "■", "s"),
    Look("#CC79A7", "▲", "^"),
    Look("#B07D00", "▼", "v"),
    Look("#56B4E9", "★", "*"),
)


def look(variable: int) -> Look:
    """The look of a variable by its number; after the last one they begin anew."""
    return LOOKS[variable % len(LOOKS)]
