"""Ranks of values, so that kernels compare whole numbers where events have strings.

What is ranked together is a group: the values of all its columns and literals get the ranks of
one sorted list, so codes compare as the values do, within a column, between columns and with
literals. Equal values have equal codes: 1.0 and 1.00, 0.0 and -0.0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kleene.language.decimals import digits
from kleene.language.kinds import NUMBERS, Kind, kind_of
from kleene.logical.ordering import sort_key
from kleene.program.columns import CodeLiteral
from kleene.program.kinds import ColumnKind, natural_kind
from kleene.runtime.numbers import floats, ints, nulls

Codes = npt.NDArray[np.int64]
_DIGITS_OF_128 = 38
_DIGITS_OF_256 = 76
_WITHOUT_COLUMNS = frozenset({Kind.MAP, Kind.OTHER})


def ranks(array: pa.Array) -> Codes:
    """The rank of each value among those of one column; null is before all and has -1.

    >>> ranks(pa.array([7.0, float("nan"), None, -0.0, 0.0])).tolist()
    [1, 2, -1, 0, 0]
    """
    found = _among_themselves(array)
    return np.where(nulls(array), -1, found)


def _among_themselves(array: pa.Array) -> Codes:
    kind = kind_of(array.type)
    if kind in _WITHOUT_COLUMNS:
        return _rank_values([array])[0]
    match natural_kind(array.type):
        case ColumnKind.INT:
            return _distinct(ints(array))
        case ColumnKind.FLOAT:
            return _distinct(floats(array))
        case ColumnKind.CODE | ColumnKind.SCALED:
            return _rank([array], "number" if kind in NUMBERS else kind.value)[0]


def _distinct(numbers: npt.NDArray[Any]) -> Codes:
    """NumPy has the order of Kleene: NaN is one value and above all others, -0.0 is 0.0."""
    return np.unique(numbers, return_inverse=True)[1].astype(np.int64)


def ranked(
    arrays: Sequence[pa.Array], groups: Sequence[str], literals: Sequence[CodeLiteral]
) -> tuple[list[Codes], Codes]:
    """The codes of each array, and of each literal."""
    codes: list[Codes] = [np.zeros(0, np.int64)] * len(arrays)
    lit = np.zeros(len(literals), np.int64)
    for group in dict.fromkeys((*groups, *(literal.group for literal in literals))):
        columns = [number for number, name in enumerate(groups) if name == group]
        constants = [number for number, found in enumerate(literals) if found.group == group]
        members = [arrays[number] for number in columns]
        members += [_constant(literals[number]) for number in constants]
        found = _rank(members, group)
        for number, ranks in zip(columns, found, strict=False):
            codes[number] = ranks
        for number, (rank,) in zip(constants, found[len(columns) :], strict=True):
            lit[number] = rank
    return codes, lit


def _constant(literal: CodeLiteral) -> pa.Array:
    return pa.array([literal.value], literal.type)


def _rank(arrays: list[pa.Array], group: str) -> list[Codes]:
    """Arrow sorts strings by their bytes, which is by code points, and numbers exactly."""
    type_ = native_type(arrays, group)
    if type_ is None:
        return _rank_values(arrays)
    arrays = [array.cast(type_) for array in arrays]
    values = pc.unique(pa.concat_arrays([pc.unique(array) for array in arrays])).drop_null()
    ordered = values.take(pc.sort_indices(values))
    return [_codes(pc.index_in(array, value_set=ordered)) for array in arrays]


def native_type(arrays: Sequence[pa.Array], group: str) -> pa.DataType | None:
    """A type whose values Arrow compares as Kleene does, that holds all values of the arrays."""
    native = _NATIVE.get(group)
    return None if native is None else native(arrays)


def _codes(indices: pa.Array) -> Codes:
    return _numpy(indices.fill_null(0)).astype(np.int64)


def _rank_values(arrays: list[pa.Array]) -> list[Codes]:
    """Whatever has an order in Kleene: arrays and structs, and numbers of very many digits."""
    keys = [sort_key(value) for array in arrays for value in array.to_pylist()]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    ranks = np.zeros(len(keys), np.int64)
    rank = 0
    for before, place in pairwise(order):
        rank += keys[before] != keys[place]
        ranks[place] = rank
    ends = list(accumulate(map(len, arrays)))
    return [ranks[end - len(array) : end] for end, array in zip(ends, arrays, strict=True)]


def _number(arrays: Sequence[pa.Array]) -> pa.DataType | None:
    """The decimal that holds all numbers exactly, if one does."""
    shapes = [digits(array.type) for array in arrays if kind_of(array.type) is not Kind.NULL]
    places = max((scale for _, scale in shapes), default=0)
    precision = max((most - scale for most, scale in shapes), default=1) + places
    if precision <= _DIGITS_OF_128:
        return pa.decimal128(precision, places)
    return pa.decimal256(precision, places) if precision <= _DIGITS_OF_256 else None


_NATIVE: dict[str, Callable[[Sequence[pa.Array]], pa.DataType | None]] = {
    "number": _number,
    Kind.STRING.value: lambda _: pa.large_string(),
    Kind.BINARY.value: lambda _: pa.large_binary(),
    Kind.TIME.value: lambda _: pa.time64("ns"),
}


def _numpy(array: pa.Array) -> npt.NDArray[Any]:
    found: npt.NDArray[Any] = array.to_numpy(zero_copy_only=False)
    return found
