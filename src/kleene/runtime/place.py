"""Rows in the slices of time that need them, with their side in each (`slices`)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kleene.runtime.arrange import clock
from kleene.runtime.order import Flags
from kleene.runtime.rows import Rows
from kleene.runtime.slices import EXACT, Slices

_Homes = npt.NDArray[Any]


def placed(events: pa.Table, slices: Slices, column: str) -> pa.Table:
    """Every event in the slice that its time lies in, and copies of it in those that look at it.

    >>> slices = Slices(40, 10, looks_back=False, floating=False, number="slice", side="side")
    >>> placed(pa.table({"t": [45, 55]}), slices, "t").to_pylist()
    [{'t': 45, 'slice': 1, 'side': 0}, {'t': 55, 'slice': 1, 'side': 0},
     {'t': 45, 'slice': 0, 'side': 1}]
    """
    time = clock(Rows(events, {}).attribute((column,)))
    homes, early, late = _of_floats(time, slices) if slices.floating else _of_ints(time, slices)
    rows, sides = [np.arange(len(time))], [np.zeros(len(time), np.int64)]
    for side, flags in ((1, early), (-1, late)) if slices.looks_back else ((1, early),):
        copies = np.flatnonzero(flags)
        rows.append(copies)
        sides.append(np.full(len(copies), side, np.int64))
    places, side_column = np.concatenate(rows), np.concatenate(sides)
    copied = events.take(pa.array(places))
    for name, values in (
        (slices.number, homes[places] - side_column),
        (slices.side, side_column),
    ):
        array = pa.array(values)
        copied = copied.append_column(pa.field(name, array.type, nullable=False), array)
    return copied


def _of_ints(time: _Homes, slices: Slices) -> tuple[_Homes, Flags, Flags]:
    """The slice that a time lies in, and whether it is close to the one before and behind."""
    homes, rest = np.divmod(time, slices.length)
    return homes, rest < slices.window, rest >= slices.length - slices.window


def _of_floats(time: _Homes, slices: Slices) -> tuple[_Homes, Flags, Flags]:
    """As above, rounded so that an event rather gets a copy too many than one too few.

    Times so large that their slices cannot be told apart are less than a window apart only if they
    are equal.
    """
    share = slices.window / slices.length
    quotient = time / slices.length
    exact = np.abs(quotient) < EXACT
    homes = np.where(exact, np.floor(quotient), quotient)
    slack = (np.abs(quotient) + 1) / EXACT
    rest = quotient - homes
    return homes, exact & (rest < share + slack), exact & (rest >= 1 - share - slack)
