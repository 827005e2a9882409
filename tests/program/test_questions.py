"""What kernels ask of Python is decided as the denotation decides it, also in machine code."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from random import Random

import pyarrow as pa
import pytest

import kleene
from kleene.api.options import Options
from kleene.api.plan import planner
from kleene.language.user_aggregates import UserAggregate
from kleene.logical.meaning import meaning
from kleene.logical.output import OutputForm, to_table
from kleene.program.kernel import plan_kernel
from kleene.runtime.evaluate import evaluate


def multiplied(state: object, value: object) -> object:
    assert isinstance(state, int)
    assert isinstance(value, int)
    return state * value


PRODUCT = UserAggregate("product", 1, multiplied, pa.int64())
CONDITIONS = {
    "strings": "SEQ(A a, B b, C c) WHERE concat(a.s, b.s) = c.s",
    "like": "SEQ(A a, B b) WHERE b.s LIKE concat(a.s, '%')",
    "elements": "SEQ(A a, B+ b[]) WHERE upper(concat(b[i].s, b[i-1].s)) < 'XYX' AND b[1].x = a.x",
    "user": "SEQ(A a, B+ b[], C c) WHERE product(b[].x) > a.x AND product(b[..i].x) < 20",
    "argument": "SEQ(A a, B+ b[]) WHERE sum(length(concat(a.s, b[].s))) < 4",
    "negated": "SEQ(A a, !B b, C c) WHERE concat(a.s, b.s) = c.s",
    "groups": "SEQ((SEQ(A a, B+ b[]))+, C c) WHERE product(b[i][].x) > a[i].x",
    "unsigned": "SEQ(A a, B b) WHERE a.h - b.h > 2",
    "decimals": "SEQ(A a, B b, C c) WHERE a.p * b.p / c.p > 1.5",
    "subscript": "SEQ(A a, B b) WHERE a.v[b.x] = b.v[a.x]",
    "mixed": "SEQ(A a, B b, C c) WHERE a.x < b.x AND (a.s || b.s = c.s OR a.x = c.x)",
}
STRATEGIES = ("skip_till_any_match", "skip_till_next_match", "partition_contiguity")


def events(count: int, seed: int = 1) -> pa.Table:
    random = Random(seed)  # noqa: S311 - no secret

    def column(values: tuple[object, ...], type_: pa.DataType) -> pa.Array:
        return pa.array([random.choice((None, *values)) for _ in range(count)], type_)

    return pa.table(
        {
            "t": range(count),
            "type": [random.choice("ABC") for _ in range(count)],
            "x": column((1, 2, 3), pa.int64()),
            "s": column(("x", "xy", "y", ""), pa.string()),
            "h": column((1, 5, 2**64 - 1), pa.uint64()),
            "p": column(tuple(map(Decimal, ("1.10", "2.00", "0.50"))), pa.decimal128(38, 18)),
            "v": column(([1, 2], [3], []), pa.list_(pa.int64())),
        }
    )


def rows_of(table: pa.Table) -> Counter[str]:
    return Counter(map(repr, table.to_pylist()))


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("name", CONDITIONS)
def test_asked_conditions(name: str, strategy: str) -> None:
    text = f"PATTERN {CONDITIONS[name]} STRATEGY {strategy} WITHIN 8"
    table = events(13, seed=3)
    plan = planner(
        text,
        Options(aggregates=(PRODUCT,)),
        time="t",
        type="type",
        order_by=(),
        id=None,
        partition_by=(),
    )
    query = plan(table.schema)
    assert plan_kernel(query).columns.questions
    expected = rows_of(to_table(query, OutputForm.MATCHES, meaning(query, table.to_pylist(), 1)))
    found = evaluate(query, table, compile_kernel=False)
    assert rows_of(found.to_table()) == expected
    if strategy == STRATEGIES[0]:
        found = evaluate(query, table, compile_kernel=True)
        assert rows_of(found.to_table()) == expected


@pytest.mark.parametrize("count", [30, 30_000])
def test_what_a_user_raises_comes_through(count: int) -> None:
    def step(_: object, value: object) -> object:
        raise LookupError(value)

    options = Options(aggregates=(UserAggregate("odd", 0, step, pa.int64()),))
    query = "PATTERN SEQ(A a, B+ b[]) WHERE odd(b[].x) = a.x WITHIN 3"
    with pytest.raises(LookupError):
        kleene.match(events(count), query, time="t", type="type", options=options)


def test_explain_tells_what_is_asked() -> None:
    query = "PATTERN SEQ(A a, B b) WHERE concat(a.s, b.s) = 'xy' AND a.x = b.x WITHIN 3"
    told = str(kleene.explain(events(1).schema, query, time="t", type="type"))
    assert "asks Python" in told
    assert "concat(a.s, b.s) = 'xy', some microseconds each time" in told
