"""Events of the microbenchmarks: jobs that start and end among events of other kinds.

As in paper 1 (section 6.1) attributes have value ranges that are known, and time is a counter. A
job starts with an A and ends with a C from 3 to 300 events later; one event in a hundred starts a
job, and all that is neither start nor end is a B.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

VALUES = 1_000
"""Values of x, of A and B; of C there are so many more that few are below any of B."""
C_VALUES = 20 * VALUES
SPAN = 3, 300
"""Events from the start of a job to its end."""
_JOB_EVERY = 100


def make_events(events: int) -> pa.Table:
    """Events whose `v` is a permutation: a condition `v < n` keeps n of them, whichever n."""
    chance = np.random.default_rng(20260107)
    starts = np.sort(chance.choice(events - 2 * SPAN[1], events // _JOB_EVERY, replace=False))
    spans = np.exp(chance.uniform(np.log(SPAN[0]), np.log(SPAN[1]), len(starts))).astype(np.int64)
    ends = _free_places(starts, starts + spans)
    kind = np.ones(events, np.int64)
    kind[starts], kind[ends] = 0, 2
    job = np.full(events, -1)
    job[starts] = job[ends] = np.arange(len(starts))
    x = chance.integers(0, VALUES, events)
    x[ends] = chance.integers(0, C_VALUES, len(ends))
    columns = {
        "id": np.arange(events),
        "time": np.arange(events),
        "type": pa.array(["A", "B", "C"]).take(pa.array(kind)),
        "job": job,
        "x": x,
        "v": chance.permutation(events),
    }
    return pa.table(columns)


def _free_places(taken: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The places that are wanted, or the next ones that nothing else takes."""
    full = set(taken.tolist())
    found = []
    for place in wanted.tolist():
        while place in full:
            place += 1  # noqa: PLW2901 - looks for a place
        full.add(place)
        found.append(place)
    return np.array(found)
