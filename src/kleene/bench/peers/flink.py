"""The questions that Flink SQL can express, in its MATCH_RECOGNIZE; read from CSV by two tasks."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from kleene.bench.answers import BASE, MODULUS
from kleene.bench.experiment import Answer, Input, Job, Place, Unavailable, Variant
from kleene.errors import InputError

_VERSION = "apache-flink==2.3.*"
_TASKS = 2
_SESSION = Path(__file__).with_name("flink_session.py")
_TYPES = {"type": "STRING", "price": "DOUBLE", "ts": "TIMESTAMP(3)"}


def clicks(minutes: int) -> Variant:
    """The next view and the next purchase: what lies between is neither."""
    sql = f"""
        SELECT s, v, p FROM (
            SELECT * FROM events WHERE type IN ('search', 'view', 'purchase')
        ) MATCH_RECOGNIZE (
            PARTITION BY key, item ORDER BY ts
            MEASURES S.id AS s, V.id AS v, P.id AS p
            ONE ROW PER MATCH
            AFTER MATCH SKIP TO NEXT ROW
            PATTERN (S X* V Y* P) WITHIN INTERVAL '{minutes}' MINUTE
            DEFINE S AS S.type = 'search', X AS X.type <> 'view', V AS V.type = 'view',
                Y AS Y.type <> 'purchase', P AS P.type = 'purchase'
        )
    """
    return _variant(sql, ("s", "v", "p"))


def neighbours(seconds: int) -> Variant:
    """Three rows of a key."""
    sql = f"""
        SELECT a, b, c FROM events MATCH_RECOGNIZE (
            PARTITION BY key ORDER BY ts
            MEASURES A.id AS a, B.id AS b, C.id AS c
            ONE ROW PER MATCH
            AFTER MATCH SKIP TO NEXT ROW
            PATTERN (A B C) WITHIN INTERVAL '{seconds}' SECOND
            DEFINE B AS B.price > A.price * 1.03, C AS C.price < A.price
        )
    """
    return _variant(sql, ("a", "b", "c"))


def install(folder: Path) -> None:
    """Make the virtual environment of Flink, whose dependencies bear no others beside them."""
    home = _home(folder)
    for command in (
        [sys.executable, "-m", "venv", str(home)],
        [str(_python(folder)), "-m", "pip", "install", "--quiet", _VERSION],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode:
            raise InputError(f"Flink cannot be installed: {done.stderr.strip()[-500:]}")


def _home(folder: Path) -> Path:
    return folder / "flink"


def _python(folder: Path) -> Path:
    return _home(folder) / "bin" / "python"


def _variant(sql: str, ids: tuple[str, ...]) -> Variant:
    return Variant("Flink SQL", partial(_prepare, sql, ids), Place("Flink"))


def _prepare(sql: str, ids: tuple[str, ...], given: Input) -> Job:
    if not _python(given.folder).exists():
        raise Unavailable("Flink is not installed: kleene bench peers --install flink does it")
    files = _as_csv(given.events)
    session = _Session(_python(given.folder))
    for statement in _tables(pq.read_schema(given.events), files, ids):
        session.ask("execute", statement)
    mixed, modulus = ids[0], f"CAST({MODULUS} AS BIGINT)"  # the type of MOD is that of its second
    for column in ids[1:]:
        mixed = f"MOD({mixed} * {BASE} + {column}, {modulus})"
    asked = f"SELECT COUNT(*), COALESCE(SUM(MOD({mixed}, {modulus})), 0) FROM ({sql})"
    return Job(
        run=lambda: session.ask("execute", f"INSERT INTO nowhere {sql}"),
        answer=lambda _: Answer(*session.ask("collect", asked)),
        close=session.close,
    )


def _tables(schema: pa.Schema, files: Path, ids: tuple[str, ...]) -> tuple[str, str]:
    columns = ", ".join(f"`{name}` {_TYPES.get(name, 'BIGINT')}" for name in schema.names)
    found = ", ".join(f"{name} BIGINT" for name in ids)
    return (
        f"""CREATE TABLE events ({columns}, WATERMARK FOR ts AS ts) WITH (
            'connector' = 'filesystem', 'path' = '{files.as_uri()}', 'format' = 'csv')""",
        f"CREATE TABLE nowhere ({found}) WITH ('connector' = 'blackhole')",
    )


def _as_csv(events: Path) -> Path:
    """The events as files of text, one for each task."""
    folder = events.with_suffix(".csv")
    if not folder.exists():
        table = pq.read_table(events)
        text = pc.strftime(table["ts"].cast(pa.timestamp("ms")), "%Y-%m-%d %H:%M:%S")
        table = table.set_column(table.schema.get_field_index("ts"), "ts", text)
        fresh = events.with_suffix(".new")
        fresh.mkdir(exist_ok=True)
        plain = pyarrow.csv.WriteOptions(include_header=False)
        share = -(-table.num_rows // _TASKS)
        for task in range(_TASKS):
            part = table.slice(task * share, share)
            pyarrow.csv.write_csv(part, fresh / f"{task}.csv", plain)
        fresh.replace(folder)
    return folder


class _Session:
    """A process of Flink's own Python."""

    def __init__(self, python: Path) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - a program of ours
            [python, "-E", _SESSION, str(_TASKS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, order: str, statement: str) -> list[Any]:
        """The row that a statement gives; none where it has no result."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([order, statement]) + "\n")
        self._process.stdin.flush()
        reply = json.loads(self._process.stdout.readline())
        if "error" in reply:
            raise RuntimeError(reply["error"])
        row: list[Any] = reply["row"]
        return row

    def close(self) -> None:
        """End the process."""
        self._process.communicate()
