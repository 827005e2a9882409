"""Ticks and clicks that the peers are asked about."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

_SECOND = 1_000
"""Times are in milliseconds, all that Flink orders by."""


def make_ticks(events: int, keys: int, a_second: int) -> pa.Table:
    """Ticks of many symbols; three types of twenty, 15 % of the events, are asked for."""
    chance = np.random.default_rng(20260102)
    names = pa.array(["A", "B", "C", *(f"N{number}" for number in range(17))])
    columns = {
        "id": np.arange(events, dtype=np.int64),
        "ts": _times(chance, events, _SECOND // a_second),
        "key": chance.integers(0, keys, events),
        "type": names.take(pa.array(chance.integers(0, len(names), events))),
        "price": np.round(chance.normal(100, 2, events), 2),
    }
    return pa.table(columns)


def make_clicks(events: int, users: int, a_second: int) -> pa.Table:
    """Clicks of users who look at three items each."""
    chance = np.random.default_rng(20260103)
    names = pa.array(["search", "view", "purchase", "scroll"])
    user = chance.integers(0, users, events)
    columns = {
        "id": np.arange(events, dtype=np.int64),
        "ts": _times(chance, events, _SECOND // a_second),
        "key": user,
        "item": user * 7 + chance.integers(0, 3, events),
        "type": names.take(pa.array(chance.choice(4, events, p=[0.2, 0.4, 0.1, 0.3]))),
    }
    return pa.table(columns)


def _times(chance: np.random.Generator, events: int, step: int) -> pa.Array:
    """Moments in ascending order, no two of them equal."""
    times = np.arange(events, dtype=np.int64) * step + chance.integers(0, step, events)
    return pa.array(times * 1000, pa.timestamp("us", "UTC"))
