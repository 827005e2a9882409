"""How an experiment is conducted: warm-up, interleaved rounds, then memory, each in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kleene.bench.experiment import Answer, Case, Experiment, Variant
from kleene.bench.family import cpu_seconds, peak_while
from kleene.bench.machine import machine
from kleene.bench.places import OutOfTime, Places, WorkerDied, own_cores
from kleene.bench.results import CaseResult, Exceeded, Failed, Outcome, Result, Skipped, Timed

Tell = Callable[[str], None]
"""What is being done right now, for who waits."""


@dataclass(frozen=True)
class Settings:
    """How thoroughly is measured."""

    folder: Path
    quick: bool = False
    rounds: int = 5
    warm_ups: int = 2
    patience: float = 60.0
    """Seconds of runs after which a slow variant sits out the later rounds, but for the first."""
    memory: bool = True

    @classmethod
    def for_tests(cls, folder: Path) -> Settings:
        """Enough to see that it works."""
        return cls(folder, quick=True, rounds=1, warm_ups=1, memory=False)


@dataclass
class _Entry:
    """A variant on its way through a case."""

    variant: Variant
    seconds: list[float] = field(default_factory=list)
    cpu_seconds: list[float] = field(default_factory=list)
    answer: Answer | None = None
    peak_bytes: int | None = None
    figures: Mapping[str, float] = field(default_factory=dict)
    prepared: bool = False
    out: Skipped | Failed | Exceeded | None = None
    """Why it takes no part any more."""

    def outcome(self) -> Outcome:
        seconds, cpu = tuple(self.seconds), tuple(self.cpu_seconds)
        return self.out or Timed(seconds, cpu, self.answer, self.peak_bytes, self.figures)


class _Stopped(Exception):  # noqa: N818 - carries an outcome
    def __init__(self, outcome: Skipped | Failed | Exceeded) -> None:
        super().__init__(outcome.reason)
        self.outcome = outcome


def conduct(
    experiment: Experiment,
    module: str,
    settings: Settings,
    tell: Tell,
    case_done: Callable[[CaseResult], None],
) -> Result:
    """Run an experiment, which is the EXPERIMENT of a module."""
    told = machine()
    results: list[CaseResult] = []
    if not experiment.weighs:
        settings = replace(settings, memory=False)
    with Places(module, quick=settings.quick) as places:
        for case in experiment.cases(settings.quick):
            conductor = _Conductor(case, places, settings, experiment.seconds, tell)
            conductor.spare_what_was_too_much(results)
            results.append(conductor.result())
            case_done(results[-1])
    return Result(experiment.name, settings.quick, told, tuple(results))


class _Conductor:
    """One case."""

    def __init__(
        self, case: Case, places: Places, settings: Settings, seconds: float | None, tell: Tell
    ) -> None:
        self._case, self._places, self._settings = case, places, settings
        self._seconds, self._say = seconds, tell
        self._entries = [_Entry(variant) for variant in case.variants]

    def spare_what_was_too_much(self, before: Sequence[CaseResult]) -> None:
        """Nobody waits for a variant where it has more to do than where it already was too much."""
        for entry in self._entries:
            for result in before:
                outcome = result.outcomes.get(entry.variant.name)
                if isinstance(outcome, Exceeded) and result.case.is_below(self._case):
                    entry.out = Exceeded(f"it did so at {result.case.name}")

    def result(self) -> CaseResult:
        self._tell("making its events")
        self._case.data.file(self._settings.folder)
        for entry in list(self._taking_part()):
            self._warm_up(entry)
        self._compare_answers()
        for number in range(self._settings.rounds):
            for entry in self._taking_part():
                self._round(entry, number)
        for entry in self._taking_part():
            self._tell(f"{entry.variant.name}, its figures")
            with self._guarded(entry):
                entry.figures = self._ask(entry, "figures")["figures"]
        self._close()
        if self._settings.memory:
            for entry in self._taking_part():
                self._weigh(entry)
        outcomes = {entry.variant.name: entry.outcome() for entry in self._entries}
        return CaseResult(self._case, outcomes)

    def _close(self) -> None:
        for entry in self._entries:
            if entry.prepared:
                with self._guarded(entry):
                    self._ask(entry, "close")

    def _taking_part(self) -> Iterator[_Entry]:
        return (entry for entry in self._entries if entry.out is None)

    def _warm_up(self, entry: _Entry) -> None:
        self._tell(f"{entry.variant.name}, warming up")
        with self._guarded(entry):
            for module in entry.variant.needs:
                if find_spec(module) is None:
                    reason = f"{module} is not installed: pip install 'kleene[bench]'"
                    raise _Stopped(Skipped(reason))
            cores = entry.variant.place.cores or 0
            if cores > len(own_cores()):
                raise _Stopped(Skipped(f"it is to run on {cores} cores, which are not to be had"))
            self._ask(entry, "prepare", folder=str(self._settings.folder))
            entry.prepared = True
            spent = 0.0
            for _ in range(self._settings.warm_ups):
                if spent < self._settings.patience / 4:
                    self._ask(entry, "rest")
                    spent += self._run(entry)
            found = self._ask(entry, "answer")["answer"]
            entry.answer = None if found is None else Answer(*found)

    def _compare_answers(self) -> None:
        """A fast wrong answer is worth nothing: all must agree with the first."""
        answers = [entry for entry in self._taking_part() if entry.answer is not None]
        for entry in answers[1:]:
            first = answers[0]
            assert first.answer is not None
            assert entry.answer is not None
            if not entry.answer.agrees(first.answer):
                reason = f"it finds {entry.answer}, and {first.variant.name} {first.answer}"
                entry.out = Failed(reason)

    def _round(self, entry: _Entry, number: int) -> None:
        if number > 1 and sum(entry.seconds) > self._settings.patience:
            return
        self._tell(f"{entry.variant.name}, round {number + 1} of {self._settings.rounds}")
        with self._guarded(entry):
            self._ask(entry, "rest")
            process = self._places.process(entry.variant.place).number
            before = cpu_seconds(process)
            entry.seconds.append(self._run(entry))
            entry.cpu_seconds.append(cpu_seconds(process) - before)

    def _weigh(self, entry: _Entry) -> None:
        """Peak memory is that of a process of its own, in which nothing ran before."""
        self._tell(f"{entry.variant.name}, its memory")
        process = self._places.fresh(entry.variant.place)
        names = {"case": self._case.name, "variant": entry.variant.name}
        try:
            _checked(process.ask("prepare", None, **names, folder=str(self._settings.folder)))
            reply, entry.peak_bytes = peak_while(
                process.number, lambda: process.ask("run", self._seconds, **names)
            )
            _checked(reply)
        except _Stopped as stopped:
            entry.out = stopped.outcome
        except WorkerDied as death:
            entry.out = Failed(str(death))
        finally:
            process.stop()

    @contextmanager
    def _guarded(self, entry: _Entry) -> Iterator[None]:
        """What stops a variant stops no other."""
        try:
            yield
        except _Stopped as stopped:
            entry.out = stopped.outcome
        except OutOfTime as death:
            entry.out = Exceeded(str(death), self._seconds)
            self._bury(entry.variant)
        except WorkerDied as death:
            entry.out = Failed(str(death))
            self._bury(entry.variant)

    def _bury(self, dead: Variant) -> None:
        """With its process a variant takes along what others had prepared there."""
        self._places.forget(dead.place)
        for entry in self._entries:
            if entry.prepared and entry.variant.place.name == dead.place.name:
                entry.prepared = False
                entry.out = entry.out or Failed(f"its process ended while {dead.name} ran")

    def _run(self, entry: _Entry) -> float:
        """The seconds of a run."""
        found: float = self._ask(entry, "run", self._seconds)["seconds"]
        return found

    def _ask(
        self, entry: _Entry, order: str, seconds: float | None = None, **details: str
    ) -> dict[str, Any]:
        process = self._places.process(entry.variant.place)
        names = {"case": self._case.name, "variant": entry.variant.name}
        return _checked(process.ask(order, seconds, **names, **details))

    def _tell(self, what: str) -> None:
        self._say(f"{self._case.name}: {what}")


def _checked(reply: dict[str, Any]) -> dict[str, Any]:
    """The reply, if the variant goes on."""
    if "skipped" in reply:
        raise _Stopped(Skipped(reply["skipped"]))
    if "failed" in reply:
        raise _Stopped(Failed(reply["failed"]))
    if "exceeded" in reply:
        raise _Stopped(Exceeded(reply["exceeded"]))
    return reply
