"""A query with a stream, and what the query means for it: what differential tests compare with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random

from hypothesis import strategies as st
from hypothesis.vendor.pretty import RepresentationPrinter

from kleene.language.resolve import resolve
from kleene.language.schema import EventShape
from kleene.language.syntax import Query
from kleene.logical.algebra import LogicalQuery
from kleene.logical.binding import Value
from kleene.logical.build import build
from kleene.logical.history import KnownRow
from kleene.logical.meaning import Match, Meaning, meaning
from support.generators.drawing import Drawer, drawn
from support.generators.notation import notation_of
from support.generators.profile import PRECISE, Profile
from support.generators.queries import make_query
from support.generators.streams import Roles, make_stream
from support.streams import Rows, Stream


@dataclass(frozen=True)
class Sample:
    """A query, a stream, and the roles of the stream's columns."""

    query: Query
    stream: Stream
    roles: Roles

    def __repr__(self) -> str:
        """The sample as text, which reads like a case of meaning."""
        plain = Roles()
        names = ("type", "id", "order_by", "partition_by", "pmf")
        changed = [(name, getattr(self.roles, name)) for name in names]
        told = [f"{n} = {v!r}" for n, v in changed if v != getattr(plain, n)]
        events = f"events = {notation_of(self.stream)}"
        return "\n".join(["", str(self.query), events, *told, ""])

    def _repr_pretty_(self, printer: RepresentationPrinter, cycle: bool) -> None:  # noqa: ARG002, FBT001 - a protocol
        """How hypothesis shows it."""
        printer.text(repr(self))

    @property
    def rows(self) -> Rows:
        """The rows, as they are stored."""
        return self.stream.rows

    @cached_property
    def shape(self) -> EventShape:
        """What resolution needs to know of the stream."""
        roles = self.roles
        return EventShape(
            self.stream.schema,
            roles.time,
            roles.type,
            roles.id,
            roles.order_by,
            roles.partition_by,
            roles.pmf,
        )

    @cached_property
    def logical(self) -> LogicalQuery:
        """The resolved query as algebra."""
        return build(resolve(self.query, self.shape))

    @cached_property
    def meaning(self) -> Meaning:
        """What the denotation says."""
        return meaning(self.logical, self.rows)

    @cached_property
    def found(self) -> Counter[str]:
        """The matches as text, with range and confidence, each as often as it comes."""
        return Counter(shown(match, self.meaning.rows) for match in self.meaning.matches)

    @property
    def bindings(self) -> Counter[str]:
        """The matches as text, without range and confidence."""
        return Counter(bound(match, self.meaning.rows) for match in self.meaning.matches)

    def asking(self, query: Query) -> Sample:
        """Another query about the same stream."""
        return replace(self, query=query)

    def over(self, rows: Rows) -> Sample:
        """The same query about other rows."""
        return replace(self, stream=Stream(rows, self.stream.schema))


def shown(match: Match, rows: Sequence[KnownRow]) -> str:
    """A match as text: rows equal in content are the same there."""
    confidence = "" if match.confidence == 1 else f" {float(match.confidence):.9f}"
    return f"{bound(match, rows)} @ {match.start}..{match.end}{confidence}"


def bound(match: Match, rows: Sequence[KnownRow]) -> str:
    """The binding of a match as text, as the cases of meaning write it."""
    return " ".join(f"{name}={_events(value, rows)}" for name, value in match.binding.items())


def _events(value: Value, rows: Sequence[KnownRow]) -> str:
    match value:
        case int():
            return str(rows[value].row["id"])
        case tuple():
            return "[" + " ".join(_events(item, rows) for item in value) + "]"
        case _:
            return "-"


def samples(profile: Profile = PRECISE) -> st.SearchStrategy[Sample]:
    """Queries with streams that they often match."""
    return drawn(lambda drawer: make_sample(drawer, profile))


def sample_of(seed: int, profile: Profile = PRECISE) -> Sample:
    """The same sample whenever it is asked for: for runs of many thousands, without shrinking."""
    return make_sample(Drawer(Random(seed)), profile)  # noqa: S311 - nothing secret


def make_sample(drawer: Drawer, profile: Profile) -> Sample:
    """A query first, then a stream for it."""
    moments = profile.timestamps and not profile.imprecise and drawer.chance(10)
    query = make_query(drawer, profile, timestamps=moments)
    return Sample(query, *make_stream(drawer, profile, query))
