"""Passes over columns in the way of kernels: plain Python on few rows, machine code on many."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from inspect import getsource
from typing import Any

import numpy as np

from kleene.program.compile import compiled, plain

FEW = 20_000
"""Rows up to which plain Python is done sooner than machine code is loaded, or compiled."""


@dataclass(frozen=True)
class Helper:
    """A function whose parameters are of these kinds (`compile.compiled`), `S` for int32."""

    function: Callable[..., tuple[int, int]]
    kinds: tuple[str, ...]

    @cached_property
    def source(self) -> str:
        """The function as the source of a kernel."""
        annotations = "from __future__ import annotations\n\n\n"
        return f"{annotations}{getsource(self.function)}\n\nkernel = {self.function.__name__}\n"

    @cached_property
    def _parameters(self) -> tuple[tuple[str, str], ...]:
        return tuple((kind, kind) for kind in self.kinds)

    def __call__(self, rows: int, *arguments: Any) -> tuple[int, int]:
        """Its two results for so many rows; arrays that it writes are written in either way."""
        if rows > FEW:
            return compiled(self.source, self._parameters)(*arguments)
        lists = [each.tolist() if isinstance(each, np.ndarray) else each for each in arguments]
        found = plain(self.source)(*lists)
        for kind, given, written in zip(self.kinds, arguments, lists, strict=True):
            if kind in ("I", "F", "B"):
                given[:] = written
        return found
