"""Rows that are no events: never dropped in silence (semantics 1)."""

from __future__ import annotations

import warnings

from kleene.api.options import Options
from kleene.errors import NOWHERE, BadRowsError


class BadRowsWarning(UserWarning):
    """Some rows were no events, and took no part in the matching."""


class BadRows:
    """Counts them, and tells what it has counted."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._rows = 0

    def bad(self, rows: int) -> None:
        """Some more."""
        self._rows += rows

    def report(self) -> None:
        """Warn or raise, as the call wants it; what was reported once is not again."""
        rows, self._rows = self._rows, 0
        if not rows:
            return
        text = f"{rows:,} row{' is' if rows == 1 else 's are'} no event: without a valid time"
        if self._options.bad_rows == "error":
            raise BadRowsError(text, NOWHERE, 'bad_rows="skip" leaves them out and warns')
        warnings.warn(text, BadRowsWarning, stacklevel=3)
