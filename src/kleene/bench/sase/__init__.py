"""The microbenchmarks of paper 1, section 6.2: Kleene closure under skip-till-any-match."""

from __future__ import annotations

from kleene.bench.data import Dataset
from kleene.bench.experiment import Case, Experiment, RateAtLeast
from kleene.bench.sase.events import make_events
from kleene.bench.sase.panels import draw
from kleene.bench.sase.point import CLASSES, Point
from kleene.bench.sase.tables import conclusions
from kleene.bench.sase.variants import AUTOMATON, BROKEN_DOWN, variants

SELECTIVITIES = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.4, 1.6)
WINDOWS = (25, 100, 250, 500, 750, 1000, 2500, 4000, 10_000, 25_000, 50_000, 100_000)
WINDOW, SELECTIVITY = 500, BROKEN_DOWN
"""Where one is varied, the other stays."""
_FEW, _MANY = 100_000, 1_000_000


def points(*, quick: bool) -> list[Point]:
    """Both sweeps of every class, which cross in a point."""
    selectivities = (1e-4, 1e-3) if quick else SELECTIVITIES
    windows = (25, 100) if quick else WINDOWS
    window = max(windows) if quick else WINDOW
    pairs = [(each, window) for each in selectivities] + [(SELECTIVITY, each) for each in windows]
    return [Point(one, *pair) for one in CLASSES for pair in dict.fromkeys(pairs)]


def cases(quick: bool) -> tuple[Case, ...]:  # noqa: FBT001 - the signature of cases
    """A case for each point."""
    data = Dataset("sase", make_events, {}, _FEW if quick else _MANY)
    return tuple(_case(point, data) for point in points(quick=quick))


def _case(point: Point, data: Dataset) -> Case:
    question = (
        f"{point.query('…')}; … is such that there are {point.selectivity:g} matches an event"
    )
    rates = ("collapsed", "count") if point.window == max(WINDOWS) else ()
    return Case(
        point.name,
        question,
        data,
        variants(point),
        AUTOMATON,
        tuple(RateAtLeast(name, 1_000_000) for name in rates),
        point.at,
    )


EXPERIMENT = Experiment(
    "sase",
    "Kleene closure under skip-till-any-match: methods, selectivities, windows, predicates",
    cases,
    seconds=120.0,
    weighs=False,
    conclusions=conclusions,
    draw=draw,
)
