"""Random calls of `match` of every kind: what a few of them cover is seen to, not hoped for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache

from kleene.errors import UnknownOptionError
from kleene.language.syntax import SkipMode, Strategy
from kleene.logical.algebra import Kleene, Not, Repeat, walk
from kleene.logical.output import OutputForm
from kleene.runtime.shares import plan_tasks
from kleene.runtime.slices import plan_slices
from support.generators import EVERYTHING, GROUPED, IMPRECISE, Sample, sample_of
from support.on_spark import Call

_SMALL = replace(EVERYTHING, max_events=10, max_work=1000, wide=True)
_PROFILES = (
    _SMALL,
    replace(_SMALL, windows=(4, 8, 20), partitions=False),
    replace(_SMALL, windows=(4, 8, 20), partitions=False, returns=False),
    replace(_SMALL, returns=False),
    replace(GROUPED, max_events=10, max_work=1000),
    replace(IMPRECISE, wide=True),
)
_POOL = 900
KINDS = frozenset(
    {*(f"strategy {strategy}" for strategy in Strategy), *(f"form {form}" for form in OutputForm)}
    | {
        "keyed",
        "sliced",
        "sliced keys",
        "one task",
        "AFTER MATCH",
        "EXISTS",
        "negation",
        "Kleene",
        "group",
    }
    | {"RETURN", "GROUP BY", "ties", "nulls", "bad rows", "imprecise", "moments", "numbers"}
)
"""What calls may be made of."""


@dataclass(frozen=True)
class Drawn:
    """A random call, and of which kinds it is."""

    call: Call
    kinds: frozenset[str]


@cache
def random_calls(number: int) -> tuple[Drawn, ...]:
    """So many calls with a match, each the one that adds most of what the others have least of."""
    pool = list(_pool())
    seen: Counter[str] = Counter()
    found = []
    for _ in range(number):
        best = max(pool, key=lambda drawn: sum(1 / (1 + seen[kind]) ** 2 for kind in drawn.kinds))
        pool.remove(best)
        seen.update(best.kinds)
        found.append(best)
    return tuple(found)


def _pool() -> Iterator[Drawn]:
    for seed in range(_POOL):
        sample = sample_of(seed, _PROFILES[seed % len(_PROFILES)])
        if not sample.meaning.matches:
            continue
        whole = not sample.query.returns
        form = tuple(OutputForm)[seed % 3] if whole else OutputForm.MATCHES
        yield Drawn(_call_of(f"seed {seed}", sample, form), frozenset(_kinds(sample, form)))


def _call_of(name: str, sample: Sample, form: OutputForm) -> Call:
    roles = sample.roles
    named = {
        "time": roles.time if len(roles.time) > 1 else roles.time[0],
        "type": roles.type,
        "id": roles.id,
        "order_by": roles.order_by,
        "partition_by": roles.partition_by,
    }
    options = {} if roles.pmf is None else {"pmf": roles.pmf}
    if sample.shape.imprecise:
        options["unit"] = "1"
    if _slices_keys(sample, form):
        options["large_keys"] = "sliced"
    return Call(name, str(sample.query), sample.stream.table(), named, form, options)


def _slices_keys(sample: Sample, form: OutputForm) -> bool:
    """Whether keys are cut in this call: in two of three that allow it."""
    try:
        shares = plan_tasks(sample.logical, form, slices_keys=True)
    except UnknownOptionError:
        return False
    return shares.keyed and len(sample.rows) % 3 > 0


def _kinds(sample: Sample, form: OutputForm) -> Iterator[str]:
    query = sample.logical.resolved
    yield f"strategy {query.strategy}"
    yield f"form {form}"
    if query.partition_by and query.strategy is not Strategy.STRICT:
        yield "keyed"
        if _slices_keys(sample, form):
            yield "sliced keys"
    else:
        yield "one task" if plan_slices(sample.logical, form) is None else "sliced"
    if query.after_match is not None and query.after_match.mode is not SkipMode.NO_SKIP:
        yield "AFTER MATCH"
    if any(variable.hidden for variable in query.variables):
        yield "EXISTS"
    made_of = {type(node) for node in walk(sample.logical.pattern)}
    names = {Not: "negation", Kleene: "Kleene", Repeat: "group"}
    yield from (name for kind, name in names.items() if kind in made_of)
    if query.grouping is not None:
        yield "GROUP BY"
    elif query.returns:
        yield "RETURN"
    yield from _kinds_of_events(sample)


def _kinds_of_events(sample: Sample) -> Iterator[str]:
    times = [row[sample.roles.time[0]] for row in sample.rows]
    if sample.shape.imprecise:
        yield "imprecise"
    elif len(set(times)) < len(times):
        yield "ties"
    if None in times:
        yield "bad rows"
    numbers = int | float | Decimal | None
    yield "numbers" if all(isinstance(time, numbers) for time in times) else "moments"
    if any(value is None for row in sample.rows for value in row.values()):
        yield "nulls"
