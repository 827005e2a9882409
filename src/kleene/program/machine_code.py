"""Machine code as data: what is kept on disk and loaded into a process."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MachineCode:
    """An object file and the name of the function in it: `status(result, error, frame)`.

    `frame` is the address of an array of int64 with an address and a length for each parameter,
    and behind them a place for the second result.
    """

    function: str
    object_file: bytes
