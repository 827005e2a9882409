"""Arrays of arrays of arrays, negations in groups in groups, negated events of other iterations."""

from __future__ import annotations

from collections import Counter
from random import Random

import pyarrow as pa
import pytest

from kleene.api.options import Options
from kleene.api.plan import planner
from kleene.logical.meaning import meaning
from kleene.logical.output import OutputForm, to_table
from kleene.runtime.evaluate import evaluate

QUERIES = (
    "SEQ((SEQ((SEQ(A a, B+ b[]))+, C c))+, A d) WHERE b[i][j][1].x >= a[i][j].x",
    "((SEQ((SEQ(A a, B* b[]))+, C? c))+)",
    "(SEQ(A a, ((SEQ(B b, C? c))+)?))+",
    "((SEQ(A a, !C n, B b))+)+",
    "SEQ((SEQ(A a, (SEQ(B b, !A n, C? c))+))+, C d)",
    "((SEQ(A a, !C n, B b))+)+ WHERE n[i][j].x > a[i][j].x",
    "(SEQ(A a, !C n, B b))+ WHERE n[i-1].x = a[i].x",
    "(SEQ(A a, !C n, B b))+ WHERE n[1].x < a[i].x",
    "(SEQ(A a, !C n, B b))+ WHERE max(n[..i-1].x) < a[i].x",
    "(SEQ(A a, !C n, B b))+ WHERE max(n[..i].x) < a[i].x",
    "(SEQ(A a, !C n, B b))+ WHERE count(n[].x) > 0 AND n[i].x = 1",
    "(SEQ(A a, !(C+ n[]), B b))+ WHERE max(n[..i-1][].x) < a[i].x",
    "(SEQ(A a, !(C+ n[]), B b))+ WHERE n[i][j].x > n[i][j-1].x",
    "((SEQ(A a, (SEQ(B b, C+ c[]))+))+)+",
    "((SEQ(A a, (SEQ(B b, OR(C c, A+ d[])))+))+)+ WHERE c[i][j][k].x > a[i][j].x",
    "SEQ((SEQ((SEQ(A a, B+ b[]))+, C? c))+, A d) WHERE count(b[..i-1][][].x) < d.x",
    "SEQ((SEQ((SEQ(A a, B+ b[]))+, C? c))+, A d) WHERE sum(b[i][..j][].x) > 1",
    "SEQ((SEQ((SEQ(A a, B+ b[]))+, C? c))+, A d) WHERE sum(b[i][j][].x) > a[i][j].x",
    "((SEQ(A a, !(SEQ(C n, !(B m), A o)), B b))+)+ WHERE n[i][j].x >= a[i][j].x",
    "((SEQ(A a, (SEQ(B b, !(SEQ(C n, (SEQ(A m, !(B o), C p))+)))){1,2}))+)",
    "(SEQ(A a, !C n, B b))+ WHERE concat(n[i-1].s, a[i].s) = 'pq'",
    "(SEQ(A a, !C n, B b))+ WHERE length(concat(max(n[..i].s), a[i].s)) > 1",
)
STRATEGIES = ("skip_till_any_match", "skip_till_next_match", "partition_contiguity")


def events(random: Random) -> pa.Table:
    count = 12
    times = [i if random.random() < 0.8 else max(i - 1, 0) for i in range(count)]
    return pa.table(
        {
            "t": times,
            "type": [random.choice("AABBC") for _ in times],
            "x": [random.choice([1, 2, 3, None]) for _ in times],
            "s": [random.choice(["p", "q", None]) for _ in times],
        }
    )


def rows_of(table: pa.Table) -> Counter[str]:
    return Counter(map(repr, table.to_pylist()))


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("pattern", QUERIES)
def test_nested(pattern: str, strategy: str) -> None:
    random = Random(f"{pattern} {strategy}")  # noqa: S311 - no secret
    text = f"PATTERN {pattern} STRATEGY {strategy} WITHIN 7"
    for _ in range(3):
        table = events(random)
        plan = planner(
            text, Options(), time="t", type="type", order_by=(), id=None, partition_by=()
        )
        query = plan(table.schema)
        found = evaluate(query, table, compile_kernel=False).to_table()
        expected = to_table(query, OutputForm.MATCHES, meaning(query, table.to_pylist(), 1))
        assert rows_of(found) == rows_of(expected)


@pytest.mark.parametrize("pattern", [QUERIES[14], QUERIES[18]])
def test_compiled(pattern: str) -> None:
    table = events(Random(1))  # noqa: S311 - no secret
    text = f"PATTERN {pattern} WITHIN 7"
    plan = planner(text, Options(), time="t", type="type", order_by=(), id=None, partition_by=())
    query = plan(table.schema)
    plain = evaluate(query, table, compile_kernel=False).to_table()
    assert rows_of(evaluate(query, table, compile_kernel=True).to_table()) == rows_of(plain)
