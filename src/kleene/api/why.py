"""`kleene.why`: whether a binding is a match, and if not for what reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kleene.api.frames import is_from, to_arrow
from kleene.api.options import Options, read_options
from kleene.api.plan import planner
from kleene.errors import NOWHERE, InputError
from kleene.language.syntax import Query
from kleene.verdict.asked import asked_rows
from kleene.verdict.judge import judge
from kleene.verdict.scene import Input
from kleene.verdict.verdict import Verdict


def why(  # noqa: PLR0913 - the roles of columns and the choices of a call
    events: Any,
    query: str | Query,
    binding: Mapping[str, object],
    *,
    time: str | tuple[str, str],
    type: str | None = None,  # noqa: A002 - the word that users know
    order_by: str | Sequence[str] = (),
    id: str | None = None,  # noqa: A002 - as type
    partition_by: str | Sequence[str] = (),
    options: Options | Mapping[str, object] | None = None,
) -> Verdict:
    """Whether a binding is a match of a query, and if not, the first thing that it fails at.

    `binding` is a dict from the variables that matches bind to events. An event is called by its
    id where the call names the column, else by the number of its row, from 0; or by a dict of
    columns that one event alone has. A Kleene variable has a list of events, a variable of a group
    a list with an element an iteration. A variable that is left out is unbound where the pattern
    lets it be; else it is the one event that it can be, and where there are several that is an
    error which lists them. Other arguments are those of `kleene.match`; a dataset is read as a
    whole, and of a DataFrame of Spark one takes a part, as in `events.where(…).toArrow()`.

    Looked at are, in this order: times, structure, partition, window, conditions, strategy,
    negations, AFTER MATCH. What that costs: two or three passes over the columns of time, key and
    type in Arrow; after that it is the definition that runs, in Python, on the binding alone, then
    for the strategy on the events of the partition between its first and last (or, for
    skip-till-next, until its window ends), and for each negation on events of its types in its
    place, in one window with the binding, that meet its conditions on them: some 50 microseconds
    an event, and for a negation of k events up to the k-th power of those that are left. AFTER
    MATCH runs the query itself on the partition. So a window, a key and a type keep it fast on
    any number of events; without a window a whole partition is looked at.

    >>> import pyarrow as pa
    >>> rows = pa.table({"t": [1, 2, 3], "kind": ["A", "B", "C"]})
    >>> print(why(rows, "SEQ(A a, !B b, C c)", {"a": 0, "c": 2}, time="t", type="kind").reason)
    b = B in row 1 lies between a and c
    """
    chosen = read_options(options)
    plan = planner(
        query,
        chosen,
        time=time,
        type=type,
        order_by=order_by,
        id=id,
        partition_by=partition_by,
    )
    whole = events.to_table() if is_from("pyarrow.dataset", "Dataset", events) else events
    table, _ = to_arrow(whole)
    logical = plan(table.schema)
    if logical.resolved.shape.imprecise:
        raise InputError(
            "why looks at bindings of events with one time each",
            NOWHERE,
            "with imprecise time a binding is a match in some of the possible worlds",
        )
    given = Input(logical, table)
    return judge(given, asked_rows(binding, given), chosen.limits)
