"""Statements about what variables hold; `layout` says how they are stored."""

from __future__ import annotations

from kleene.program.layout import Slot
from kleene.program.source import Writer


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
    writer.put(f"n{slot.number} = 0")
    if slot.dimensions > 1:
        writer.put(f"w{slot.number} = 0")


def open_row(writer: Writer, slot: Slot) -> None:
    """An array of arrays gets another row, without elements yet."""
    v = slot.number
    writer.put(f"s{v}[w{v}] = n{v}", f"e{v}[w{v}] = n{v}", f"w{v} += 1")


def close_row(writer: Writer, slot: Slot) -> None:
    """The last row ends where the buffer does."""
    v = slot.number
    writer.put(f"e{v}[w{v} - 1] = n{v}")


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
        writer.put(f"s{v}[w{v}] = n{v}", f"e{v}[w{v}] = n{v} - 1", f"w{v} += 1")
    elif slot.dimensions == 1:
        writer.put(f"n{v} = -1")
    else:
        writer.put(f"n{v} = 0", f"w{v} = -1")


def is_array(slot: Slot, entered: int) -> str | None:
    """Whether a variable is an array within so many of its loops, not null; None if an event."""
    v = slot.number
    if entered == slot.dimensions:
        return None
    if entered:
        return f"e{v}[w{v} - 1] >= s{v}[w{v} - 1]"
    return f"n{v} >= 0" if slot.dimensions == 1 else f"w{v} >= 0"
