"""Conditions written as functions of positions, and compared with their evaluation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import numba
import numpy as np

from kleene.language.expressions import Aggregate, Attribute, Expression
from kleene.language.parser import parse
from kleene.language.printer import print_expression
from kleene.language.resolve import resolve
from kleene.language.schema import EventShape
from kleene.logical.aggregates import aggregate_values
from kleene.logical.history import field
from kleene.logical.values import evaluate
from kleene.program.assemble import compilable
from kleene.program.columns import Columns
from kleene.program.conditions import Translator, aggregate_code
from kleene.program.support import FUNCTIONS, NAMES
from kleene.program.text import Operand
from kleene.runtime.asker import Answers
from kleene.runtime.columns import Loaded
from support.loading import load
from support.typed_events import COUNT, SCHEMA, rows, table

Kernel = Callable[..., tuple[bool, bool]]
RANGED: list[int] = []
"""The elements of `r`."""


def conditions(text: str) -> list[Expression]:
    """The conjuncts of a condition, resolved."""
    query = parse(f"PATTERN SEQ(A a, A b, A+ r[], A d) WHERE {text}")
    shape = EventShape(SCHEMA, ("t",), type="kind")
    return [conjunct.condition for conjunct in resolve(query, shape).conjuncts]


@dataclass(frozen=True)
class Written:
    """A condition as the source of a function of positions, and its columns."""

    condition: Expression
    source: str
    columns: Columns
    loaded: Loaded

    @property
    def text(self) -> str:
        return print_expression(self.condition)

    def function(self) -> Kernel:
        namespace: dict[str, Any] = dict(NAMES)
        exec(self.source, namespace)  # noqa: S102 - that is what is tested
        kernel: Kernel = namespace["kernel"]
        return kernel

    def lists(self) -> list[Any]:
        """The arguments of the function as it is."""
        values, masks, literals = self.loaded.lists()
        pairs = zip(values, masks, strict=True)
        return [*(each for pair in pairs for each in pair), literals, self.asking]

    def asking(self, number: int, words: tuple[int, ...]) -> int:
        """The answers to what the condition asks."""
        question = self.columns.questions[number]
        memory = {"b0": RANGED}
        found = Answers(question, {}).answer(words, memory, lambda path, p: field(rows()[p], path))
        return {True: 1, False: 0, None: 2}[found]

    def arrays(self) -> list[Any]:
        """The arguments of the compiled function."""
        pairs = zip(self.loaded.values, self.loaded.masks, strict=True)
        return [*(each for pair in pairs for each in pair), self.loaded.literals, 0]


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as machine code."""
    for helper in FUNCTIONS:
        compilable(helper)
    njit: Any = numba.njit
    found: Callable[..., Any] = njit(function)
    return found


def position(attribute: Attribute) -> str:
    return "p" if attribute.variable == "r" else f"r_{attribute.variable}"


def write(condition: Expression) -> Written:
    """The condition as a function; aggregates are computed in loops over the positions `r`."""
    columns = Columns(SCHEMA)
    lines: list[str] = []
    computed: dict[int, Operand] = {}

    def aggregate(node: Aggregate) -> Operand:
        if id(node) not in computed:
            code = aggregate_code(node, Translator(columns, position, aggregate), f"g{len(lines)}")
            computed[id(node)] = code.result
            lines.extend([*code.before, "for p in r:", *(f"    {line}" for line in code.each)])
            lines.extend(code.after)
        return computed[id(node)]

    translator = Translator(columns, position, aggregate, lambda _: (0, "0", "len(r)"))
    truth = translator.truth(condition)
    lines.append(f"return {truth.true}, {truth.false}")
    names = [f"{letter}{i}" for i in range(len(columns.specs)) for letter in "cm"]
    header = f"def kernel({', '.join([*names, 'lit', 'asking', 'r_a', 'r_b', 'r_d', 'r'])}):"
    source = "\n".join([header, *(f"    {line}" for line in lines)])
    return Written(condition, source, columns, load(table(), columns))


def expected(condition: Expression, chosen: dict[str, int], ranged: list[int]) -> object:
    """What the logical stage says."""

    def attribute(node: Attribute) -> object:
        return field(rows()[chosen[node.variable]], node.path)

    def aggregate(node: Aggregate) -> object:
        def each(place: int) -> object:
            inner = {**chosen, "r": place}
            return evaluate(
                node.argument, lambda leaf: field(rows()[inner[leaf.variable]], leaf.path), fail
            )

        return aggregate_values(node.name, [each(place) for place in ranged])

    return evaluate(condition, attribute, aggregate)


def fail(node: object) -> object:
    raise AssertionError(node)


def check(
    written: Written, kernel: Kernel, arguments: list[Any], random: Random, times: int
) -> int:
    """Compare a condition at random positions; how many were compared."""
    for _ in range(times):
        chosen = {name: random.randrange(COUNT) for name in "abd"}
        ranged = np.array(
            [random.randrange(COUNT) for _ in range(random.choice((0, 1, 2, 5)))], int
        )
        RANGED[:] = ranged.tolist()
        found = kernel(*arguments, *chosen.values(), ranged)
        truth = expected(written.condition, chosen, ranged.tolist())
        context = f"{written.text}\n{written.source}\n{chosen} {ranged} {truth}"
        assert found == (truth is True, truth is False), context
        assert [type(one) for one in found] == [bool, bool], context
    return times
