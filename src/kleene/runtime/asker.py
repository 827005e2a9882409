"""Answers to what kernels ask: conditions evaluated by the rules of `logical.values`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kleene.language.expressions import Aggregate, Attribute
from kleene.language.indices import RANGES
from kleene.language.user_aggregates import UserAggregate
from kleene.logical.decide import aggregated
from kleene.logical.values import evaluate
from kleene.program.columns import ALONE, Question, Reading
from kleene.program.kernel import Kernel
from kleene.program.questions import FALSE, NULL, TRUE, attributes
from kleene.runtime.arrange import Arranged
from kleene.runtime.rows import Rows

Asking = Callable[[int, Sequence[int]], int]
_ANSWERS = {True: TRUE, False: FALSE, None: NULL}


class Asker:
    """Knows the events of some partitions as Python values, of the columns that are asked about.

    Machine code cannot be left by an exception, so one is kept until the kernel returns.
    """

    def __init__(self, kernel: Kernel, arranged: Arranged, events: range) -> None:
        self._questions = [
            Answers(question, kernel.query.aggregates) for question in kernel.columns.questions
        ]
        self._first = events.start
        self._columns: dict[tuple[str, ...], list[object]] = {}
        self._failure: BaseException | None = None
        paths = {path for question in self._questions for path in question.paths}
        if paths:
            rows = Rows(arranged.source.take(arranged.rows[events.start : events.stop]), {})
            self._columns = {path: rows.attribute(path).to_pylist() for path in paths}

    def of(self, memory: Mapping[str, Any]) -> Asking:
        """What a call of a kernel asks, whose buffers are there."""

        def asking(number: int, words: Sequence[int]) -> int:
            try:
                return _ANSWERS[self._questions[number].answer(words, memory, self._value)]
            except BaseException as failure:  # noqa: BLE001 - raised again by `check`
                self._failure = failure
                return NULL

        return asking

    def check(self) -> None:
        """Raise what went wrong since the last time."""
        if self._failure is not None:
            raise self._failure

    def _value(self, path: tuple[str, ...], event: int) -> object:
        """The value of an attribute; a whole event is no null."""
        return self._columns[path][event - self._first] if path else {}


class Answers:
    """A question, and what of it need not be found out again each time."""

    def __init__(self, question: Question, aggregates: Mapping[str, UserAggregate]) -> None:
        self._question = question
        self._aggregates = aggregates
        found = list(attributes(question.condition))
        self.paths = {attribute.path for attribute, _ in found if attribute.path}

    def answer(
        self,
        words: Sequence[int],
        memory: Mapping[str, Any],
        value: Callable[[tuple[str, ...], int], object],
    ) -> Any:
        """The condition for the events that the words say."""
        events = self._question.events
        at = dict(zip(events, words, strict=False))
        ranges: dict[Reading, Sequence[int]] = {}
        for place, (reading, buffer) in enumerate(self._question.ranges):
            start, end = words[len(events) + 2 * place : len(events) + 2 * place + 2]
            ranges[reading] = (start,) if buffer == ALONE else memory[f"b{buffer}"][start:end]

        def attribute(node: Attribute) -> object:
            return value(node.path, at[node.variable, node.indices])

        def aggregate(node: Aggregate) -> object:
            (ranged,) = {
                (found.variable, found.indices)
                for found, _ in attributes(node.argument)
                if not RANGES.isdisjoint(found.indices)
            }

            def each(event: int) -> object:
                def inner(found: Attribute) -> object:
                    if (found.variable, found.indices) == ranged:
                        return value(found.path, event)
                    return attribute(found)

                return evaluate(node.argument, inner, aggregate)

            values = [each(int(event)) for event in ranges[ranged] if event >= 0]
            return aggregated(node.name, values, self._aggregates)

        return evaluate(self._question.condition, attribute, aggregate)
