"""Whether a binding is a match, and why not: as fields, as text, or for a notebook."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from kleene.errors import printable, width
from kleene.explanation.draw import drawn
from kleene.explanation.tree import Branch
from kleene.logical.binding import Value
from kleene.verdict.game import Line, Move
from kleene.verdict.reasons import Cause, Reason
from kleene.verdict.witness import Bound, plain


@dataclass(frozen=True)
class Verdict:
    """What `kleene.why` found; printing it shows all of it."""

    binding: Mapping[str, Value]
    """The rows of the variables; with what the call left out, where the pattern could be laid."""
    events: tuple[Bound, ...]
    """The events of the binding, element by element."""
    reason: Reason | None
    """The first thing that the binding fails at; None for a match."""
    negations: tuple[Line, ...]
    """What the negations had against it, as far as it came to that."""
    columns: tuple[str, ...]
    """The columns that are shown of each event."""

    @property
    def is_match(self) -> bool:
        """Whether `kleene.match` has it among the matches."""
        return self.reason is None

    @property
    def cause(self) -> Cause | None:
        """What the binding fails at, in a word."""
        return None if self.reason is None else self.reason.cause

    def sections(self) -> list[tuple[str, list[str]]]:
        """The titles and lines of what is shown."""
        told = "a match" if self.reason is None else f"no match, because {self.reason}"
        found = [("", [printable(told)]), ("binding", _table(self.events, self.columns))]
        found += [
            ("negation", [*drawn(_branch(line)), *self._witnesses(line)]) for line in self.negations
        ]
        return [(title, body) for title, body in found if body]

    def _witnesses(self, line: Line) -> list[str]:
        """The events that negations speak of, each once, with their columns."""
        found = {event.label + str(event.event): event for event in _spoken_of(line)}
        return ["", *_table(tuple(found.values()), self.columns)] if found else []

    def __str__(self) -> str:
        (_, verdict), *rest = self.sections()
        lines = [*verdict]
        for title, body in rest:
            lines += ["", title, *(f"  {line}".rstrip() for line in body)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        parts = (
            (f"<h4>{escape(title)}</h4>" if title else "")
            + f"<pre>{escape(chr(10).join(body))}</pre>"
            for title, body in self.sections()
        )
        return f"<div>{''.join(parts)}</div>"


def _branch(line: Line) -> Branch:
    """A negation as a tree: its moves, what answers them, and what answers that."""
    moves = [*line.fallen, *([] if line.standing is None else [line.standing])]
    said = () if moves else ("there is none that counts",)
    if more := line.number_fallen - len(line.fallen):
        said = (f"{more:,} more that fell",)
    parts = tuple(_move(move, line.level) for move in moves)
    return Branch(f"NOT {line.negated}, {line.place}", said, (), parts)


def _move(move: Move, level: int) -> Branch:
    side = "against it" if level % 2 else "for it"
    fate = ("stands" if move.stands else "falls") if move.answers else ""
    return Branch(f"{side}: {move}", (fate,) if fate else (), (), tuple(map(_branch, move.answers)))


def _spoken_of(line: Line) -> Iterator[Bound]:
    for move in (*line.fallen, *([] if line.standing is None else [line.standing])):
        yield from move.events
        for answer in move.answers:
            yield from _spoken_of(answer)


def _table(events: Sequence[Bound], columns: Sequence[str]) -> list[str]:
    """Events, one a line: the variable, what it is called, and some columns."""
    rows = [
        (e.label, str(e.event), *(f"{n} {plain(e.event.columns[n])}" for n in columns))
        for e in events
    ]
    cells = [[printable(cell) for cell in row] for row in rows]
    wide = [max(map(width, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join(
            cell + " " * (size - width(cell)) for cell, size in zip(row, wide, strict=True)
        ).rstrip()
        for row in cells
    ]
