"""The cases of meaning: what users get back for a stream and a query."""

from __future__ import annotations

import warnings

import pyarrow as pa
import pytest

import kleene
from kleene.errors import KleeneError
from support.cases import Case, notation, plain, read_cases, same_multiset, same_rows

CASES = read_cases()
_NOT_VARIABLES = {"match_start", "match_end", "confidence"}


def matches_of(case: Case) -> pa.Table:
    stream = case.stream
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", kleene.BadRowsWarning)
        return kleene.match(
            stream.table(),
            case.data["query"],
            **case.roles(stream),
            output=case.data.get("output", "matches"),
            options=case.data.get("options"),
        )


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_case(case: Case) -> None:
    if "error" in case.data:
        with pytest.raises(KleeneError) as raised:
            matches_of(case)
        assert raised.value.code == case.data["error"], str(raised.value)
        return
    rows = matches_of(case).to_pylist()
    if "matches" in case.data:
        shown = [
            " ".join(notation(value) for name, value in row.items() if name not in _NOT_VARIABLES)
            for row in rows
        ]
        assert same_multiset(case.data["matches"], shown)
    else:
        plain_rows = [{name: plain(value) for name, value in row.items()} for row in rows]
        assert same_rows(case.data["rows"], plain_rows), (case.data["rows"], plain_rows)


def test_names_are_unique() -> None:
    names = [case.name for case in CASES]
    assert len(names) == len(set(names))
