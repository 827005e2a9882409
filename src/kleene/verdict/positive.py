"""Whether a binding meets what is asked of the positive part: all but strategy and negation."""

from __future__ import annotations

from collections.abc import Sequence

from kleene.language.expressions import Duration
from kleene.language.printer import print_duration, print_path
from kleene.logical.binding import Binding, Value, all_events
from kleene.logical.denotation import window
from kleene.logical.history import field
from kleene.logical.ordering import sort_key
from kleene.verdict.conditions import failure
from kleene.verdict.reasons import Apart, Misfit, NoTime, TooFar
from kleene.verdict.scene import Scene, renumbered
from kleene.verdict.structure import laid
from kleene.verdict.witness import Bound, Witnesses, length


def positive_part(binding: Binding, scene: Scene, witnesses: Witnesses) -> dict[str, Value]:
    """The binding to rows as a match has it; a Misfit says what the positive part fails at."""
    events = list(witnesses.all_of(list(binding), binding))
    for event in events:
        if event.event.row not in scene.places:
            raise Misfit(NoTime(event))
    found = laid(scene.placed(binding), scene, witnesses)
    _together(events, scene)
    _in_window(found, events, scene)
    failed = failure(scene.query.conditions, found, scene.ground)
    if failed is not None:
        raise Misfit(failed)
    return {name: renumbered(value, scene.numbers) for name, value in found.items()}


def _together(events: Sequence[Bound], scene: Scene) -> None:
    """Every match lies in one partition (semantics 1)."""
    keys = {
        print_path(path): [field(event.event.columns, path) for event in events]
        for path in scene.query.resolved.partition_by
    }
    for name, values in keys.items():
        if None in values:
            raise Misfit(Apart((events[values.index(None)],), name, (None,)))
    for name, values in keys.items():
        for event, value in zip(events, values, strict=True):
            if sort_key(value) != sort_key(values[0]):
                raise Misfit(Apart((events[0], event), name, (values[0], value)))


def _in_window(found: Binding, events: Sequence[Bound], scene: Scene) -> None:
    """`latest - earliest < w` (semantics 2, Window)."""
    extent = window(scene.query)
    if extent is None or scene.world(()).fits_window(found):
        return
    ordered = all_events(found)
    times = [scene.events[event].time for event in ordered]
    by_row = {event.event.row: event for event in events}
    first, last = (by_row[scene.numbers[event]] for event in (ordered[0], ordered[-1]))
    apart = length(times[-1] - times[0], scene.query.resolved)  # type: ignore[operator]
    whole = scene.query.resolved.window
    told = print_duration(whole) if isinstance(whole, Duration) else str(whole)
    raise Misfit(TooFar(first, last, apart, told))
