"""What the machine is that figures come from: nothing that tells whose it is."""

from __future__ import annotations

import platform
import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import psutil

_LIBRARIES = ("kleene", "numba", "numpy", "pyarrow", "pandas", "pyspark", "duckdb", "polars")


def machine() -> dict[str, Any]:
    """Cores, memory, processor, versions, and how busy it is."""
    return {
        "processor": _processor(),
        "cores": psutil.cpu_count(),
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "load_average": [round(load, 1) for load in psutil.getloadavg()],
        "libraries": {name: found for name in _LIBRARIES if (found := _version(name))},
    }


def described(told: dict[str, Any]) -> str:
    """The same on one line."""
    libraries = ", ".join(f"{name} {number}" for name, number in told["libraries"].items())
    return (
        f"{told['processor']}, {told['cores']} cores, {told['memory_gib']} GiB, {told['system']}, "
        f"Python {told['python']}, {libraries}; load before the start {told['load_average'][0]}"
    )


def _processor() -> str:
    known = Path("/proc/cpuinfo")
    text = known.read_text("utf-8") if known.exists() else ""
    found = re.search(r"^model name\s*: (.*)$", text, re.MULTILINE)
    return found[1] if found else platform.processor()


def _version(library: str) -> str | None:
    try:
        return version(library)
    except PackageNotFoundError:
        return None
