"""What variables hold, as text and as statements; `layout` says how it is stored.

Level 0 of a variable are its events, level 1 the rows of events, level 2 the rows of those.
"""

from __future__ import annotations

from collections.abc import Sequence

from kleene.program.layout import Slot
from kleene.program.source import Writer


def named(letter: str, slot: Slot, level: int) -> str:
    """The name of something about the rows of a level.

    >>> slot = Slot(3, "b", (1, 2, 4), (), None, True)
    >>> named("s", slot, 1), named("w", slot, 2)
    ('s3', 'w3_2')
    """
    return f"{letter}{slot.number}" if level == 1 else f"{letter}{slot.number}_{level}"


def count(slot: Slot, level: int) -> str:
    """How many events or rows there are."""
    return named("w", slot, level) if level else f"n{slot.number}"


def counts(slot: Slot) -> list[str]:
    """All counts; the last is the length of the outermost array."""
    return [count(slot, level) for level in range(slot.dimensions)]


def element(slot: Slot, indices: Sequence[str]) -> str:
    """The place among the rows, or events, of a level of the one with these indices."""
    place = indices[0]
    for depth, index in enumerate(indices[1:], start=1):
        place = f"{named('s', slot, slot.dimensions - depth)}[{place}] + {index}"
    return place


def bounds(slot: Slot, indices: Sequence[str]) -> tuple[str, str]:
    """Where an array, which has these indices in those around it, begins and ends."""
    level = slot.dimensions - len(indices)
    if not indices:
        return "0", count(slot, level - 1)
    place = element(slot, indices)
    return f"{named('s', slot, level)}[{place}]", f"{named('e', slot, level)}[{place}]"


def extent(slot: Slot, indices: Sequence[str]) -> str:
    """The length of an array; -1 if it is null."""
    start, end = bounds(slot, indices)
    return end if start == "0" else f"{end} - {start}"


def first_event(slot: Slot, level: int, place: str) -> str:
    """Where the events of a row begin; of the row behind the last one, where they all end."""
    for inner in range(level, 0, -1):
        rows = f"{named('s', slot, inner)}, {count(slot, inner)}, {count(slot, inner - 1)}"
        place = f"begin_of({rows}, {place})"
    return place


def vacancy(slot: Slot) -> str:
    """Where the next event of a variable goes."""
    return f"b{slot.number}[n{slot.number}]" if slot.dimensions else f"r{slot.number}"


def length(slot: Slot) -> str:
    """How many elements the array has that is being filled: the variable, or its last row."""
    v = slot.number
    return f"n{v}" if slot.dimensions == 1 else f"n{v} - s{v}[w{v} - 1]"


def holds(slot: Slot, position: str) -> str:
    """Whether a variable has bound an event."""
    v = slot.number
    return f"taken(b{v}, n{v}, {position})" if slot.dimensions else f"r{v} == {position}"


def clear(writer: Writer, slot: Slot) -> None:
    """A variable with loops is an empty array."""
    writer.put(*(f"{name} = 0" for name in counts(slot)))


def open_array(writer: Writer, slot: Slot, entered: int) -> None:
    """Within so many loops of a variable there is an array of its own, without elements yet."""
    if entered:
        _row(writer, slot, slot.dimensions - entered, "")
    else:
        clear(writer, slot)


def _row(writer: Writer, slot: Slot, level: int, null: str) -> None:
    rows, below = count(slot, level), count(slot, level - 1)
    writer.put(f"{named('s', slot, level)}[{rows}] = {below}")
    writer.put(f"{named('e', slot, level)}[{rows}] = {below}{null}", f"{rows} += 1")


def close_row(writer: Writer, slot: Slot, level: int) -> None:
    """The last row of a level ends where what it is made of does."""
    last = f"{count(slot, level)} - 1"
    writer.put(f"{named('e', slot, level)}[{last}] = {count(slot, level - 1)}")


def close_array(writer: Writer, slot: Slot, entered: int) -> None:
    """The array that was opened within so many loops is complete."""
    if entered:
        close_row(writer, slot, slot.dimensions - entered)


def unbind(writer: Writer, slot: Slot, entered: int) -> None:
    """A variable is null within as many of its loops: event -1, array of count -1.

    A row that is null ends before it starts.
    """
    v = slot.number
    if entered == slot.dimensions:
        writer.put(f"{vacancy(slot)} = -1")
        if entered:
            writer.put(f"n{v} += 1")
    elif entered:
        _row(writer, slot, slot.dimensions - entered, " - 1")
    else:
        *inner, outermost = counts(slot)
        writer.put(*(f"{name} = 0" for name in inner), f"{outermost} = -1")


def is_array(slot: Slot, entered: int) -> str | None:
    """Whether a variable is an array within so many of its loops, not null; None if an event."""
    if entered == slot.dimensions:
        return None
    if entered:
        level = slot.dimensions - entered
        last = f"[{count(slot, level)} - 1]"
        return f"{named('e', slot, level)}{last} >= {named('s', slot, level)}{last}"
    return f"{counts(slot)[-1]} >= 0"
