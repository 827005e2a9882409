"""Source to function: executed as it is, or as machine code that is kept on disk."""

from __future__ import annotations

import hashlib
import linecache
from collections.abc import Callable
from contextlib import suppress
from functools import cache, lru_cache
from inspect import getsource
from threading import Lock, Thread
from typing import Any

from kleene.program import search, support, tables
from kleene.program.machine_code import MachineCode
from kleene.program.native import Native
from kleene.program.stored import Store

Function = Callable[..., tuple[int, int]]
_SEARCHES = (
    *("advance", "first_after", "next_after", "first_from", "first_within", "taken", "begin_of"),
    *("last_rank", "first_rank"),
)
_COMPILING = Lock()
_GLOBALS = {
    **support.NAMES,
    **{name: getattr(search, name) for name in _SEARCHES},
    **{function.__name__: function for function in tables.FUNCTIONS},
}


@lru_cache(maxsize=256)
def plain(source: str) -> Function:
    """The kernel as plain Python; a debugger can step through it."""
    return _executed(source, f"<kleene kernel {_digest(source)[:12]}>", "kernel", _GLOBALS)


def _executed(source: str, name: str, function: str, names: dict[str, Any]) -> Function:
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    namespace = dict(names)
    exec(compile(source, name, "exec"), namespace)  # noqa: S102 - the source holds no user's text
    found: Function = namespace[function]
    return found


def compiled(source: str, parameters: tuple[tuple[str, str], ...]) -> Function:
    """The kernel as machine code; compiled once a machine, for every process of its user.

    `parameters` are the names and the kinds of the kernel's parameters: `i` and `f` are numbers,
    `I`, `F` and `B` arrays of int64, float64 and uint8, an `R` before them says that the kernel
    only reads them. `A` is what is asked, a function from a number and words to an answer.
    """
    with _COMPILING:  # else threads that need the same kernel would all compile it
        return native(source, tuple(kind[-1] for _, kind in parameters))


@lru_cache(maxsize=256)
def native(source: str, kinds: tuple[str, ...]) -> Native:
    """The kernel as machine code that is in this process."""
    return Native(_code(source, kinds), kinds)


def compile_ahead(source: str, parameters: tuple[tuple[str, str], ...]) -> Thread:
    """Have a thread compile a kernel for other processes, which wait for it where they are sooner.

    What cannot be compiled is told by whoever needs it.
    """

    def work() -> None:
        with _COMPILING, suppress(Exception):
            _code(source, tuple(kind[-1] for _, kind in parameters))

    thread = Thread(target=work, name="kleene compiles")
    thread.start()
    return thread


def _code(source: str, kinds: tuple[str, ...]) -> MachineCode:
    """The machine code of a kernel, from disk if it was compiled before."""
    store = Store.of_user()
    name = _digest(source, "".join(kinds), _helpers())
    code = store.read(name)
    if code is None:
        with store.alone(name):
            code = store.read(name)
            if code is None:
                code = _machine_code(source, kinds, name)
                store.write(name, code)
    return code


@cache
def _helpers() -> str:
    """The source of all that kernels call."""
    return "".join(map(getsource, (search, support, tables)))


def _machine_code(source: str, kinds: tuple[str, ...], name: str) -> MachineCode:
    from kleene.program.assemble import assemble  # noqa: PLC0415 - importing Numba takes long

    helpers = (
        *(*support.FUNCTIONS, *tables.FUNCTIONS),
        *(getattr(search, each) for each in _SEARCHES),
    )
    kernel = _executed(source, f"<compiled kleene kernel {name[:12]}>", "kernel", _GLOBALS)
    return assemble(kernel, kinds, helpers)


def _digest(*texts: str) -> str:
    found = hashlib.sha256()
    for text in texts:
        found.update(f"{len(text)}:{text}".encode())
    return found.hexdigest()
