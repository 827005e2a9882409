"""The experiment that takes too much, as a worker finds it."""

from support.toy_experiment import LIMITED as EXPERIMENT

__all__ = ["EXPERIMENT"]
