"""What an evaluation has to do for its matches, counted by a kernel that does it once more."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from kleene.logical.algebra import LogicalQuery
from kleene.optimizer.methods import Method
from kleene.program.kernel import plan_kernel
from kleene.runtime.arrange import arrange
from kleene.runtime.limits import Limits, Watch
from kleene.runtime.run import Run


@dataclass(frozen=True, slots=True)
class Tally:
    """The partial matches of an evaluation: an event bound makes one.

    `runs` are those of pattern matching; `built` are those of the construction of results, in which
    what was postponed is bound (paper 1, 5.1). `matches` are those that are written.
    """

    runs: int
    built: int
    matches: int


def tally(query: LogicalQuery, table: pa.Table, method: Method | None = None) -> Tally:
    """The partial matches of a query, before AFTER MATCH and EXISTS choose among matches."""
    kernel = plan_kernel(query, method, counts=True, tallies=True)
    (arranged,) = arrange(table, [kernel])
    watch = Watch(Limits(), query.resolved, arranged)
    run = Run(kernel, watch, range(len(arranged.part) - 1), compiled=None)
    matches = sum(int(numbers.sum()) for _, numbers in run.counts())
    return Tally(*run.tally, matches)
