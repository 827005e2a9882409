"""What came out of an experiment, and the figures that are read from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median, quantiles
from typing import Any, assert_never

from kleene.bench.experiment import (
    Answer,
    BytesAtMost,
    Case,
    RateAtLeast,
    SecondsAtMost,
    Target,
    TimeAtMost,
)

_TICK = 0.01
"""Seconds of processor time that systems tell apart."""


@dataclass(frozen=True)
class Timed:
    """A variant that ran: its time in each round, what it found, and its peak memory."""

    seconds: tuple[float, ...]
    cpu_seconds: tuple[float, ...]
    """Processor time; on a busy machine it tells more than the clock."""
    answer: Answer | None
    peak_bytes: int | None
    figures: Mapping[str, float] = field(default_factory=dict)
    """What else is told of it."""

    @property
    def median(self) -> float:
        """The time of a run."""
        return median(self.seconds)

    @property
    def spread(self) -> float:
        """The distance between the quartiles."""
        if len(self.seconds) == 1:
            return 0.0
        low, _, high = quantiles(self.seconds, n=4, method="inclusive")
        return high - low


@dataclass(frozen=True)
class Skipped:
    """A variant that cannot run here, and what would change that."""

    reason: str


@dataclass(frozen=True)
class Failed:
    """A variant that broke off, or whose answer is not that of the others."""

    reason: str


@dataclass(frozen=True)
class Exceeded:
    """A variant that takes more than a run is given."""

    reason: str
    seconds: float | None = None
    """How long it was waited for, if that is why it was broken off."""


Outcome = Timed | Skipped | Failed | Exceeded


@dataclass(frozen=True)
class CaseResult:
    """The outcomes of a case, by the names of its variants."""

    case: Case
    outcomes: Mapping[str, Outcome]

    def timed(self, name: str) -> Timed | None:
        """The outcome of a variant that ran."""
        found = self.outcomes[name]
        return found if isinstance(found, Timed) else None

    def rate(self, name: str) -> float | None:
        """Events a second."""
        found = self.timed(name)
        return None if found is None else self.case.data.events / found.median

    def ratio(self, name: str, against: str) -> float | None:
        """The time of a variant divided by that of another.

        It is the median over rounds, so that what slows down a whole round leaves it alone.
        """
        one, other = self.timed(name), self.timed(against)
        if one is None or other is None:
            return None
        rounds = zip(one.seconds, other.seconds, strict=False)  # a slow one has fewer of them
        return median(mine / theirs for mine, theirs in rounds)

    def cpu_ratio(self, name: str, against: str) -> float | None:
        """The same of processor time, which a busy machine changes least."""
        one, other = self.timed(name), self.timed(against)
        if one is None or other is None:
            return None
        return median(one.cpu_seconds) / max(median(other.cpu_seconds), _TICK)

    def seconds(self, name: str, more_than: str | None) -> float | None:
        """The time of a variant, or how much longer it takes than another, round by round."""
        one = self.timed(name)
        if more_than is None or one is None:
            return None if one is None else one.median
        other = self.timed(more_than)
        if other is None:
            return None
        rounds = zip(one.seconds, other.seconds, strict=False)
        return median(mine - theirs for mine, theirs in rounds)

    def reached(self, target: Target) -> tuple[float, bool] | None:
        """The figure that a target is about, and whether it is good enough."""
        match target:
            case TimeAtMost(variant, factor, against):
                figure = self.ratio(variant, against)
                return None if figure is None else (figure, figure <= factor)
            case RateAtLeast(variant, events):
                figure = self.rate(variant)
                return None if figure is None else (figure, figure >= events)
            case SecondsAtMost(variant, seconds, more_than):
                figure = self.seconds(variant, more_than)
                return None if figure is None else (figure, figure <= seconds)
            case BytesAtMost(variant, most):
                timed = self.timed(variant)
                peak = None if timed is None else timed.peak_bytes
                return None if peak is None else (peak, peak <= most)
            case _:
                assert_never(target)


@dataclass(frozen=True)
class Result:
    """An experiment that was run, and on what machine."""

    experiment: str
    quick: bool
    machine: Mapping[str, Any]
    cases: tuple[CaseResult, ...]

    def failed(self) -> list[str]:
        """Which variants failed, and in which cases."""
        return [
            f"{name} ({case.case.name})"
            for case in self.cases
            for name, outcome in case.outcomes.items()
            if isinstance(outcome, Failed)
        ]


def as_json(result: Result) -> dict[str, Any]:
    """The result for programs."""
    return {
        "experiment": result.experiment,
        "quick": result.quick,
        "machine": dict(result.machine),
        "cases": [_case(case) for case in result.cases],
    }


def _case(result: CaseResult) -> dict[str, Any]:
    case = result.case
    return {
        "name": case.name,
        "question": case.question,
        "events": case.data.events,
        "at": dict(case.at),
        "baseline": case.baseline,
        "variants": {name: _outcome(result, name) for name in result.outcomes},
        "targets": [_target(result, target) for target in case.targets],
    }


def _outcome(result: CaseResult, name: str) -> dict[str, Any]:
    match result.outcomes[name]:
        case Timed() as timed:
            return {
                "median_seconds": timed.median,
                "interquartile_seconds": timed.spread,
                "seconds": list(timed.seconds),
                "cpu_seconds": list(timed.cpu_seconds),
                "events_per_second": result.rate(name),
                "time_by_baseline": result.ratio(name, result.case.baseline),
                "peak_bytes": timed.peak_bytes,
                "answer": None if timed.answer is None else timed.answer._asdict(),
                "figures": dict(timed.figures),
            }
        case Skipped(reason):
            return {"skipped": reason}
        case Failed(reason):
            return {"failed": reason}
        case Exceeded(reason):
            return {"exceeded": reason}
        case _ as never:
            assert_never(never)


def _target(result: CaseResult, target: Target) -> dict[str, Any]:
    reached = result.reached(target)
    figure, met = (None, None) if reached is None else reached
    return {"target": told(target), "figure": figure, "met": met}


def told(target: Target) -> str:
    """A target in words."""
    match target:
        case TimeAtMost(variant, factor, against):
            return f"{variant}: at most {factor:g} times {against}"
        case RateAtLeast(variant, events):
            return f"{variant}: at least {events / 1e6:g} million events/s"
        case SecondsAtMost(variant, seconds, None):
            return f"{variant}: at most {seconds:g} s"
        case SecondsAtMost(variant, seconds, more_than):
            return f"{variant}: at most {seconds:g} s more than {more_than}"
        case BytesAtMost(variant, most):
            return f"{variant}: at most {most >> 20:,} MiB"
        case _:
            assert_never(target)
