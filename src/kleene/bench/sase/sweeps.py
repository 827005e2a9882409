"""Results of the microbenchmarks in the order of what was varied."""

from __future__ import annotations

from dataclasses import dataclass

from kleene.bench.results import CaseResult, Exceeded, Result


@dataclass(frozen=True)
class Sweep:
    """The cases of a class of predicates in which one parameter varies."""

    predicates: str
    along: str
    """The parameter: a key of `Case.at`."""
    fixed: float
    """The value of the other one."""
    cases: tuple[CaseResult, ...]

    @property
    def variants(self) -> list[str]:
        """The names of all variants."""
        return list(dict.fromkeys(name for case in self.cases for name in case.outcomes))

    def where(self, case: CaseResult) -> float:
        """Where along the sweep a case lies."""
        return float(case.case.at[self.along])

    def rates(self, variant: str) -> tuple[list[float], list[float]]:
        """Where a variant was timed, and its events a second there."""
        found = [(self.where(case), case.rate(variant)) for case in self.cases]
        timed = [(where, rate) for where, rate in found if rate is not None]
        return [where for where, _ in timed], [rate for _, rate in timed]

    def figures(self, variant: str, name: str) -> tuple[list[float], list[float]]:
        """Where a figure was told of a variant, and which."""
        told = []
        for case in self.cases:
            timed = case.timed(variant)
            if timed is not None and name in timed.figures:
                told.append((self.where(case), timed.figures[name]))
        return [where for where, _ in told], [figure for _, figure in told]


def sweeps(result: Result, along: str) -> list[Sweep]:
    """A sweep for each class of predicates: the one with the most cases."""
    other = "selectivity" if along == "window" else "window"
    groups: dict[tuple[str, float], list[CaseResult]] = {}
    for case in result.cases:
        at = case.case.at
        groups.setdefault((str(at["predicates"]), float(at[other])), []).append(case)
    found: dict[str, Sweep] = {}
    for (predicates, fixed), cases in groups.items():
        if predicates not in found or len(cases) > len(found[predicates].cases):
            ordered = sorted(cases, key=lambda case: float(case.case.at[along]))
            found[predicates] = Sweep(predicates, along, fixed, tuple(ordered))
    return list(found.values())


def times_faster(case: CaseResult, variant: str, baseline: str) -> tuple[float, bool] | None:
    """How many times faster than the baseline a variant is, in processor time.

    If the baseline was given up, it is at least so many times, by the clock.
    """
    ratio = case.cpu_ratio(baseline, variant)
    if ratio is not None:
        return ratio, False
    timed, other = case.timed(variant), case.outcomes.get(baseline)
    if timed is None or not isinstance(other, Exceeded) or other.seconds is None:
        return None
    return other.seconds / timed.median, True
