"""What kernels of merged runs call: tables of configurations, and numbers of matches.

Plain Python that Numba compiles as it stands. A number of matches has three limbs of 62 bits, the
lowest first. It stays at TOO_MANY once it is there: nothing is ever subtracted, so what began there
ends there, and a number that ends below is exact. A sum has limbs of 31 bits, two's complement: 38
digits of matches, 64 bits of a value and a million events of a match stay below its 248 bits.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence

LIMBS = 3
LIMB = 62
WORDS, WORD = 8, 31
"""Limbs of a sum, and the bits of each; two's complement, so the highest has the sign."""
TOO_MANY = 1 << 20
"""Of the highest limb: numbers of 38 digits have less than a byte there."""
_MASK = 2**62 - 1
_WORD = 2**31 - 1
_PRIME = 1_000_003


def slot_of(keys: Sequence[int], number: int, width: int, home: Sequence[int], stamp: int) -> int:
    """The slot of a configuration in the table `home`, or the free one that it would take.

    Slots hold `stamp + number + 1`: those of other stamps are free.
    """
    mixed = 0
    for word in range(number * width, number * width + width):
        mixed = ((mixed ^ (keys[word] & _WORD)) * _PRIME) & _MASK >> 11
        mixed ^= mixed >> 17
    last = len(home) - 1
    slot = mixed & last
    while home[slot] > stamp:
        other = (home[slot] - stamp - 1) * width
        same = True
        for word in range(width):
            if keys[other + word] != keys[number * width + word]:
                same = False
                break
        if same:
            return slot
        slot = (slot + 1) & last
    return slot


def add_count(into: MutableSequence[int], at: int, more: Sequence[int], start: int) -> None:
    """Add a number of matches to another."""
    low = into[at] + more[start]
    into[at] = low & _MASK
    middle = into[at + 1] + more[start + 1] + (low >> LIMB)
    into[at + 1] = middle & _MASK
    into[at + 2] = min(into[at + 2] + more[start + 2] + (middle >> LIMB), TOO_MANY)


def add_sum(into: MutableSequence[int], at: int, more: Sequence[int], start: int) -> None:
    """Add a sum to another; what is beyond all limbs is dropped."""
    carry = 0
    for limb in range(WORDS):
        carry += into[at + limb] + more[start + limb]
        into[at + limb] = carry & _WORD
        carry >>= WORD


def add_product(
    into: MutableSequence[int], at: int, counts: Sequence[int], start: int, value: int
) -> None:
    """Add a number of matches times a value to a sum."""
    for low in range(2 * LIMBS):
        matches = (counts[start + low // 2] >> (WORD * (low % 2))) & _WORD
        rest, carry = value, 0
        for limb in range(low, WORDS):
            factor = -1 if rest == -1 else rest & _WORD
            rest = 0 if rest == -1 else rest >> WORD
            carry += into[at + limb] + matches * factor
            into[at + limb] = carry & _WORD
            carry >>= WORD


FUNCTIONS = (slot_of, add_count, add_sum, add_product)
"""All that generated code may call."""
