"""Every way in which Kleene says no: one exception type per cause, raising apart from rendering.

An error knows its `code`, its `reason`, the `span` of the query text it speaks of and its `hints`.
Where the text of the query is known, `str(error)` shows the line with a caret under the place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from typing import ClassVar, NamedTuple
from unicodedata import category, east_asian_width


class Span(NamedTuple):
    """A half-open range of character offsets in the text of a query."""

    start: int
    end: int

    def to(self, other: Span) -> Span:
        """The smallest span that covers both; NOWHERE covers nothing."""
        if self == NOWHERE:
            return other
        if other == NOWHERE:
            return self
        return Span(min(self.start, other.start), max(self.end, other.end))


NOWHERE = Span(-1, -1)


class KleeneError(Exception):
    """The base of everything that Kleene raises on purpose."""

    code: ClassVar[str] = "error"

    def __init__(self, reason: str, span: Span = NOWHERE, *hints: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.span = span
        self.hints = hints
        self.text: str | None = None
        self.query: str | None = None
        """The name of the query, where several are asked at once."""

    def within(self, text: str) -> KleeneError:
        """The same error, knowing the text in which its span lies."""
        self.text = text
        return self

    def __str__(self) -> str:
        return "\n".join(render(self))


class QuerySyntaxError(KleeneError):
    """The text is not a query."""

    code = "syntax"


class NestingError(KleeneError):
    """The query is nested deeper than Kleene follows."""

    code = "nesting"


class TooManyStatesError(KleeneError):
    """A pattern in which too many things may be open at a time under skip-till-next-match."""

    code = "too-many-states"


class UnknownVariableError(KleeneError):
    """A name that no pattern declares."""

    code = "unknown-variable"


class UnknownColumnError(KleeneError):
    """A column or field that the events do not have."""

    code = "unknown-column"


class UnknownTypeError(KleeneError):
    """A type of event that neither a column nor DEFINE can give."""

    code = "unknown-type"


class UnknownFunctionError(KleeneError):
    """A function that is unknown, or unknown where it stands."""

    code = "unknown-function"


class UnknownStrategyError(KleeneError):
    """A selection strategy that does not exist."""

    code = "unknown-strategy"


class UnknownOptionError(KleeneError):
    """An option of the call that does not exist, or a value that it cannot have."""

    code = "unknown-option"


class DuplicateNameError(KleeneError):
    """One name twice where it must be unique."""

    code = "duplicate-name"


class IndexUseError(KleeneError):
    """Wrong use of `b[i]`, `b[]` or the brackets of a variable."""

    code = "index-use"


class WindowError(KleeneError):
    """A window without a unit, of the wrong kind, or without extent."""

    code = "window"


class TypeMismatchError(KleeneError):
    """Values of unlike types compared or combined."""

    code = "type-mismatch"


class ScopeError(KleeneError):
    """A condition reaches a negated variable that it may not name."""

    code = "scope"


class ExclusiveVariablesError(KleeneError):
    """A condition names variables that no match binds together."""

    code = "exclusive"


class EmptyPatternError(KleeneError):
    """A pattern, branch or quantified part in which nothing positive is looked for."""

    code = "empty-pattern"


class QuantifierError(KleeneError):
    """Bounds that no number of events meets."""

    code = "quantifier"


class OutputError(KleeneError):
    """A form of output that the query cannot have."""

    code = "output"


class InputError(KleeneError):
    """Events that cannot be read as the call describes them."""

    code = "input"


class RunError(KleeneError):
    """A run that could not be carried out, though what was asked makes sense."""

    code = "run"


class BadRowsError(RunError):
    """Rows that are no events, where the call asked not to skip them."""

    code = "bad-rows"


class MissingLibraryError(RunError):
    """What was asked for needs a library that is not installed."""

    code = "missing-library"


class LimitError(RunError):
    """A limit of the call was reached."""

    code = "limit"


_MARGIN = 96
"""Characters of a line that are shown around the place, so that a huge line stays readable."""
_LONGEST_LINE = 1000
_LONGEST_SHOWN = 40
_FEWEST_LETTERS = 3


def render(error: KleeneError) -> list[str]:
    """The lines that show an error: reason, place, hints."""
    named = "" if error.query is None else f"query {quoted(error.query)}: "
    lines = [one_line(named + error.reason)]
    if error.text is not None and error.span != NOWHERE:
        lines.extend(excerpt(error.text, error.span))
    lines.extend(f"hint: {one_line(hint)}" for hint in error.hints)
    return lines


@contextmanager
def naming(query: str) -> Iterator[None]:
    """Errors in here say of which of several queries they are."""
    try:
        yield
    except KleeneError as error:
        error.query = query
        raise
    except Exception as error:
        error.add_note(f"in the query {quoted(query)}")
        raise


def one_line(text: str) -> str:
    """The text on one line, cut where a huge name or value would bury what is said."""
    return printable(text if len(text) <= _LONGEST_LINE else f"{text[:_LONGEST_LINE]}…")


def excerpt(text: str, span: Span) -> list[str]:
    r"""The line of the text on which a span starts, with carets under the span.

    >>> print("\n".join(excerpt("PATTERN A a\nWHERE a.x == 1", Span(22, 24))))
       2 | WHERE a.x == 1
         |           ^^
    """
    start = min(max(span.start, 0), len(text))
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", start)
    line_end = len(text) if line_end < 0 else line_end
    number = text.count("\n", 0, start) + 1
    left, right = max(line_start, start - _MARGIN), min(line_end, start + _MARGIN)
    before = ("…" if left > line_start else "") + printable(text[left:start])
    after = printable(text[start:right]) + ("…" if right < line_end else "")
    marked = printable(text[start : max(min(span.end, right), start)])
    gutter = f"{number:>4} | "
    carets = "^" * max(width(marked), 1)
    line = f"{gutter}{before}{after}".rstrip()
    return [line, f"{' ' * (len(gutter) - 2)}| {' ' * width(before)}{carets}"]


def printable(text: str) -> str:
    """The text on one line, with nothing in it that moves a terminal's cursor."""
    return "".join(c if c.isprintable() else " " if c.isspace() else "�" for c in text)


def shown(text: str) -> str:
    """A piece of a query as a message quotes it: on one line, and not longer than is helpful."""
    start = printable(text[:_LONGEST_SHOWN])
    return start if len(text) <= _LONGEST_SHOWN else f"{start[: _LONGEST_SHOWN - 3]}…"


def quoted(name: str) -> str:
    """A name of whatever letters as a message quotes it."""
    return f"'{shown(name)}'"


def width(text: str) -> int:
    """Columns that a text takes in a terminal."""
    return sum(
        0 if category(c) in ("Mn", "Me") else 2 if east_asian_width(c) in "WF" else 1 for c in text
    )


def closest(name: str, known: Iterable[str], alike: float = 0.6) -> str | None:
    """The known name that was probably meant: one of nearly the same letters, or with more.

    The more names are known, the more `alike` two should be.

    >>> closest("WHRE", ["WHERE", "WITHIN"]), closest("strict", ["strict_contiguity", "any"])
    ('WHERE', 'strict_contiguity')
    """
    if len(name) > _LONGEST_SHOWN:
        return None
    by_lower = {candidate.casefold(): candidate for candidate in known}
    lower = name.casefold()
    if close := get_close_matches(lower, by_lower, n=1, cutoff=alike):
        return by_lower[close[0]]
    longer = [candidate for candidate in by_lower if lower in candidate]
    if len(longer) == 1 and len(lower) >= _FEWEST_LETTERS:
        return by_lower[longer[0]]
    return None


def nearest(name: str, known: Iterable[str], alike: float = 0.6) -> tuple[str, ...]:
    """A hint that names the closest of the known names, or no hint."""
    found = closest(name, known, alike)
    return () if found is None else (f"did you mean {found}?",)
