"""The content of quoted strings."""

from __future__ import annotations

import re

from kleene.errors import QuerySyntaxError, Span

_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "0": "\0", "Z": "\x1a"}
_ESCAPE = re.compile(
    r"""
    \\u (?P<pair> (?i: d[89ab][0-9a-f]{2} \\u d[c-f][0-9a-f]{2} ) )
  | \\u (?P<four> (?i: [0-9a-f]{4} ) )
  | \\U (?P<eight> (?i: [0-9a-f]{8} ) )
  | \\ (?P<octal> [01][0-7]{2} )
  | \\ (?P<other> . )
  | (?P<doubled> '' | "" )
    """,
    re.VERBOSE | re.DOTALL,
)


def unescape(literal: str, start: int) -> str:
    r"""What a string in quotes spells: backslashes as Spark reads them, and doubled quotes.

    >>> unescape(r"'it''s \u00e9 or \101'", 0)
    "it's é or A"
    """
    quote, content = literal[0], literal[1:-1]
    if "\\" not in content:
        return content.replace(quote * 2, quote)

    def spelled(found: re.Match[str]) -> str:
        match found.lastgroup, found[found.lastgroup or 0]:
            case "doubled", quotes:
                return quote if quotes[0] == quote else quotes
            case "octal", digits:
                return chr(int(digits, 8))
            case "other", letter:
                # `\%` and `\_` stay as they are: they are escapes of LIKE, not of the string.
                return f"\\{letter}" if letter in "%_" else _LETTERS.get(letter, letter)
            case "pair", digits:
                halves = bytes.fromhex(digits[:4] + digits[-4:])
                return halves.decode("utf-16-be")
            case _, digits:
                return _character(int(digits, 16), start + 1 + found.start(), len(found[0]))

    return _ESCAPE.sub(spelled, content)


def _character(number: int, start: int, length: int) -> str:
    if number in range(0xD800, 0xE000) or number > 0x10FFFF:  # noqa: PLR2004 - of Unicode
        raise QuerySyntaxError(
            "no character has this number",
            Span(start, start + length),
            "a backslash that is meant as one is written twice: \\\\",
        )
    return chr(number)
