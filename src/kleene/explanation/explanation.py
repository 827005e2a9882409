"""What is told about a query: sections of lines, as text or for a notebook."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from kleene.explanation.draw import drawn, facts
from kleene.explanation.tree import Branch
from kleene.optimizer.growth import Growth

Facts = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Explanation:
    """How a query is understood and evaluated; printing it shows all of it."""

    query: str
    """The query in its canonical spelling."""
    stages: Facts
    """What the clauses come to: time, types, partitions, window, strategy, output."""
    pattern: Branch
    """The pattern, with each condition where it is decided."""
    levels: Branch | None
    """Of a pattern with negations: what is looked for, what rejects it, what excuses that."""
    evaluation: Facts
    """How matches are found, and where."""
    complexity: Facts
    """How hard it is to decide whether there is a match, to find all, and how many there are."""
    growth: Growth
    """How many matches there can be."""
    warnings: tuple[str, ...]
    """What may take long, or fill the memory, and what to do about it."""
    kernel: str | None = None
    """The source of the generated kernel, if it was asked for."""

    def sections(self) -> list[tuple[str, list[str]]]:
        """The titles and lines of what is shown."""
        found = [
            ("query", self.query.split("\n")),
            ("stages", facts(self.stages)),
            ("pattern", drawn(self.pattern)),
        ]
        if self.levels is not None:
            found.append(("negation", drawn(self.levels)))
        found += [
            ("evaluation", facts(self.evaluation)),
            ("complexity", facts(self.complexity)),
        ]
        if self.warnings:
            found.append(("warnings", list(self.warnings)))
        if self.kernel is not None:
            found.append(("kernel", self.kernel.rstrip("\n").split("\n")))
        return found

    def __str__(self) -> str:
        lines = []
        for title, body in self.sections():
            lines += [title, *(f"  {line}".rstrip() for line in body), ""]
        return "\n".join(lines[:-1])

    def _repr_html_(self) -> str:
        parts = (
            f"<h4>{escape(title)}</h4><pre>{escape(chr(10).join(body))}</pre>"
            for title, body in self.sections()
        )
        return f"<div>{''.join(parts)}</div>"
