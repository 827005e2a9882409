"""Why runs cannot be merged."""

from __future__ import annotations


class Enumerates(Exception):  # noqa: N818 - a signal: matches are then found one by one
    """The reason why matches have to be enumerated, as `explain` tells it."""
