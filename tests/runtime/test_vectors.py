"""What is computed for all rows at once, and not row by row."""

from __future__ import annotations

import pytest

from kleene.language.expressions import Comparison
from kleene.program.columns import row_expression
from kleene.runtime.rows import Rows
from kleene.runtime.vectors import vector
from support.typed_events import rows, table
from support.written import conditions, expected


@pytest.mark.parametrize("text", ["a.y * 1.03 > 0", "a.p / a.y < 2e0", "a.y - a.q >= a.x"])
def test_floats_and_decimals(text: str) -> None:
    (condition,) = conditions(text)
    assert isinstance(condition, Comparison)
    product = condition.operands[0]
    found = vector(row_expression(product), Rows(table(), {}))
    assert found is not None
    values = [expected(product, {"a": place}, []) for place in range(len(rows()))]
    assert repr(found.to_pylist()) == repr(values)
