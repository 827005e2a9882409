"""Expressions over one event with an attribute of each type, resolved without a query."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal

import pyarrow as pa

from kleene.language.cursor import Cursor
from kleene.language.expressions import (
    Aggregate,
    Attribute,
    Call,
    Expression,
    IndexKind,
    Reference,
)
from kleene.language.functions import AGGREGATES
from kleene.language.parse_expression import parse_expression
from kleene.language.traversal import rebuild

EVENT: dict[str, tuple[pa.DataType, object]] = {
    "tiny": (pa.int8(), 100),
    "whole": (pa.int32(), 2147483647),
    "long": (pa.int64(), 2**63 - 1),
    "least": (pa.int64(), -(2**63)),
    "minus": (pa.int64(), -7),
    "single": (pa.float32(), 0.10000000149011612),
    "double": (pa.float64(), 2.5),
    "nan": (pa.float64(), math.nan),
    "infinite": (pa.float64(), math.inf),
    "price": (pa.decimal128(10, 2), Decimal("123.45")),
    "fine": (pa.decimal128(38, 18), Decimal("-3.141592653589793238")),
    "wide": (pa.decimal128(38, 0), Decimal("9" * 38)),
    "text": (pa.string(), "héllo wörld😀"),
    "number": (pa.string(), " 42 "),
    "lines": (pa.large_string(), "one\ntwo"),
    "word": (pa.dictionary(pa.int32(), pa.string()), "word"),
    "raw": (pa.binary(), b"a\xff"),
    "day": (pa.date32(), dt.date(2024, 2, 29)),
    "ts": (
        pa.timestamp("us", "UTC"),
        dt.datetime(2024, 2, 29, 23, 59, 58, 123456, tzinfo=dt.UTC),
    ),
    "ntz": (pa.timestamp("us"), dt.datetime(2024, 2, 29, 1, 2, 3)),  # noqa: DTZ001 - without a zone
    "span": (pa.duration("us"), dt.timedelta(hours=10)),
    "back": (pa.duration("us"), dt.timedelta(microseconds=-3)),
    "clock": (pa.time64("us"), dt.time(12, 30)),
    "months": (pa.month_day_nano_interval(), pa.MonthDayNano((1, 2, 3))),
    "flag": (pa.bool_(), True),
    "unsure": (pa.bool_(), None),
    "list": (pa.list_(pa.int64()), [1, None, 2]),
    "words": (pa.list_(pa.string()), ["a", None, "b"]),
    "floats": (pa.list_(pa.float64()), [1.0]),
    "map": (pa.map_(pa.string(), pa.int64()), [("a", 1), ("b", None)]),
    "place": (pa.struct([("x", pa.int64()), ("y", pa.string())]), {"x": None, "y": "here"}),
    "lost": (pa.int64(), None),
    "mute": (pa.string(), None),
    "never": (pa.date32(), None),
    "nowhere": (pa.list_(pa.int64()), None),
}
"""The attributes of the event `a`: name, type, value."""

WHOLE_EVENT = pa.struct([(name, type_) for name, (type_, _) in EVENT.items()])


def read(text: str) -> Expression:
    """The expression that a text spells: `a` is the event, `r[]` stands below aggregates."""
    return _resolved(parse_expression(Cursor(text)))


def _resolved(node: Expression) -> Expression:
    if isinstance(node, Reference):
        indices = tuple(index.kind for index in node.indices)
        type_ = EVENT[node.path[0]][0] if node.path else WHOLE_EVENT
        return Attribute(node.variable, indices, node.path, type_, node.span)
    resolved = rebuild(node, _resolved)
    if isinstance(resolved, Call) and resolved.name in AGGREGATES:
        return Aggregate(resolved.name, resolved.arguments[0], resolved.span)
    return resolved


def attribute(node: Attribute) -> object:
    """What an attribute of the event `a` is worth; an event itself is a dict."""
    assert IndexKind.ALL not in node.indices
    if not node.path:
        return {name: value for name, (_, value) in EVENT.items()}
    return EVENT[node.path[0]][1]
