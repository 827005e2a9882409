"""How many random examples a law is tried on: KLEENE_EXAMPLES, or few enough for every run.

`--hypothesis-profile=search` tries other examples every time; without it they are always the same.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

_EXAMPLES = int(os.environ.get("KLEENE_EXAMPLES", "300"))

settings.register_profile(
    "same",
    max_examples=_EXAMPLES,
    deadline=None,
    derandomize=True,
    suppress_health_check=[
        HealthCheck.data_too_large,
        HealthCheck.filter_too_much,
        HealthCheck.too_slow,
    ],
)
settings.register_profile("search", settings.get_profile("same"), derandomize=False)
settings.load_profile("same")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever starts Spark runs in one process: sessions would compete for the cores."""
    for item in items:
        if item.get_closest_marker("spark"):
            item.add_marker(pytest.mark.xdist_group("spark"))
