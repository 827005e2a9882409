"""Writing Python: lines, indentation, names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager


class Writer:
    """Lines of Python under construction."""

    def __init__(self, depth: int = 0) -> None:
        self.lines: list[str] = []
        self._depth = depth

    def put(self, *lines: str) -> None:
        """Add lines at the current indentation."""
        self.lines.extend("    " * self._depth + line for line in lines)

    @contextmanager
    def block(self, header: str) -> Iterator[None]:
        """Lines under a header such as `if x:`."""
        self.put(header)
        self._depth += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.put("pass")
        self._depth -= 1

    def splice(self, lines: Iterable[str]) -> None:
        """Add lines that were written for indentation zero."""
        self.put(*lines)

    def text(self) -> str:
        """The whole."""
        return "\n".join(self.lines) + "\n"
