"""How many partial matches each method makes, by hand."""

from __future__ import annotations

import pyarrow as pa
import pytest

from kleene.api.options import Options
from kleene.api.plan import planner
from kleene.optimizer.methods import Method
from kleene.runtime.tally import Tally, tally


@pytest.mark.parametrize(
    ("types", "method", "expected"),
    [
        # a1, and each of 7 choices of b, of which those that end in time go on to c
        ("ABBBC", Method.NFA, Tally(runs=1 + 7 + 7, built=0, matches=7)),
        ("ABBBC", Method.POSTPONING, Tally(runs=2, built=7, matches=7)),
        ("ABBBC", Method.EARLY_FILTERS, Tally(runs=2, built=7, matches=7)),
        ("ABBBC", Method.PATHS, Tally(runs=2, built=7, matches=7)),
        # without an end a cloning automaton has made all of its runs in vain
        ("ABBB", Method.NFA, Tally(runs=0, built=0, matches=0)),
        ("CABBB", Method.NFA, Tally(runs=1 + 7, built=0, matches=0)),
        ("CABBB", Method.POSTPONING, Tally(runs=1, built=0, matches=0)),
        ("CABBB", Method.PATHS, Tally(runs=1, built=0, matches=0)),
    ],
)
def test_partial_matches(types: str, method: Method, expected: Tally) -> None:
    table = pa.table({"t": range(len(types)), "type": list(types)})
    query = planner(
        "SEQ(A a, B+ b[], C c)",
        Options(),
        time="t",
        type="type",
        order_by=(),
        id=None,
        partition_by=(),
    )(table.schema)
    assert tally(query, table, method) == expected


def test_paths_do_not_bind_what_leads_to_no_end() -> None:
    table = pa.table({"t": range(6), "type": list("ABBBBC"), "x": [0, 5, 1, 2, 3, 9]})
    text = "SEQ(A a, B+ b[], C c) WHERE b[i].x > b[i-1].x AND last(b[].x) = 3"
    query = planner(text, Options(), time="t", type="type", order_by=(), id=None, partition_by=())(
        table.schema
    )
    assert tally(query, table, Method.PATHS) == Tally(runs=2, built=7, matches=4)
    assert tally(query, table, Method.POSTPONING) == Tally(runs=2, built=8, matches=4)
