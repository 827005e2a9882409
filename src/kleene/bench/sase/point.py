"""Points of the microbenchmarks: a class of predicates, a selectivity and a window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class PredicateClass:
    """A class of predicates on a Kleene variable (paper 1, section 5.2), and one that is in it."""

    name: str
    short: str
    condition: str


TRUE = PredicateClass("true-value consistent", "true", "b[i].x > max(b[..i-1].x)")
FALSE = PredicateClass("false-value consistent", "false", "c.x < max(b[].x)")
BOTH = PredicateClass("true- and false-value consistent", "both", "b[i].x > a.x")
NEITHER = PredicateClass("inconsistent", "neither", "b[i].x > avg(b[..i-1].x)")
CLASSES = (TRUE, FALSE, BOTH, NEITHER)


@dataclass(frozen=True)
class Point:
    """One combination of what is varied."""

    predicates: PredicateClass
    selectivity: float
    """Matches by events, the θ of the paper."""
    window: int

    @property
    def name(self) -> str:
        """The name of its case."""
        return f"{self.predicates.short}, θ {self.selectivity:g}, W {self.window}"

    @property
    def at(self) -> Mapping[str, str | float]:
        """The same for programs."""
        return {
            "predicates": self.predicates.name,
            "selectivity": self.selectivity,
            "window": float(self.window),
        }

    def query(self, threshold: int | str) -> str:
        """The query, in which the threshold on v makes the selectivity."""
        return (
            "PATTERN SEQ(A a, B+ b[], C c) "
            f"WHERE c.job = a.job AND b[i].v < {threshold} AND {self.predicates.condition} "
            f"WITHIN {self.window}"
        )

    def unfinished(self, threshold: int) -> str:
        """The same query where no end belongs to any start: all but the making of matches."""
        return self.query(threshold).replace("c.job = a.job", "c.job = a.job + 1000000000")

    def starts(self) -> str:
        """The first component alone."""
        return f"PATTERN A a WITHIN {self.window} RETURN a.id AS a"
