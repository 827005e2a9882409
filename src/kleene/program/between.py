"""The place between neighbours: after the last event before it, before the first one after it."""

from __future__ import annotations

from collections.abc import Iterable

from kleene.program.layout import Slot
from kleene.program.places import Neighbour
from kleene.program.source import Writer
from kleene.program.storage import count, element, first_event


def stay_between(
    before: Iterable[Neighbour], after: Iterable[Neighbour], until: str, writer: Writer
) -> None:
    """Set `after` and the bound `until` to the ranks that events here lie between."""
    writer.put("after = -1", f"{until} = FAR")
    for neighbour in before:
        _stay_behind(neighbour, writer)
    for neighbour in after:
        _stay_before(neighbour, until, writer)


def _stay_behind(neighbour: Neighbour, writer: Writer) -> None:
    """Move `after` to what comes before."""
    v = neighbour.slot.number
    if neighbour.slot.dimensions:
        low, high = _part_before(neighbour)
        writer.put(f"after = max(after, last_rank(b{v}, {low}, {high}, rank))")
    else:
        with writer.block(f"if r{v} >= 0:"):
            writer.put(f"after = max(after, rank[r{v}])")


def _stay_before(neighbour: Neighbour, bound: str, writer: Writer) -> None:
    """Move the bound to what comes after."""
    v = neighbour.slot.number
    if neighbour.slot.dimensions:
        low, high = _part_after(neighbour)
        writer.put(f"{bound} = min({bound}, first_rank(b{v}, {low}, {high}, rank))")
    else:
        with writer.block(f"if r{v} >= 0:"):
            writer.put(f"{bound} = min({bound}, rank[r{v}])")


def _part_before(neighbour: Neighbour) -> tuple[str, str]:
    """The part of a buffer up to the iteration tested, whose own elements count if inclusive."""
    start, end = _row(neighbour)
    return "0", end if neighbour.inclusive else start


def _part_after(neighbour: Neighbour) -> tuple[str, str]:
    """The part of a buffer from the iteration tested on, likewise."""
    start, end = _row(neighbour)
    return start if neighbour.inclusive else end, f"n{neighbour.slot.number}"


def _row(neighbour: Neighbour) -> tuple[str, str]:
    """The events of the iteration tested; all where there is none. A null row is empty."""
    slot = neighbour.slot
    turns = tested(slot, neighbour.shared)
    if not turns:
        return "0", count(slot, 0)
    place, level = element(slot, turns), slot.dimensions - len(turns)
    return first_event(slot, level, place), first_event(slot, level, f"{place} + 1")


def tested(slot: Slot, loops: tuple[int, ...]) -> list[str]:
    """The iterations tested of the groups that a variable shares with a negation."""
    return [f"q{loop}" for loop in slot.loops if loop in loops]
