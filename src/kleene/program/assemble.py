"""Python to machine code, by Numba.

It is a module of its own because Numba takes long to import: small inputs do without it, and so
does whoever finds the machine code on disk.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.core.errors import NumbaError
from numba.extending import intrinsic, register_jitable
from numba.np.arrayobj import make_array, populate_array

from kleene.program.machine_code import MachineCode

_DTYPES: dict[str, Any] = {
    "i": types.int64,
    "f": types.float64,
    "I": types.int64,
    "F": types.float64,
    "B": types.uint8,
    "S": types.int32,
}
_EXTERNAL = re.compile(r"^declare .*@\"?([\w.$]+)\"?\(", re.MULTILINE)
_OF_LIBC = frozenset({"memcpy", "memmove", "memset", "fmod", "ldexp", "pow"})
"""What object files may call besides LLVM's own: every process has it."""


def assemble(
    kernel: Callable[..., Any], kinds: Sequence[str], helpers: Iterable[Callable[..., Any]]
) -> MachineCode:
    """The machine code of a function whose parameters are of these kinds (`compile.compiled`)."""
    for helper in helpers:
        compilable(helper)
    kernel.__globals__["ask"] = _ask()
    entry = _entry(compilable(kernel), kinds)
    signature = types.int64(types.CPointer(types.int64))
    options: Any = {"_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    dispatcher: Any = njit(signature, **options)(entry)
    (result,) = dispatcher.overloads.values()
    library = result.library
    foreign = {name for name in _EXTERNAL.findall(library.get_llvm_str()) if not _is_known(name)}
    if foreign:
        raise NumbaError(f"machine code would call {', '.join(sorted(foreign))}")
    _, _, (object_file, _) = library.serialize_using_object_code()
    return MachineCode(result.fndesc.llvm_func_name, object_file)


@cache
def compilable(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, which compiled code may call from now on."""
    found: Callable[..., Any] = register_jitable(function)
    return found


def _is_known(name: str) -> bool:
    return name.startswith("llvm.") or name in _OF_LIBC


def _entry(kernel: Callable[..., Any], kinds: Sequence[str]) -> Callable[..., Any]:
    """A function of one pointer that calls a kernel with the arrays that lie behind it."""
    arguments = ", ".join(
        f"frame[{2 * place}]"
        if kind == "A"
        else f"array_{kind}(frame[{2 * place}], frame[{2 * place + 1}])" + "[0]" * (kind in "if")
        for place, kind in enumerate(kinds)
    )
    text = (
        "def entry(frame):\n"
        f"    answer, fill = kernel({arguments})\n"
        f"    frame[{2 * len(kinds)}] = fill\n"
        "    return answer\n"
    )
    names: dict[str, Any] = {f"array_{kind}": _array_at(kind) for kind in _DTYPES}
    names["kernel"] = kernel
    exec(compile(text, "<entry of a kleene kernel>", "exec"), names)  # noqa: S102 - all of it is above
    entry: Callable[..., Any] = names["entry"]
    return entry


def _array_at(kind: str) -> Any:
    """What compiled code calls to see an array at an address."""
    dtype = _DTYPES[kind]
    seen = types.Array(dtype, 1, "C")

    def array_at(_: Any, _address: Any, _length: Any) -> Any:
        def build(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            array = make_array(seen)(context, builder)
            address, length = arguments
            size = context.get_constant(types.intp, dtype.bitwidth // 8)
            populate_array(
                array,
                data=builder.inttoptr(address, array.data.type),
                shape=(length,),
                strides=(size,),
                itemsize=size,
                meminfo=None,
            )
            return array._getvalue()  # noqa: SLF001 - so Numba's own code ends

        return seen(types.int64, types.int64), build

    return intrinsic(array_at)


def _ask() -> Any:
    """What compiled code calls to ask: a function at an address, given words in memory."""
    word = ir.IntType(64)
    function = ir.FunctionType(word, (word, word.as_pointer()))

    def ask(_: Any, _address: Any, _number: Any, words: Any) -> Any:
        def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            address, number, values = arguments
            number = context.cast(builder, number, signature.args[1], types.int64)
            memory = cgutils.alloca_once(builder, word, len(signature.args[2]))
            for place, kind in enumerate(signature.args[2]):
                value = builder.extract_value(values, place)
                value = context.cast(builder, value, kind, types.int64)
                builder.store(value, builder.gep(memory, [word(place)]))
            return builder.call(builder.inttoptr(address, function.as_pointer()), (number, memory))

        return types.int64(_address, _number, words), build

    return intrinsic(ask)
