"""How the work of a query is cut into shares that are matched apart: by keys, by time, or by both.

What matches groups of several shares tell is added up behind them: each share then tells keys and
parts of aggregates, and equal keys have one spelling. A whole event is no value that could be
brought together, for two of equal content are two; such groups stay within a share.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce

import pyarrow as pa

from kleene.errors import NOWHERE, UnknownOptionError
from kleene.language.expressions import Attribute
from kleene.language.measures import Grouping
from kleene.language.syntax import Strategy
from kleene.logical.algebra import And, Event, LogicalQuery, Node, Seq
from kleene.logical.output import OutputForm
from kleene.runtime.needs import skips
from kleene.runtime.slices import (
    WINDOWS_PER_SLICE_OF_KEY,
    Slices,
    first_variable,
    plan_slices,
)


@dataclass(frozen=True)
class Shares:
    """By what the input is cut: by partition keys, into slices of time, by both, or not at all."""

    keyed: bool
    slices: Slices | None

    @property
    def cuts(self) -> bool:
        """Whether it is cut at all."""
        return self.keyed or self.slices is not None


def plan_shares(query: LogicalQuery, form: OutputForm) -> Shares:
    """Shares by partition keys, or else by slices of time where these can be."""
    shares = _shares(query, form)
    return Shares(keyed=False, slices=None) if needs_one_share(query, shares) else shares


def plan_tasks(query: LogicalQuery, form: OutputForm, *, slices_keys: bool) -> Shares:
    """Shares for tasks that each take many; if asked to, partitions are cut by time as well.

    Which keys are large is not known before events are read, so then all keys are cut.
    """
    shares = plan_shares(query, form)
    if not (slices_keys and shares.keyed):
        return shares
    finer = replace(shares, slices=plan_slices(query, form, WINDOWS_PER_SLICE_OF_KEY))
    if finer.slices is None:
        raise _uncut_keys(_why_not_by_time(query, form)[0])
    if needs_one_share(query, finer):
        raise _uncut_keys("groups of one event may be found in several slices of time")
    if form is OutputForm.COUNT and _spelled_apart(query):
        raise _uncut_keys("counts of keys with floating numbers are not added up: 0.0 equals -0.0")
    return finer


def _uncut_keys(why: str) -> UnknownOptionError:
    reason = f"large_keys cannot be 'sliced' for this query: {why}"
    return UnknownOptionError(reason, NOWHERE, "large_keys='whole' is for all queries")


def _spelled_apart(query: LogicalQuery) -> bool:
    """Whether keys that are equal may look different, as the two zeros among doubles do."""
    kind, paths = query.resolved.shape.event_type, query.resolved.partition_by
    keys = (reduce(lambda held, name: held.field(name).type, path, kind) for path in paths)
    return any(map(_holds_float, keys))


def _holds_float(kind: pa.DataType) -> bool:
    inside = (kind.field(place).type for place in range(kind.num_fields))
    return pa.types.is_floating(kind) or any(map(_holds_float, inside))


def why_whole(query: LogicalQuery, form: OutputForm) -> str:
    """Why the whole input is matched in one place, and what would change it."""
    resolved = query.resolved
    if needs_one_share(query, _shares(query, form)):
        why = "groups of one event may be found in several places"
        how = "GROUP BY attributes of it, or by the partition key too"
    elif resolved.partition_by:
        why, how = "strict_contiguity is about the whole input", "partition_contiguity is not"
    elif resolved.window is None and not skips(query):
        why, how = "it has neither a window nor a partition key", "add WITHIN or PARTITION BY"
    else:
        why, how = _why_not_by_time(query, form)
    return f"{why}; {how}"


def _why_not_by_time(query: LogicalQuery, form: OutputForm) -> tuple[str, str]:
    """Why slices of time cannot be matched apart, and what would help without them."""
    resolved = query.resolved
    if skips(query):
        return "AFTER MATCH walks the matches of a partition in order", "PARTITION BY a key"
    if resolved.window is None:
        return "it has no window", "add WITHIN"
    if resolved.shape.imprecise:
        return "its time is imprecise", "PARTITION BY a key"
    if pa.types.is_decimal(resolved.shape.time_type):
        return "its time is a decimal", "cast it to double, or PARTITION BY a key"
    why = f"this pattern with output={form.value!r} cannot be cut into slices of time"
    return why, "PARTITION BY a key"


def _shares(query: LogicalQuery, form: OutputForm) -> Shares:
    """Matches can be found key by key; neighbours in the whole input cannot."""
    resolved = query.resolved
    keyed = bool(resolved.partition_by) and resolved.strategy is not Strategy.STRICT
    return Shares(keyed, None if keyed else plan_slices(query, form))


def span_shares(query: LogicalQuery, shares: Shares) -> bool:
    """Whether matches of one group may be found in several shares."""
    grouping = query.resolved.grouping
    if grouping is None:
        return False
    if not grouping.keys:
        return True  # also where there is one share: it may have no rows, and there is a row
    if shares.slices is not None:
        return first_variable(query) not in _events(grouping)
    if not shares.keyed:
        return False
    columns = {(key.variable, key.path) for key in _attributes(grouping)}
    whole = {("", path) for path in query.resolved.partition_by} <= columns
    return not whole and _always_bound(query.pattern).isdisjoint(_events(grouping))


def needs_one_share(query: LogicalQuery, shares: Shares) -> bool:
    """Whether groups that may span shares have a whole event as a key."""
    grouping = query.resolved.grouping
    return (
        grouping is not None
        and any(key.is_event for key in grouping.keys)
        and span_shares(query, shares)
    )


def _attributes(grouping: Grouping) -> Iterator[Attribute]:
    for key in grouping.keys:
        if isinstance(key.expression, Attribute):
            yield key.expression


def _events(grouping: Grouping) -> set[str]:
    """The single variables whose events are keys."""
    keys = _attributes(grouping)
    return {key.variable for key in keys if not key.path and not key.indices}


def _always_bound(node: Node) -> set[str]:
    """The single variables that every match binds."""
    match node:
        case Event():
            return {node.variable}
        case Seq() | And():
            return {name for part in node.parts for name in _always_bound(part)}
        case _:
            return set()


def partially(query: LogicalQuery) -> LogicalQuery:
    """The query that tells parts of aggregates in place of the rows that come back."""
    grouping = query.resolved.grouping
    assert grouping is not None, "there are parts of groups alone"
    return replace(query, resolved=replace(query.resolved, grouping=grouping.partial()))
