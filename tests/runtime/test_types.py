"""Events of named types are found in the bytes of any column of text, as plain Python and not."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleene.program.helper import FEW
from kleene.runtime.types import rows_of

WORDS = ("", "A", "AB", "BA", "É", "A" * 70, "view", "vlew", "purchase")
PIECES = st.lists(st.lists(st.none() | st.sampled_from(WORDS), max_size=9), max_size=4)
TYPES = (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string()))


@given(PIECES, st.sets(st.sampled_from(WORDS)), st.sampled_from(TYPES), st.integers(0, 3))
def test_rows_of_names_are_found(
    pieces: list[list[str | None]], wanted: set[str], type_: pa.DataType, skipped: int
) -> None:
    names = sorted(wanted)
    arrays = [pa.array([*(["A"] * skipped), *piece]).cast(type_)[skipped:] for piece in pieces]
    rows, kinds = rows_of(pa.chunked_array(arrays, type_), names)
    texts = [text for piece in pieces for text in piece]
    expected = [(row, names.index(text)) for row, text in enumerate(texts) if text in wanted]
    assert list(zip(rows.tolist(), kinds.tolist(), strict=True)) == expected


@pytest.mark.parametrize("type_", TYPES[:2])
def test_machine_code_finds_what_python_does(type_: pa.DataType) -> None:
    texts = [*WORDS, None] * (FEW // len(WORDS))
    assert len(texts) > FEW
    names = sorted({"A", "vlew", ""})
    rows, kinds = rows_of(pa.chunked_array([texts], type_), names)
    expected = [(row, names.index(text)) for row, text in enumerate(texts) if text in names]
    assert list(zip(rows.tolist(), kinds.tolist(), strict=True)) == expected
