"""A process in which variants run: it reads orders from its input, a JSON object a line."""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

from kleene.bench.experiment import Experiment, Input, Job, TooMuch, Unavailable


class Worker:
    """The prepared variants of an experiment, and what is asked of them."""

    def __init__(self, experiment: Experiment, *, quick: bool) -> None:
        self._cases = {case.name: case for case in experiment.cases(quick)}
        self._jobs: dict[tuple[str, str], Job] = {}
        self._last: dict[tuple[str, str], Any] = {}

    def prepare(self, case: str, variant: str, folder: str) -> dict[str, Any]:
        """Get a variant ready for its runs."""
        chosen = self._cases[case]
        given = Input(chosen.data.file(Path(folder)), Path(folder))
        try:
            self._jobs[case, variant] = chosen.variant(variant).prepare(given)
        except Unavailable as reason:
            return {"skipped": str(reason)}
        return {}

    def rest(self, case: str, variant: str) -> dict[str, Any]:
        """Let go of what was found last, so that no run cleans up behind another."""
        assert (case, variant) in self._jobs
        self._last.clear()
        gc.collect()
        return {}

    def run(self, case: str, variant: str) -> dict[str, Any]:
        """Run a variant once, by the clock."""
        job = self._jobs[case, variant]
        start = perf_counter()
        try:
            found = job.run()
        except TooMuch as reason:
            return {"exceeded": str(reason)}
        seconds = perf_counter() - start
        self._last[case, variant] = found
        return {"seconds": seconds}

    def answer(self, case: str, variant: str) -> dict[str, Any]:
        """What the last run found."""
        job = self._jobs[case, variant]
        if job.answer is None:
            return {"answer": None}
        return {"answer": list(job.answer(self._last[case, variant]))}

    def figures(self, case: str, variant: str) -> dict[str, Any]:
        """What else is told of a variant."""
        return {"figures": dict(self._jobs[case, variant].figures())}

    def close(self, case: str, variant: str) -> dict[str, Any]:
        """Let go of a variant."""
        self._last.clear()
        self._jobs.pop((case, variant)).close()
        return {}


def serve(worker: Worker, orders: Iterator[str]) -> Iterator[dict[str, Any]]:
    """The reply to each order; what breaks off is told, and the next order may do better."""
    for line in orders:
        order = json.loads(line)
        try:
            yield getattr(worker, order.pop("order"))(**order)
        except Exception as error:  # noqa: BLE001 - whatever a variant raises is its result
            yield {"failed": f"{type(error).__name__}: {error}"}


def main() -> None:
    """Serve the experiment of a module; what libraries print goes to the error output."""
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    module, quick = sys.argv[1:]
    experiment = importlib.import_module(module).EXPERIMENT
    for reply in serve(Worker(experiment, quick=quick == "quick"), iter(sys.stdin)):
        replies.write(json.dumps(reply) + "\n")
        replies.flush()


if __name__ == "__main__":
    main()
