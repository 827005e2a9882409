"""Machine code loaded into this process. Numba is not needed for that, which saves its import."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import numpy.typing as npt

from kleene.program.machine_code import MachineCode

_DTYPES = {"i": np.int64, "f": np.float64, "I": np.int64, "F": np.float64, "B": np.uint8}
_DTYPES |= {"S": np.int32}
_Words = npt.NDArray[np.int64]
_Prototype = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.POINTER(ctypes.c_int64), ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p
)


_Asked = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.POINTER(ctypes.c_int64))


class Native:
    """A kernel in machine code, called like the plain one, with arrays in place of lists.

    Other threads run while it does: ctypes lets go of the interpreter.
    """

    def __init__(self, code: MachineCode, kinds: Sequence[str]) -> None:
        self._kinds = tuple(kinds)
        self._engine = _load(code)  # owns the memory that the function lies in
        self._function = _Prototype(self._engine.get_function_address(code.function))

    def __call__(self, *arguments: Any) -> tuple[int, int]:
        frame = np.zeros(2 * len(arguments) + 1, np.int64)
        kept: list[Any] = []  # what the addresses are of
        for place, (argument, kind) in enumerate(zip(arguments, self._kinds, strict=True)):
            if kind == "A":
                kept.append(_Asked(argument))
                frame[2 * place] = ctypes.cast(kept[-1], ctypes.c_void_p).value or 0
            else:
                array = _array(argument, kind)
                kept.append(array)
                frame[2 * place], frame[2 * place + 1] = array.ctypes.data, len(array)
        answer, error = ctypes.c_int64(), ctypes.c_void_p()
        if self._function(answer, error, frame.ctypes.data):
            raise ArithmeticError("a compiled kernel met a value that it cannot compute with")
        return answer.value, int(frame[-1])


def _array(argument: Any, kind: str) -> npt.NDArray[Any]:
    """The argument as the array that the machine code takes it for; it looks no further."""
    array = np.array([argument], _DTYPES[kind]) if kind in "if" else argument
    if array.dtype != _DTYPES[kind] or array.ndim != 1 or not array.flags.c_contiguous:
        raise TypeError(f"a kernel takes an array of {_DTYPES[kind].__name__}, not {array.dtype}")
    return np.asarray(array)


def _load(code: MachineCode) -> Any:
    """An engine for one object file alone: names are unique in a file, not among files."""
    _initialize()
    machine = llvm.Target.from_default_triple().create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code.object_file))
    engine.finalize_object()
    return engine


@cache
def _initialize() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
