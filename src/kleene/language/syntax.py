"""The syntax tree of a query: patterns and clauses, as the user wrote them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum

from kleene.errors import Span
from kleene.language.expressions import Duration, Expression, place


@dataclass(frozen=True, slots=True)
class Name:
    """A name in the text; variables are compared without case (semantics 7)."""

    text: str
    span: Span = place()

    @property
    def key(self) -> str:
        """What two spellings of one name have in common."""
        return self.text.casefold()


@dataclass(frozen=True, slots=True)
class Quantifier:
    """`+`, `*`, `?`, `{n,m}`; `?` differs from `{0,1}`: it binds a value, not an array."""

    low: int
    high: int | None
    optional: bool = False
    span: Span = place()


@dataclass(frozen=True, slots=True)
class EventPattern:
    """`T a`, `T+ b[]`, `T? c`, `ANY x`; `type` is None for ANY, `variable` None where left out."""

    type: Name | None
    variable: Name | None = None
    quantifier: Quantifier | None = None
    span: Span = place()


@dataclass(frozen=True, slots=True)
class Seq:
    """`SEQ(p1, …, pn)`."""

    parts: tuple[Pattern, ...]
    span: Span = place()


@dataclass(frozen=True, slots=True)
class And:
    """`AND(p1, …, pn)`."""

    parts: tuple[Pattern, ...]
    span: Span = place()


@dataclass(frozen=True, slots=True)
class Or:
    """`OR(p1, …, pn)`, also the infix union of paper 1."""

    parts: tuple[Pattern, ...]
    span: Span = place()


@dataclass(frozen=True, slots=True)
class Not:
    """`!p`, `~p`, `NOT p`."""

    body: Pattern
    span: Span = place()


@dataclass(frozen=True, slots=True)
class Repeat:
    """A quantified group: `p+`, `p*`, `p?`, `p{n,m}`."""

    body: Pattern
    quantifier: Quantifier
    span: Span = place()


@dataclass(frozen=True, slots=True)
class Exists:
    """`EXISTS c, d : p`."""

    variables: tuple[Name, ...]
    body: Pattern
    span: Span = place()


@dataclass(frozen=True, slots=True)
class Conditioned:
    """`(p : c1, c2)`: conditions written at a pattern."""

    body: Pattern
    conditions: tuple[Expression, ...]
    span: Span = place()


Pattern = EventPattern | Seq | And | Or | Not | Repeat | Exists | Conditioned


class Strategy(StrEnum):
    """Event selection strategies (semantics 4)."""

    ANY = "skip_till_any_match"
    NEXT = "skip_till_next_match"
    STRICT = "strict_contiguity"
    PARTITION = "partition_contiguity"


@dataclass(frozen=True, slots=True)
class StrategyClause:
    """A strategy, with the variables that it was written with inside WHERE."""

    strategy: Strategy
    variables: tuple[Name, ...] = ()
    span: Span = place()


@dataclass(frozen=True, slots=True)
class Definition:
    """`DEFINE Big AS amount > 1000`: a type given by a condition on the row."""

    name: Name
    condition: Expression
    span: Span = place()


@dataclass(frozen=True, slots=True)
class Column:
    """A column, or a field of one, by path."""

    path: tuple[str, ...]
    span: Span = place()


@dataclass(frozen=True, slots=True)
class Window:
    """`WITHIN w`: a duration, a number of time units, or a name, as the papers write it."""

    extent: Duration | int | Decimal | str
    span: Span = place()


class SkipMode(StrEnum):
    """`AFTER MATCH …` (semantics 4)."""

    NO_SKIP = "NO SKIP"
    CONSUME = "CONSUME"
    NEXT_EVENT = "SKIP TO NEXT EVENT"
    PAST_LAST = "SKIP PAST LAST EVENT"
    TO_FIRST = "SKIP TO FIRST"
    TO_LAST = "SKIP TO LAST"


@dataclass(frozen=True, slots=True)
class AfterMatch:
    """What a match does to those behind it."""

    mode: SkipMode
    variable: Name | None = None
    span: Span = place()


@dataclass(frozen=True, slots=True)
class Confidence:
    """`CONFIDENCE >= p`."""

    threshold: Decimal
    span: Span = place()


@dataclass(frozen=True, slots=True)
class ReturnItem:
    """An expression of RETURN and its alias."""

    expression: Expression
    alias: Name | None = None
    span: Span = place()


@dataclass(frozen=True, slots=True)
class GroupBy:
    """`GROUP BY a.x, b.y HAVING count(*) > 1`, behind what RETURN lists; `()` is no key."""

    keys: tuple[Expression, ...]
    having: tuple[Expression, ...] = ()
    span: Span = place()


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query. `str(query)` is text that parses to an equal query."""

    pattern: Pattern
    definitions: tuple[Definition, ...] = ()
    where: tuple[Expression, ...] = ()
    partition_by: tuple[Column, ...] = ()
    strategy: StrategyClause | None = None
    within: Window | None = None
    confidence: Confidence | None = None
    after_match: AfterMatch | None = None
    returns: tuple[ReturnItem, ...] = ()
    group_by: GroupBy | None = None
    text: str = field(default="", compare=False, repr=False)

    def __str__(self) -> str:
        from kleene.language.print_query import print_query  # noqa: PLC0415 - it imports the nodes

        return print_query(self)


def pattern_children(node: Pattern) -> tuple[Pattern, ...]:
    """The patterns directly below a pattern."""
    match node:
        case EventPattern():
            return ()
        case Seq() | And() | Or():
            return node.parts
        case Not() | Repeat() | Exists() | Conditioned():
            return (node.body,)


def walk_patterns(node: Pattern) -> Iterator[Pattern]:
    """A pattern and everything below it, parents first, left to right."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        pending.extend(reversed(pattern_children(current)))
