"""The experiments that there are, by name."""

from __future__ import annotations

import importlib

from kleene.bench.experiment import Experiment
from kleene.errors import NOWHERE, InputError, nearest

MODULES = {
    "floor": "kleene.bench.floor",
    "peers": "kleene.bench.peers",
    "limits": "kleene.bench.limits",
    "first-answer": "kleene.bench.first_answer",
    "sase": "kleene.bench.sase",
    "many": "kleene.bench.many",
}
"""The module of each experiment, which declares it as EXPERIMENT."""


def find(name: str) -> tuple[Experiment, str]:
    """The experiment of a name, and its module."""
    if name not in MODULES:
        hints = nearest(name, MODULES) or (f"experiments are {', '.join(MODULES)}",)
        raise InputError(f"there is no experiment {name}", NOWHERE, *hints)
    return load(MODULES[name]), MODULES[name]


def load(module: str) -> Experiment:
    """The experiment that a module declares."""
    found: Experiment = importlib.import_module(module).EXPERIMENT
    return found
