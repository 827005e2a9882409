"""What lays events before a kernel: chosen by type, numbered by key, sorted. One pass for each.

Plain Python that Numba compiles as it stands, each function to an object of its own (`helper`).
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence

DONE, GROW, UNSORTED = 0, 1, 2
"""What they answer: done; called again with a larger table; the events must be sorted by time."""
HASH_BITS = 62
"""Of a hash; its highest bits are the slot. Python has the same ones, though its numbers grow."""
HEADS = 64
"""Chains of the names of types; a power of two."""


def of_types(  # noqa: PLR0913, PLR0917 - kernels have no objects to pass
    offsets: Sequence[int],
    text: Sequence[int],
    valid: Sequence[int],
    bit: int,
    row: int,
    heads: Sequence[int],
    following: Sequence[int],
    ends: Sequence[int],
    names: Sequence[int],
    rows: MutableSequence[int],
    kinds: MutableSequence[int],
) -> tuple[int, int]:
    """The rows whose text is one of some names, and the number of that name.

    `offsets`, `text` and `valid`, from a bit on, are a column as Arrow has it, whose first row is
    `row`. A name is in the chain of its length, its first byte and its last: `heads` and
    `following` are one more than its number.
    """
    fill = 0
    base = offsets[0]
    for place in range(len(offsets) - 1):
        start = offsets[place] - base
        length = offsets[place + 1] - base - start
        chain = length
        if length > 0:
            chain += 3 * text[start] + 5 * text[start + length - 1]
        number = heads[chain & 63] - 1
        while number >= 0:
            begin = ends[number]
            if ends[number + 1] - begin == length:
                same = 0
                while same < length and text[start + same] == names[begin + same]:
                    same += 1
                if same == length:
                    break
            number = following[number] - 1
        if number >= 0:
            at = bit + place
            if len(valid) == 0 or valid[at >> 3] >> (at & 7) & 1 != 0:
                rows[fill] = row + place
                kinds[fill] = number
                fill += 1
    return 0, fill


def number_pairs(  # noqa: PLR0913, PLR0917 - kernels have no objects to pass
    before: Sequence[int],
    values: Sequence[int],
    table: MutableSequence[int],
    shift: int,
    met_before: MutableSequence[int],
    met: MutableSequence[int],
    codes: MutableSequence[int],
    state: MutableSequence[int],
) -> tuple[int, int]:
    """A number for each pair that is met, in the order in which they are; -1 where `before` is.

    `table` has one more than the numbers, by their hash; `state` is how many there are, and how
    many rows were done when the table was too full.
    """
    count, last = state[0], len(table) - 1
    for number in range(count):
        mixed = (met[number] * 7046029254386353131 + met_before[number] * 3202034522624059733) & (
            2**62 - 1
        )
        slot = mixed >> shift
        while table[slot] > 0:
            slot = (slot + 1) & last
        table[slot] = number + 1
    for place in range(state[1], len(values)):
        value, other = values[place], before[place]
        if other < 0:
            codes[place] = -1
            continue
        mixed = (value * 7046029254386353131 + other * 3202034522624059733) & (2**62 - 1)
        slot = mixed >> shift
        while table[slot] > 0:
            number = table[slot] - 1
            if met[number] == value and met_before[number] == other:
                break
            slot = (slot + 1) & last
        if table[slot] == 0:
            if 2 * count > last:
                state[0], state[1] = count, place
                return 1, count
            met[count], met_before[count] = value, other
            count += 1
            table[slot] = count
        codes[place] = table[slot] - 1
    return 0, count


def lay(  # noqa: PLR0913, PLR0917 - kernels have no objects to pass
    time: Sequence[int],
    codes: Sequence[int],
    first: Sequence[int],
    rows: MutableSequence[int],
    times: MutableSequence[int],
    rank: MutableSequence[int],
    part: MutableSequence[int],
    room: MutableSequence[int],
) -> tuple[int, int]:
    """Events by partition, in the order in which they come or in that of `first`, with their times.

    Nothing but counting. It answers UNSORTED where the times of a partition descend, and tells how
    many events are tied with the one before them.
    """
    count, parts = len(time), len(part) - 1
    for place in range(count):
        part[codes[place] + 1] += 1
    for number in range(parts):
        room[number] = part[number]
        part[number + 1] += part[number]
    for place in range(count):
        row = first[place] if len(first) else place
        code = codes[row]
        at = room[code]
        room[code] = at + 1
        rows[at] = row
        times[at] = time[row]
    ties = 0
    moved = 0
    for number in range(parts):
        begin = part[number]
        for at in range(begin, part[number + 1]):
            if at > begin:
                if times[at] < times[at - 1]:
                    return 2, 0
                if times[at] == times[at - 1]:
                    ties += 1
                else:
                    moved += 1
            else:
                moved += 1
            rank[at] = moved
    return 0, ties
