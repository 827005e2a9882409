"""Source to function: executed as it is, or compiled by Numba and kept on disk."""

from __future__ import annotations

import hashlib
import linecache
import os
import stat
import sys
from collections.abc import Callable
from functools import cache, lru_cache
from inspect import getsource
from pathlib import Path
from typing import Any
from uuid import uuid4

from kleene.errors import NOWHERE, InputError
from kleene.program import search, support

Function = Callable[..., tuple[int, int]]
_SEARCHES = ("advance", "first_after", "first_within", "taken", "last_rank", "first_rank")
_FOR_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_GLOBALS = {**support.NAMES, **{name: getattr(search, name) for name in _SEARCHES}}


@lru_cache(maxsize=256)
def plain(source: str) -> Function:
    """The kernel as plain Python; a debugger can step through it."""
    name = f"<kleene kernel {hashlib.sha256(source.encode()).hexdigest()[:12]}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    namespace: dict[str, Any] = dict(_GLOBALS)
    exec(compile(source, name, "exec"), namespace)  # noqa: S102 - the source holds no user's text
    function: Function = namespace["kernel"]
    return function


@lru_cache(maxsize=256)
def compiled(source: str, parameters: tuple[tuple[str, str], ...]) -> Function:
    """The kernel as machine code; compiled once a machine, for every process of its user.

    `parameters` are the names and the kinds of the kernel's parameters: `i` and `f` are numbers,
    `I` and `F` arrays of int64 and float64, and `RI`, `RF` and `RB` such that are only read, or of
    uint8. Whether an array may be written is part of its type, for Numba.
    """
    from numba import njit, types  # noqa: PLC0415 - small inputs do without Numba

    from kleene.program import jitable  # noqa: F401, PLC0415 - lets kernels call `support`

    _let_kernels_search()
    kinds = {
        "i": types.int64,
        "f": types.float64,
        "I": types.Array(types.int64, 1, "C"),
        "F": types.Array(types.float64, 1, "C"),
        "RI": types.Array(types.int64, 1, "C", readonly=True),
        "RF": types.Array(types.float64, 1, "C", readonly=True),
        "RB": types.Array(types.uint8, 1, "C", readonly=True),
    }
    signature = tuple(kinds[kind] for _, kind in parameters)
    function: Function = njit(signature, cache=True)(_stored(source))
    return function


@cache
def _let_kernels_search() -> None:
    from numba.extending import register_jitable  # noqa: PLC0415 - as above

    for name in _SEARCHES:
        register_jitable(getattr(search, name))


def _stored(source: str) -> Function:
    """The kernel as the function of a file on disk, beside which Numba keeps what it compiles.

    The name of the file is a hash of all that the machine code depends on. What is executed is the
    text, never the file: Numba asks for that one only by its name and age.
    """
    version = "".join(map(getsource, (search, support)))
    text = _module_text(source)
    digest = hashlib.sha256((text + version + sys.version).encode()).hexdigest()
    path = cache_folder() / f"kernel_{digest[:32]}.py"
    if not path.exists() or path.read_text("utf-8") != text:
        fresh = path.with_suffix(f".{uuid4().hex}.new")
        fresh.write_text(text, "utf-8")
        fresh.replace(path)
    namespace: dict[str, Any] = {"__name__": f"kleene_{path.stem}"}
    exec(compile(text, path, "exec"), namespace)  # noqa: S102 - the source holds no user's text
    function: Function = namespace["kernel"]
    return function


def _module_text(source: str) -> str:
    names = ", ".join(sorted(name for name in support.NAMES if name.isidentifier()))
    return (
        f"from kleene.program.search import {', '.join(_SEARCHES)}\n"
        f"from kleene.program.support import NAMES\n\n"
        f"globals().update(NAMES)  # {names}\n\n\n{source}"
    )


def cache_folder() -> Path:
    """The folder of kernels: of this user alone, or it is not used."""
    base = os.environ.get("KLEENE_CACHE") or os.environ.get("XDG_CACHE_HOME")
    folder = (Path(base) if base else Path.home() / ".cache") / "kleene" / "kernels"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for each in (folder.parent, folder):
        found = each.lstat()
        private = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
        if not private or found.st_mode & _FOR_OTHERS:
            reason = f"{each} is not private to its user, so no kernels are kept there"
            raise InputError(reason, NOWHERE, "KLEENE_CACHE names another folder to make it in")
    return folder
