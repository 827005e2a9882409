"""No name and no value of a user's becomes code of a generated kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.api.options import Options
from kleene.api.plan import planner
from kleene.program.kernel import plan_kernel
from support.hostile import HARMLESS, TEXTS, armed, call_with, told
from support.on_spark import Call


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """The file that a text leaves if it runs."""
    return tmp_path / "ran"


def source_of(call: Call) -> str:
    roles = {"order_by": (), "partition_by": (), **call.roles}
    return plan_kernel(planner(call.query, Options(), **roles)(call.table.schema)).source


@pytest.mark.parametrize("text", TEXTS)
def test_in_this_process(text: str, mark: Path) -> None:
    harmless, text = call_with(HARMLESS), armed(text, mark)
    call = call_with(text)
    assert source_of(call) == source_of(harmless)
    found = told(call.of(call.table, evaluation="nfa"), text)
    assert found == told(harmless.of(harmless.table), HARMLESS)
    assert len(found) > 1
    assert told(call.expected, text) == found
    assert not mark.exists()
