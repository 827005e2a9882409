"""No name and no value of a user's becomes SQL or Python on Spark."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

import kleene
from support.hostile import PYTHON, SQL, STRANGE, armed, call_with

pytestmark = pytest.mark.spark

TEXTS = ("class", "a.b", "`", '"', "a\nb", "\\", "slice", *STRANGE, *SQL, PYTHON[1], PYTHON[2])


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """The file that a text leaves if it runs."""
    return tmp_path / "ran"


@pytest.mark.parametrize("text", TEXTS)
def test_by_key(spark: Any, text: str, mark: Path) -> None:
    call_with(armed(text, mark)).check(spark)
    assert not mark.exists()


@pytest.mark.parametrize("text", ["slice", "side", "home", *SQL])
def test_by_slices(spark: Any, text: str, mark: Path) -> None:
    call_with(armed(text, mark), keyed=False).check(spark)
    assert not mark.exists()


def test_bad_rows_of_a_column_with_a_hostile_name(spark: Any, mark: Path) -> None:
    text = armed(SQL[1], mark)
    call = call_with(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = kleene.match(
            spark.createDataFrame(call.table),
            call.query,
            **call.roles,
            options=kleene.Options(bad_rows="error"),
        )
    with pytest.raises(Exception, match="BadRowsError") as error:
        found.toArrow()
    assert text in str(error.value)
    assert not mark.exists()
