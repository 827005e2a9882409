"""The patterns of LIKE."""

from __future__ import annotations

import re
from functools import lru_cache


@lru_cache(maxsize=256)
def like_pattern(text: str, escape: str) -> re.Pattern[str] | None:
    """What a LIKE pattern matches: `%` any text, `_` any character, newlines too.

    The escape character may only stand before `%`, `_` or itself; None where it does not.

    >>> bool(like_pattern("50#%_", "#").fullmatch("50%!"))
    True
    """
    parts: list[str] = []
    characters = iter(text)
    for character in characters:
        if character == escape:
            escaped = next(characters, "")
            if escaped not in {"%", "_", escape}:
                return None
            parts.append(re.escape(escaped))
        else:
            parts.append({"%": ".*", "_": "."}.get(character) or re.escape(character))
    return re.compile("".join(parts), re.DOTALL)
