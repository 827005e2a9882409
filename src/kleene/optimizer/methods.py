"""Methods of evaluation: which one a query is evaluated by."""

from __future__ import annotations

from enum import StrEnum


class Method(StrEnum):
    """How the matches of a query are found; they are the same by each (paper 1, section 5)."""

    NFA = "nfa"
    """Every partial match is a run, and is tried with each event that it could take: SASE+."""
    POSTPONING = "postponing"
    """Repetitions are bound when the rest of a match is there (5.1)."""
    EARLY_FILTERS = "early-filters"
    """Their candidates are gathered before, and conditions decided on all of them at once (5.2)."""
    PATHS = "paths"
    """Subsets of them are paths in a graph, and no step is taken from which no end is reached."""
