"""What an experiment declares: cases, each with its events and the variants compared on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.console import RenderableType

from kleene.bench.data import Dataset

if TYPE_CHECKING:
    from kleene.bench.results import Result


class Answer(NamedTuple):
    """What a variant found: how many matches, and a checksum over all of them.

    One that only counts has no checksum.
    """

    matches: int
    checksum: int | None

    def agrees(self, other: Answer) -> bool:
        """Whether both can be true."""
        both = None not in (self.checksum, other.checksum)
        return self == other if both else self.matches == other.matches


class Unavailable(Exception):  # noqa: N818 - no error: the variant is left out, and says why
    """What a variant needs is not on this machine; the text says how to get it."""


class TooMuch(Exception):  # noqa: N818 - no error: an outcome like a time
    """A run takes more than it is given; the text says of what."""


def _nothing() -> None:
    pass


@dataclass(frozen=True)
class Job:
    """A prepared variant.

    `run` alone is timed. `answer` reads what `run` returned; a variant that looks for nothing, as
    a floor under the others, has none. `figures` are what else is to be told of the variant.
    """

    run: Callable[[], Any]
    answer: Callable[[Any], Answer] | None
    close: Callable[[], None] = _nothing
    figures: Callable[[], Mapping[str, float]] = dict


@dataclass(frozen=True)
class Input:
    """Where a variant finds its events, a Parquet file, and what was installed for it."""

    events: Path
    folder: Path


@dataclass(frozen=True)
class Place:
    """A process apart, in which variants run that can share one: a thread pool, a Spark session."""

    name: str
    cores: int | None = None
    """How many cores it may use; None is all of them."""


IN_PROCESS = Place("process")


@dataclass(frozen=True)
class Variant:
    """One way to answer the question of a case."""

    name: str
    prepare: Callable[[Input], Job]
    place: Place = IN_PROCESS
    needs: tuple[str, ...] = ()
    """Modules that must be there; without them the variant is skipped, and says so."""


@dataclass(frozen=True)
class TimeAtMost:
    """A target: the time of a variant is at most so many times that of another."""

    variant: str
    factor: float
    against: str


@dataclass(frozen=True)
class RateAtLeast:
    """A target: a variant takes in at least so many events a second."""

    variant: str
    events_per_second: float


@dataclass(frozen=True)
class SecondsAtMost:
    """A target: a variant takes at most so long, or so much longer than another."""

    variant: str
    seconds: float
    more_than: str | None = None


@dataclass(frozen=True)
class BytesAtMost:
    """A target: the peak memory of a variant."""

    variant: str
    bytes: int


Target = TimeAtMost | RateAtLeast | SecondsAtMost | BytesAtMost


@dataclass(frozen=True)
class Case:
    """A question about some events, and who answers it.

    Ratios are told against the variant named by `baseline`.
    """

    name: str
    question: str
    data: Dataset
    variants: tuple[Variant, ...]
    baseline: str
    targets: tuple[Target, ...] = ()
    at: Mapping[str, str | float] = field(default_factory=dict)
    """Where the case lies among others that differ in a few parameters."""

    def is_below(self, other: Case) -> bool:
        """Whether the other differs in larger numbers alone, so that there is more to do."""
        if not self.at or self.at.keys() != other.at.keys():
            return False
        pairs = [(value, other.at[name]) for name, value in self.at.items()]
        return all(
            one <= two if isinstance(one, float) and isinstance(two, float) else one == two
            for one, two in pairs
        )

    def variant(self, name: str) -> Variant:
        """The variant of a name."""
        return next(variant for variant in self.variants if variant.name == name)


@dataclass(frozen=True)
class Experiment:
    """Cases, small ones if it has to be quick, and what may be installed for their variants."""

    name: str
    summary: str
    cases: Callable[[bool], tuple[Case, ...]]
    installs: Mapping[str, Callable[[Path], None]] = field(default_factory=dict)
    seconds: float | None = None
    """What a run is given; one that takes longer is broken off, and told as such."""
    weighs: bool = True
    """Whether memory is measured too."""
    conclusions: Callable[[Result], Iterable[RenderableType]] | None = None
    """What is told behind the cases, if it is not ratios and targets."""
    draw: Callable[[Result, Path], None] | None = None
    """A picture of its own."""
