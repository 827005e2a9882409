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
    segments = [""]
    characters = iter(text)
    for character in characters:
        if character == escape:
            escaped = next(characters, "")
            if escaped not in {"%", "_", escape}:
                return None
            segments[-1] += re.escape(escaped)
        elif character == "%":
            segments.append("")
        else:
            segments[-1] += "." if character == "_" else re.escape(character)
    return re.compile(_joined(*segments), re.DOTALL)


def _joined(first: str, *others: str) -> str:
    """Each segment between two `%` stays where it is first found, so the time is never quadratic.

    Were it found later, no more would be left for the segments behind it.
    """
    if not others:
        return first
    *inner, last = others
    return first + "".join(f"(?>.*?{segment})" for segment in inner) + ".*" + last
