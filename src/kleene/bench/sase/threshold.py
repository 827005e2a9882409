"""The threshold on v with which a query has the selectivity that is named.

Raising it lets more events take part, and whatever was a match stays one, so it is found by
halving. The matches are counted, and a point is told with the selectivity that it really has.
"""

from __future__ import annotations

import json
from pathlib import Path
from uuid import uuid4

import pyarrow as pa

from kleene.bench.sase.counting import Jobs
from kleene.bench.sase.events import SPAN
from kleene.bench.sase.point import Point

_FAR = 4
_NO_WIDER = SPAN[1] + 100
"""In a wider window there are no other matches, for no job takes longer."""


def threshold(point: Point, events: pa.Table, folder: Path) -> int:
    """The threshold of a point; what is found once is kept beside the events."""
    window = min(point.window, _NO_WIDER)
    narrow = Point(point.predicates, point.selectivity, window)
    known = folder / f"sase-{events.num_rows}-{narrow.name.replace(' ', '')}.json"
    if not known.exists():
        fresh = folder / f"{uuid4().hex}.new"
        fresh.write_text(json.dumps(_search(narrow, events)), "utf-8")
        fresh.replace(known)
    found: int = json.loads(known.read_text("utf-8"))
    return found


def _search(point: Point, events: pa.Table) -> int:
    """The threshold that comes nearest to the matches that are wanted."""
    jobs = Jobs(events)
    wanted = point.selectivity * events.num_rows
    low, high = 0, events.num_rows
    while high - low > 1:
        middle = (low + high) // 2
        if jobs.count(point, middle, _FAR * wanted) < wanted:
            low = middle
        else:
            high = middle
    below, above = (jobs.count(point, each, _FAR * wanted) for each in (low, high))
    return low if wanted - below < above - wanted else high
