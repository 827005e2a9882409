"""The worker processes of an experiment, seen from the one that conducts it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile
from types import TracebackType
from typing import Any, Self

import psutil

from kleene.bench.experiment import Place

_LAST_WORDS = 2000
_FAREWELL = 20
"""Seconds that a worker and its children have to end by themselves."""


def own_cores() -> list[int]:
    """The cores that this process may use, and give to others; none where a system does not say."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


class WorkerDied(Exception):  # noqa: N818 - what happened, not what went wrong in this process
    """A worker process ended while something was asked of it."""


class OutOfTime(WorkerDied):
    """A worker process was ended because what was asked of it took too long."""


class PlaceProcess:
    """The worker process of a place."""

    def __init__(self, place: Place, module: str, *, quick: bool) -> None:
        self._log = TemporaryFile("w+b")  # noqa: SIM115 - closed with the process
        variables = {
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": "127.0.0.1",
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),  # finds what this process finds
        }
        command = [sys.executable, "-m", "kleene.bench.worker", module, "quick" if quick else ""]
        self._process = subprocess.Popen(  # noqa: S603 - this program itself
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=variables,
            text=True,
        )
        if place.cores is not None:
            os.sched_setaffinity(self._process.pid, own_cores()[-place.cores :])

    @property
    def number(self) -> int:
        """The id of the process."""
        return self._process.pid

    def ask(self, order: str, seconds: float | None = None, **details: str) -> dict[str, Any]:
        """The reply to an order; who takes longer than so many seconds is ended."""
        orders, replies = self._process.stdin, self._process.stdout
        assert orders is not None
        assert replies is not None
        try:
            orders.write(json.dumps({"order": order, **details}) + "\n")
            orders.flush()
        except BrokenPipeError:
            raise WorkerDied(self._last_words()) from None
        with self._ended_after(seconds) as ended:
            line = replies.readline()
        if not line:
            if ended.is_set():
                raise OutOfTime(f"it takes more than {seconds:g} seconds")
            raise WorkerDied(self._last_words())
        reply: dict[str, Any] = json.loads(line)
        return reply

    @contextmanager
    def _ended_after(self, seconds: float | None) -> Iterator[threading.Event]:
        """End the process unless the block is left in time, and say so."""
        ended = threading.Event()

        def end() -> None:
            ended.set()
            self._process.kill()

        timer = None if seconds is None else threading.Timer(seconds, end)
        if timer is not None:
            timer.start()
        try:
            yield ended
        finally:
            if timer is not None:
                timer.cancel()

    def _last_words(self) -> str:
        status = self._process.wait()
        size = self._log.seek(0, os.SEEK_END)
        self._log.seek(max(size - _LAST_WORDS, 0))
        said = self._log.read().decode("utf-8", "replace").strip()
        return f"the process ended with status {status}: {said}"

    def stop(self) -> None:
        """End the process and all that it started."""
        try:
            family = psutil.Process(self.number).children(recursive=True)
        except psutil.NoSuchProcess:
            family = []
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        try:
            self._process.wait(_FAREWELL)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        _, alive = psutil.wait_procs(family, _FAREWELL)
        for process in alive:
            process.kill()
        self._log.close()


class Places:
    """The places of an experiment, each started when it is first asked for."""

    def __init__(self, module: str, *, quick: bool) -> None:
        self._module, self._quick = module, quick
        self._open: dict[str, PlaceProcess] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for process in self._open.values():
            process.stop()

    def process(self, place: Place) -> PlaceProcess:
        """The process of a place."""
        if place.name not in self._open:
            self._open[place.name] = self.fresh(place)
        return self._open[place.name]

    def fresh(self, place: Place) -> PlaceProcess:
        """Another process like that of a place, for whoever stops it."""
        return PlaceProcess(place, self._module, quick=self._quick)

    def forget(self, place: Place) -> None:
        """A process that died is not asked again."""
        self._open.pop(place.name).stop()
