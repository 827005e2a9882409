"""`kleene.match` on datasets, readers and lazy frames, with and without room in memory."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import kleene
from kleene.errors import BadRowsError, InputError, LimitError, UnknownColumnError
from kleene.runtime import spill

EVENTS = pa.table(
    {
        "t": [*range(0, 4000, 2), None],
        "kind": [*("A", "B", "C", "B") * 500, "A"],
        "user": [*(n // 7 % 40 for n in range(2000)), 1],
        "x": [*(n * 37 % 101 for n in range(2000)), 1],
    }
)
KEYED = (
    "SEQ(A a, B b, C c) WHERE [user] AND a.x < b.x WITHIN 500 RETURN a.t AS a, b.t AS b, c.t AS c"
)
TIMED = "SEQ(A a, !C x, B b) WHERE a.x < b.x WITHIN 20 RETURN a.t AS a, b.t AS b"
COUNTED = "SEQ(A a, B b) WHERE [user] RETURN count(*) AS n, sum(b.x) AS s GROUP BY a.x % 3"
FEW = 4000
"""Bytes that these events are more than."""
KINDS = {
    "dataset": ds.dataset,
    "reader": lambda events: events.to_reader(100),
    "lazy frame": lambda events: pl.DataFrame(events).lazy(),
}


def match(events: Any, query: str, **options: Any) -> Any:
    return kleene.match(events, query, time="t", type="kind", options=options)


def rows(found: Any) -> Counter[str]:
    if isinstance(found, pl.LazyFrame):
        return Counter(map(repr, found.collect().to_dicts()))
    table = found.read_all() if isinstance(found, pa.RecordBatchReader) else found
    return Counter(map(repr, table.to_pylist()))


@pytest.mark.filterwarnings("ignore::kleene.BadRowsWarning")
@pytest.mark.parametrize("query", [KEYED, TIMED])
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_is_found_with_and_without_room_in_memory(kind: str, query: str) -> None:
    expected = rows(match(EVENTS, query))
    assert expected
    for memory in (1 << 20, FEW):
        assert rows(match(KINDS[kind](EVENTS), query, spill_bytes=memory)) == expected


def test_lazy_frames_take_part_in_plans_of_polars() -> None:
    events = EVENTS.filter(EVENTS["t"].is_valid())
    found = match(pl.DataFrame(events).lazy(), KEYED, spill_bytes=FEW)
    assert found.collect_schema() == {"a": pl.Int64, "b": pl.Int64, "c": pl.Int64}
    whole = found.collect()
    assert found.collect().height == whole.height
    assert found.filter(pl.col("a") < 1000).select("c").collect().height == (
        whole.filter(pl.col("a") < 1000).height
    )
    assert found.head(3).collect().shape == (3, 3)


def test_nothing_is_read_before_it_is_asked_for() -> None:
    read = []

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in EVENTS.slice(0, 2000).to_batches(max_chunksize=500):
            read.append(batch.num_rows)
            yield batch

    events = pa.RecordBatchReader.from_batches(EVENTS.schema, batches())
    found = match(events, KEYED)
    assert not read
    assert rows(found)
    assert sum(read) == 2000


def test_what_is_wrong_is_said_before_anything_is_read() -> None:
    with pytest.raises(UnknownColumnError, match="no column y"):
        match(ds.dataset(EVENTS), "A a WHERE a.y > 1")
    twice = pa.table([[1], [2]], names=["t", "t"])
    with pytest.raises(InputError, match="two columns called t"):
        match(ds.dataset(twice), "ANY a")


@pytest.mark.parametrize("memory", [1 << 20, FEW])
def test_bad_rows_are_told_once(memory: int) -> None:
    with pytest.warns(kleene.BadRowsWarning, match="1 row is no event") as told:
        rows(match(ds.dataset(EVENTS), KEYED, spill_bytes=memory))
    assert len(told) == 1
    with pytest.raises(BadRowsError):
        rows(match(ds.dataset(EVENTS), KEYED, spill_bytes=memory, bad_rows="error"))


def test_what_cannot_be_cut_names_the_limit_and_the_key() -> None:
    events = EVENTS.slice(0, 2000)
    with pytest.raises(LimitError, match=r"the limit spill_bytes, .* neither a window nor a"):
        rows(match(ds.dataset(events), "SEQ(A a, B b)", spill_bytes=FEW))
    with pytest.raises(LimitError, match=r"the partition user = \d+ take more than 100 bytes"):
        rows(match(ds.dataset(events), "SEQ(A a, B b) WHERE [user]", spill_bytes=100))
    with pytest.raises(LimitError, match="a slice of time of the whole input"):
        rows(match(ds.dataset(events), "SEQ(A a, B b) WITHIN 2000", spill_bytes=FEW))


def test_files_are_gone_whatever_happens(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    opened = []

    def watched(**named: Any) -> Any:
        opened.append(TemporaryFile(**named))  # noqa: SIM115 - closing is what is tested
        return opened[-1]

    monkeypatch.setattr(spill, "TemporaryFile", watched)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    events = EVENTS.slice(0, 2000)
    found = match(ds.dataset(events), KEYED, spill_bytes=FEW)
    found.read_next_batch()
    assert any(not file.closed for file in opened)
    assert not list(tmp_path.iterdir())
    del found
    assert all(file.closed for file in opened)
    with pytest.raises(LimitError):
        rows(match(ds.dataset(events), KEYED, spill_bytes=FEW, max_matches=1))
    assert all(file.closed for file in opened)


@pytest.mark.parametrize("name", ["a.b", "[0]", "user name", "$'\"", "x\ny"])
def test_columns_may_be_called_anything(name: str, tmp_path: Path) -> None:
    events = EVENTS.slice(0, 2000).rename_columns({"user": name, "kind": f"{name} kind"})
    pq.write_table(events, tmp_path / "events.parquet")
    sources = [
        ds.dataset(tmp_path / "events.parquet"),
        pl.scan_parquet(tmp_path / "events.parquet"),
    ]
    query = kleene.parse(f"SEQ(A a, B b) PARTITION BY `{name}` WITHIN 50 RETURN a.t AS a, b.t AS b")
    expected = kleene.match(events, query, time="t", type=f"{name} kind")
    for source in sources:
        found = kleene.match(
            source, query, time="t", type=f"{name} kind", options={"spill_bytes": FEW}
        )
        assert rows(found) == rows(expected)


def test_types_that_are_folders_are_not_read(tmp_path: Path) -> None:
    ds.write_dataset(
        EVENTS.slice(0, 2000),
        tmp_path,
        format="parquet",
        partitioning=ds.partitioning(pa.schema([("kind", pa.string())]), flavor="hive"),
    )
    for broken in (tmp_path / "kind=C").iterdir():
        broken.write_bytes(broken.read_bytes()[:4] + b"\0" * 1000 + broken.read_bytes()[1004:])
    events = ds.dataset(tmp_path, partitioning="hive")
    query = "SEQ(A a, B b) WHERE [user] RETURN a.t AS a, b.t AS b"
    assert rows(match(events, query)) == rows(match(EVENTS.slice(0, 2000), query))


def test_floating_times_that_are_none_are_counted_behind_filters() -> None:
    times = [1.0, 2.0, float("nan"), float("inf"), None, 3.0]
    events = pa.table({"t": times, "kind": ["A", "B", "X", "X", None, "X"]})
    for kind in KINDS.values():
        with pytest.warns(kleene.BadRowsWarning, match="3 rows are no event"):
            assert len(rows(match(kind(events), "SEQ(A a, B b)"))) == 1


def test_groups_of_all_events() -> None:
    events = EVENTS.slice(0, 2000)
    expected = rows(match(events, COUNTED))
    assert len(expected) == 3
    assert rows(match(ds.dataset(events), COUNTED, spill_bytes=FEW)) == expected


def test_no_spark_is_loaded(tmp_path: Path) -> None:
    pq.write_table(EVENTS.slice(0, 2000), tmp_path / "events.parquet")
    script = (
        "import sys, kleene, pyarrow.dataset as ds\n"
        f"events = ds.dataset({str(tmp_path / 'events.parquet')!r})\n"
        f"kleene.match(events, {KEYED!r}, time='t', type='kind').read_all()\n"
        "assert not {'pyspark', 'polars'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
