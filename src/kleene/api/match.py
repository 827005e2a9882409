"""`kleene.match`: the matches of a query among events."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa

from kleene.api.frames import to_arrow
from kleene.api.options import Options, read_options
from kleene.errors import NOWHERE, BadRowsError, UnknownOptionError, nearest
from kleene.language.expressions import Duration
from kleene.language.parser import parse
from kleene.language.resolve import resolve
from kleene.language.schema import EventShape, is_number
from kleene.language.syntax import Query
from kleene.logical.build import build
from kleene.logical.meaning import meaning
from kleene.logical.output import OutputForm, output_rows, output_schema


class BadRowsWarning(UserWarning):
    """Some rows were no events, and took no part in the matching."""


def match(  # noqa: PLR0913 - the roles of columns and the choices of a call
    events: Any,
    query: str | Query,
    *,
    time: str | tuple[str, str],
    type: str | None = None,  # noqa: A002 - the word that users know
    order_by: str | Sequence[str] = (),
    id: str | None = None,  # noqa: A002 - as type
    partition_by: str | Sequence[str] = (),
    output: str = "matches",
    options: Options | Mapping[str, object] | None = None,
) -> Any:
    """The matches of a query among events, as the same kind of frame that the events came in.

    >>> import pyarrow as pa
    >>> clicks = pa.table({"t": [1, 2, 3], "event": ["Search", "Review", "Purchase"]})
    >>> pattern = (
    ...     "PATTERN SEQ(Search s, Purchase p) WITHIN 10 RETURN s.t AS searched, p.t AS bought"
    ... )
    >>> match(clicks, pattern, time="t", type="event").to_pylist()
    [{'searched': 1, 'bought': 3}]
    """
    chosen = read_options(options)
    form = _form(output)
    table, back = to_arrow(events)
    parsed = parse(query) if isinstance(query, str) else query
    shape = EventShape(
        schema=table.schema,
        time=(time,) if isinstance(time, str) else tuple(time),
        type=type,
        id=id,
        order_by=_names(order_by),
        partition_by=_names(partition_by),
        probabilities=chosen.pmf,
    )
    logical = build(resolve(parsed, shape, chosen.aggregates))
    schema = output_schema(logical, form)
    found = meaning(logical, table.to_pylist(), _unit(chosen, logical.resolved.shape))
    if found.bad_rows:
        _report(found.bad_rows, chosen)
    rows = list(output_rows(logical, form, found))
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    arrays = [pa.array(c, f.type) for c, f in zip(columns, schema, strict=True)]
    return back(pa.Table.from_arrays(arrays, schema=schema))


def _names(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _form(output: str) -> OutputForm:
    if output in set(OutputForm):
        return OutputForm(output)
    forms = ", ".join(OutputForm)
    raise UnknownOptionError(
        f"output cannot be {output!r}: it is one of {forms}", NOWHERE, *nearest(output, OutputForm)
    )


def _unit(options: Options, shape: EventShape) -> int | Decimal:
    """The distance of two points of the time line, in the numbers that times are kept in."""
    unit = options.quantity_of_unit()
    if not shape.imprecise:
        return 1
    if is_number(shape.time_type):
        if isinstance(unit, Duration):
            raise UnknownOptionError(f"{shape.time[0]} is a number, so unit must be one")
        return 1 if unit is None else unit
    if not isinstance(unit, Duration):
        raise UnknownOptionError(
            "imprecise timestamps need the unit of their time line",
            NOWHERE,
            'for example options=kleene.Options(unit="1 second")',
        )
    return unit.microseconds


def _report(bad_rows: int, options: Options) -> None:
    """Rows that are no events are never dropped in silence (semantics 1)."""
    text = f"{bad_rows} row{' is' if bad_rows == 1 else 's are'} no event: without a valid time"
    if options.bad_rows == "error":
        raise BadRowsError(text)
    warnings.warn(text, BadRowsWarning, stacklevel=3)
