"""The first conjunct that a binding fails, with the values that made it false or null."""

from __future__ import annotations

from collections.abc import Iterator

from kleene.language.expressions import Aggregate, Attribute, Expression, IndexKind
from kleene.language.parse_reference import INDEX_LETTERS
from kleene.language.printer import print_expression
from kleene.language.traversal import children, walk
from kleene.logical.binding import Binding
from kleene.logical.decide import Ground, Reader, failing
from kleene.logical.values import evaluate
from kleene.verdict.reasons import Fails

_OF_ALL = frozenset({IndexKind.FIRST, IndexKind.ALL})


def failure(conditions: tuple[Expression, ...], binding: Binding, ground: Ground) -> Fails | None:
    """What is wrong with the conditions on the positive part, if anything."""
    for condition in conditions:
        indices = failing(condition, binding, ground)
        if indices is not None:
            reader = Reader(binding, ground, indices)
            value = evaluate(condition, reader.attribute, reader.aggregate)
            asked = dict(_asked(condition, reader))
            told = ", ".join(_indices(condition, indices, ground))
            return Fails(print_expression(condition), value is None, asked, told)
    return None


def _asked(node: Expression, reader: Reader) -> Iterator[tuple[str, object]]:
    """The values that a condition is made of; of whole events there is nothing to tell."""
    match node:
        case Aggregate():
            yield print_expression(node), reader.aggregate(node)
        case Attribute() if node.path:
            yield print_expression(node), reader.attribute(node)
        case _:
            for part in children(node):
                yield from _asked(part, reader)


def _indices(condition: Expression, indices: dict[int, int], ground: Ground) -> Iterator[str]:
    """Which elements it is about: i = 3; with the variable where several have an index."""
    letters: dict[int, tuple[str, str]] = {}
    for node in walk(condition):
        if isinstance(node, Attribute):
            for level, kind in enumerate(node.indices):
                loop = ground.loops[node.variable][level]
                if kind not in _OF_ALL and loop not in letters:
                    letters[loop] = (INDEX_LETTERS[level], node.variable)
    alike = len({letter for letter, _ in letters.values()}) < len(letters)
    for loop, (letter, variable) in letters.items():
        yield f"{letter} = {indices[loop] + 1}{f' in {variable}' if alike else ''}"
