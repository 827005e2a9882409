"""Conditions that machine code does not decide: a kernel asks for them, with the events at hand.

`ask(asking, 3, (r0, b1[x2]))` is what question 3 comes to for these events: 1 if it is true, 0 if
it is false, 2 if it is null. It costs a call into Python, some microseconds; all the rest of a
kernel (indexes, windows, other conditions) stays machine code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kleene.language.expressions import Aggregate, Attribute, Expression
from kleene.language.indices import RANGES
from kleene.language.traversal import children
from kleene.program.columns import Columns, Question, Reading
from kleene.program.text import Truth

FALSE, TRUE, NULL = range(3)
"""The answers."""


def asked(
    columns: Columns,
    node: Expression,
    position: Callable[[Attribute], str],
    part: Callable[[Attribute], tuple[int, str, str]] | None,
    reason: str,
) -> Truth:
    """The truth of a condition as an answer; `position` and `part` are those of a `Translator`."""
    events: dict[Reading, str] = {}
    ranges: dict[Reading, tuple[int, str, str]] = {}
    for attribute, aggregated in attributes(node):
        reading = (attribute.variable, attribute.indices)
        if aggregated and part is not None and not RANGES.isdisjoint(attribute.indices):
            ranges[reading] = part(attribute)
        else:
            events[reading] = position(attribute)
    parts = tuple((reading, number) for reading, (number, _, _) in ranges.items())
    number = columns.question(Question(node, tuple(events), parts, reason))
    words = [*events.values(), *(bound for _, *bounds in ranges.values() for bound in bounds)]
    call = f"ask(asking, {number}, ({', '.join(words)},))"
    return Truth(f"{call} == {TRUE}", f"{call} == {FALSE}")


def asks(lines: Iterable[str]) -> bool:
    """Whether lines of a kernel ask anything."""
    return any("ask(" in line for line in lines)


def attributes(node: Expression, *, aggregated: bool = False) -> Iterator[tuple[Attribute, bool]]:
    """The attributes of an expression, and whether each is within an aggregate."""
    if isinstance(node, Attribute):
        yield node, aggregated
    for child in children(node):
        yield from attributes(child, aggregated=aggregated or isinstance(node, Aggregate))
