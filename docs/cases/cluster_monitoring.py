"""The queries of the page on cluster monitoring, run over logs of Hadoop and Spark.

    python docs/cases/cluster_monitoring.py --hadoop events.parquet --spark events.parquet

The queries stand in the page, and nowhere else: what is shown there is what runs here.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from matplotlib.figure import Figure
from rich.console import Console
from rich.table import Table

import kleene

PAGE = Path(__file__).with_name("cluster-monitoring.md")
SAMPLE_SECONDS = 5
"""How often the load of the hosts is looked at."""
STRIKING = ("longest_s", "pull_s", "silent", "waiting", "samples", "match_count")
"""Columns by which rows are shown, those with the largest first."""
_SECOND = 1_000_000
_BARS = 48
_LEVELS = " ▁▂▃▄▅▆▇█"
_HEIGHT, _WIDTH, _LINE = 6, 72, 130
_SHOWN = 12


@dataclass(frozen=True)
class Asked:
    """A query of the page, what it found, and how fast once it is compiled."""

    name: str
    found: pa.Table
    events: int
    seconds: float


class Cluster:
    """The logs, and the queries asked of them."""

    def __init__(self, hadoop: pa.Table, spark: pa.Table) -> None:
        self._hadoop, self._spark = hadoop, spark
        self._queries = queries()

    def ask(self) -> Iterator[Asked]:
        """Every query of the page, in its order."""
        yield self._asked("Q1", self._hadoop)
        yield self._asked("Q2", self._hadoop)
        pulls = self._asked("Q3, pulls", self._hadoop)
        yield pulls
        yield self._asked("Q3", with_jobs(pulls.found, self._hadoop))
        yield self._asked("Q3, silence", self._hadoop)
        yield self._asked("Q4", self._spark, order_by=("event_id",))
        loads = with_loads(self._hadoop)
        yield self._asked("Q5", loads)
        yield self._asked("Q6", loads)
        yield self._asked("Q6, all", loads, output="count")

    def _asked(
        self,
        name: str,
        events: pa.Table,
        order_by: str | Sequence[str] = (),
        output: str = "matches",
    ) -> Asked:
        for _ in range(2):
            start = perf_counter()
            found = kleene.match(
                events,
                self._queries[name],
                time="ts",
                type="type",
                order_by=order_by,
                output=output,
            )
            seconds = perf_counter() - start
        return Asked(name, found, events.num_rows, seconds)


def queries() -> dict[str, str]:
    """The queries of the page by their names, which are their first lines."""
    block = re.compile(r"```kleene\n-- ([^:\n]*):[^\n]*\n(.*?)```", re.DOTALL)
    return dict(block.findall(PAGE.read_text("utf-8")))


def with_jobs(pulls: pa.Table, hadoop: pa.Table) -> pa.Table:
    """How long reducers pulled, as events, among the starts and ends of their jobs."""
    seconds = pc.divide(pc.cast(pulls.column("pull"), pa.int64()), float(_SECOND))
    at = pulls.schema.get_field_index("pull")
    events = pulls.set_column(at, "pull", seconds)
    events = events.append_column("type", pa.array(["Pull"] * pulls.num_rows))
    kinds = pa.array(["JOB_LAUNCH", "JOB_FINISH"])
    jobs = hadoop.filter(pc.is_in(hadoop.column("type"), kinds))
    jobs = jobs.select(["trace", "ts", "type", "job_id"])
    return pa.concat_tables([events, jobs], promote_options="permissive")


def with_loads(hadoop: pa.Table) -> pa.Table:
    """Reducers that start and end, and every few seconds how unevenly the hosts are loaded.

    The load of a host is the number of attempts that run on it. What is told is its standard
    deviation over the hosts of a trace: of those with few hosts, where it means something.
    """
    columns = ["trace", "ts", "type", "task_type", "attempt_id", "task_id", "host"]
    attempts = hadoop.select(columns).filter(pc.is_valid(hadoop.column("attempt_id")))
    attempts = attempts.filter(pc.starts_with(attempts.column("trace"), "gridmix"))
    loads = [
        _loads(trace, attempts.filter(pc.equal(attempts.column("trace"), trace)))
        for trace in pc.unique(attempts.column("trace")).to_pylist()
    ]
    reducers = [_reducers(attempts, "START"), _reducers(attempts, "FINISH")]
    return pa.concat_tables([*reducers, *loads], promote_options="permissive")


def _reducers(attempts: pa.Table, what: str) -> pa.Table:
    wanted = pc.and_(
        pc.equal(attempts.column("type"), f"ATTEMPT_{what}"),
        pc.equal(attempts.column("task_type"), "REDUCE"),
    )
    found = attempts.filter(wanted).drop_columns(["type", "task_type"])
    return found.append_column("type", pa.array([f"Reducer{what.title()}"] * found.num_rows))


def _loads(trace: str, attempts: pa.Table) -> pa.Table:
    times = pc.cast(attempts.column("ts"), pa.timestamp("us")).cast(pa.int64()).to_numpy()
    change = np.zeros(len(times), np.int64)
    kinds = np.array(attempts.column("type").to_pylist())
    change[kinds == "ATTEMPT_START"], change[kinds == "ATTEMPT_FINISH"] = 1, -1
    hosts, host = np.unique(np.array(attempts.column("host").to_pylist()), return_inverse=True)
    step = SAMPLE_SECONDS * _SECOND
    samples = np.arange(-(-times.min() // step) * step, times.max(), step)
    running = [
        np.bincount(host, np.where(times <= sample, change, 0), len(hosts)) for sample in samples
    ]
    columns = {
        "trace": [trace] * len(samples),
        "ts": pa.array(samples, pa.timestamp("us")),
        "type": ["LoadStd"] * len(samples),
        "val": np.std(running, axis=1),
    }
    return pa.table(columns)


def shown(asked: Asked) -> Table:
    """What a query found, the most striking first."""
    found = asked.found
    by = [name for name in STRIKING if name in found.column_names]
    if by:
        found = found.sort_by([(by[0], "descending"), (found.column_names[1], "ascending")])
    rate = asked.events / asked.seconds
    title = f"{asked.name}: {found.num_rows:,} rows; {asked.events:,} events, {rate:,.0f} a second"
    table = Table(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0))
    for name in found.column_names:
        table.add_column(name)
    for row in found.slice(0, _SHOWN).to_pylist():
        table.add_row(*map(_cell, row.values()))
    return table


def _cell(value: object) -> str:
    return f"{value:,.2f}" if isinstance(value, float) else str(value)


def lifetimes(found: pa.Table) -> Iterator[str]:
    """The average and the longest lifetime of the mappers of each job, as bars."""
    rows = [row for row in found.to_pylist() if row["mappers"] > 1 and row["trace"] == "mumak19"]
    longest = max((row["longest_s"] for row in rows), default=1.0)
    scale = _BARS / np.log1p(longest)
    for row in sorted(rows, key=lambda row: str(row["job_id"])):
        mean, most = (round(scale * np.log1p(row[name])) for name in ("average_s", "longest_s"))
        bar = "█" * mean + "░" * (most - mean)
        told = f"{row['average_s']:,.1f} s, at most {row['longest_s']:,.1f} s"
        yield f"{str(row['job_id'])[-4:]}  {bar} {told}"


def queue(found: pa.Table, log: str) -> tuple[np.ndarray, np.ndarray]:
    """Seconds since the start of an application, and the gigabytes that waited then."""
    rows = found.filter(pc.equal(found.column("log"), log)).sort_by("ts")
    times = rows.column("ts").cast(pa.int64()).to_numpy()
    return (times - times.min(initial=times.max(initial=0))) / _SECOND, rows.column(
        "waiting"
    ).to_numpy() / 1e9


def curve(seconds: np.ndarray, values: np.ndarray) -> Iterator[str]:
    """A curve in characters: what held at each moment, until the next value."""
    moments = np.linspace(0, seconds[-1], _WIDTH)
    held = values[np.searchsorted(seconds, moments, side="right") - 1]
    eighths = np.round(held / values.max() * _HEIGHT * 8).astype(int)
    for line in range(_HEIGHT - 1, -1, -1):
        label = f"{values.max() * (line + 1) / _HEIGHT:5.1f} GB "
        yield label + "".join(_LEVELS[min(max(e - 8 * line, 0), 8)] for e in eighths)
    yield f"{'':9}0 s{f'{seconds[-1]:.0f} s':>{_WIDTH - 3}}"


def draw_lifetimes(found: pa.Table, path: Path) -> None:
    """Bars as a picture."""
    rows = [row for row in found.to_pylist() if row["mappers"] > 1 and row["trace"] == "mumak19"]
    rows.sort(key=lambda row: str(row["job_id"]))
    figure = Figure(figsize=(9, 4), layout="constrained")
    axes = figure.subplots()
    names = [str(row["job_id"])[-4:] for row in rows]
    axes.bar(names, [row["longest_s"] for row in rows], color="#cbd5e1", label="longest")
    axes.bar(names, [row["average_s"] for row in rows], color="#c2410c", label="average")
    axes.set_yscale("log")
    axes.set_ylabel("lifetime of mappers, seconds")
    axes.set_xlabel("job")
    axes.legend()
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=130)


def draw_queue(seconds: np.ndarray, values: np.ndarray, path: Path) -> None:
    """The curve as a picture."""
    figure = Figure(figsize=(9, 4), layout="constrained")
    axes = figure.subplots()
    axes.fill_between(seconds, values, step="post", color="#c2410c", alpha=0.25)
    axes.step(seconds, values, where="post", color="#c2410c")
    axes.set_xlabel("seconds since the first shuffled byte")
    axes.set_ylabel("written, and not yet read: GB")
    axes.set_ylim(0)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=130)


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask everything, and show it."""
    parser = argparse.ArgumentParser(description="Cluster monitoring, on logs of one's own.")
    parser.add_argument("--hadoop", type=Path, required=True, help="events of Hadoop jobs, Parquet")
    parser.add_argument("--spark", type=Path, required=True, help="events of Spark, Parquet")
    parser.add_argument("--log", default="nds_q72_dataproc_2_2.zstd", help="the application of Q4")
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="for two PNGs")
    chosen = parser.parse_args(arguments)
    out = Console(width=_LINE)
    answers = {}
    for asked in Cluster(pq.read_table(chosen.hadoop), pq.read_table(chosen.spark)).ask():
        answers[asked.name] = asked.found
        out.print(shown(asked), "", highlight=False)
    mappers, (seconds, waiting) = answers["Q1"], queue(answers["Q4"], chosen.log)
    for line in (*lifetimes(mappers), "", *(curve(seconds, waiting) if len(seconds) else ())):
        out.print(line, highlight=False)
    if chosen.pictures is not None:
        chosen.pictures.mkdir(parents=True, exist_ok=True)
        draw_lifetimes(mappers, chosen.pictures / "lifetimes.png")
        draw_queue(seconds, waiting, chosen.pictures / "queue.png")


if __name__ == "__main__":
    main()
