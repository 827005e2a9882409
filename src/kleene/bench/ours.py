"""Kleene as a variant: on Spark, and in a process of one or two threads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow.parquet as pq

import kleene
from kleene.bench.answers import answer_of
from kleene.bench.experiment import Input, Job, Place, Variant
from kleene.bench.sparks import ON_SPARK, answer_on_spark, consume, session


def threads(number: int) -> Place:
    """A process on so many cores: libraries take as many threads as they have cores."""
    return Place(f"{number} thread{'' if number == 1 else 's'}", number)


@dataclass(frozen=True)
class Question:
    """A query in the language of Kleene, and the columns with the ids of the events in a match."""

    query: str
    ids: tuple[str, ...]
    type: str | None = "type"

    def on_spark(self) -> Variant:
        """Kleene on a DataFrame that is read from the file."""
        return Variant("Kleene on Spark", self._prepare_spark, ON_SPARK)

    def in_process(self, number: int) -> Variant:
        """Kleene on an Arrow table in memory."""
        place = threads(number)
        return Variant(f"Kleene, {place.name}", self._prepare_table, place)

    def _prepare_spark(self, given: Input) -> Job:
        events = session().read.parquet(str(given.events))
        return Job(
            run=lambda: consume(self._match(events)),
            answer=lambda found: answer_on_spark(found, self.ids),
        )

    def _prepare_table(self, given: Input) -> Job:
        events = pq.read_table(given.events)
        return Job(
            run=lambda: self._match(events),
            answer=lambda found: answer_of(found, self.ids),
        )

    def _match(self, events: Any) -> Any:
        return kleene.match(events, self.query, time="ts", type=self.type)
