"""The events of the matches of a group, where they are asked for.

Every move is written down in `log`, five words each: the `name` of the configuration before and
behind it, the event, the leaf, and a mark. A group has the name -1 less its number. What leads to a
group is marked backwards, from its last match on.
"""

from __future__ import annotations

from kleene.program.loop import DONE, FULL
from kleene.program.source import Writer

MOVE = 5
"""Words of a move in the log."""


def write_marks(writer: Writer) -> None:
    """Mark the moves on the way to a group, those of one event before what they come from."""
    writer.put("last = glast[turn]", "stamp += 1", "z = last")
    with writer.block("while z >= 0:"):
        writer.put("first = z")
        with writer.block("while first >= 0 and log[first + 2] == log[z + 2]:"):
            writer.put("to = log[first + 1]")
            reached = "to == -1 - turn or to >= 0 and marks[to] == stamp"
            writer.put(f"log[first + 4] = 1 if {reached} else 0", f"first -= {MOVE}")
        with writer.block("while z > first:"):
            with writer.block("if log[z + 4] != 0:"):
                writer.put("marks[log[z]] = stamp")
            writer.put(f"z -= {MOVE}")


def write_array(leaf: int, writer: Writer) -> None:
    """The events of a variable on the way, in order, behind how many they are."""
    with writer.block(f"if answer == {DONE} and fill + rows + 2 > len(out):"):
        writer.put(f"answer = {FULL}")
    with writer.block(f"if answer == {DONE}:"):
        writer.put("count_at = fill", "fill += 1", "before = -1")
        with writer.block(f"for z in range(0, last + 1, {MOVE}):"):
            taken = f"log[z + 4] != 0 and log[z + 3] == {leaf} and log[z + 2] != before"
            with writer.block(f"if {taken}:"):
                with writer.block("if fill + rows + 2 > len(out):"):
                    writer.put(f"answer = {FULL}", "break")
                writer.put("before = log[z + 2]", "out[fill] = before", "fill += 1")
        writer.put("out[count_at] = fill - count_at - 1")
