"""Functions on strings, whose characters are Unicode's code points and are counted from 1."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

LONGEST = 2**31 - 1
"""Bytes of the longest string in Spark; what would be longer is null."""


def octets(value: str | bytes) -> int:
    return len(value.encode()) if isinstance(value, str) else len(value)


def strip(text: str, characters: str = " ") -> str:
    return text.strip(characters)


def substring(text: str, position: int, length: int | None = None) -> str:
    """From the position, or from so far before the end, where 0 means 1."""
    start = position - 1 if position > 0 else position + len(text) if position < 0 else 0
    end = len(text) if length is None else start + length
    return text[max(start, 0) : max(end, 0)]


def left(text: str, length: int) -> str:
    return text[: max(length, 0)]


def right(text: str, length: int) -> str:
    return text[max(len(text) - length, 0) :] if length > 0 else ""


def concat(*parts: str) -> str:
    return "".join(parts)


def concat_ws(separator: str | None, *parts: str | list[str | None] | None) -> str | None:
    """Strings and elements of arrays, without nulls; only a null separator makes null."""
    if separator is None:
        return None
    flat = chain.from_iterable(part if isinstance(part, list) else (part,) for part in parts)
    return separator.join(part for part in flat if part is not None)


def replace(text: str, search: str, replacement: str = "") -> str:
    return text.replace(search, replacement) if search else text


def translate(text: str, characters: str, replacements: str) -> str:
    """Each character by the one in its place; of a character given twice the first counts."""
    table: dict[int, str] = {}
    for place, character in enumerate(characters):
        table.setdefault(ord(character), replacements[place : place + 1])
    return text.translate(table)


def repeat(text: str, times: int) -> str | None:
    return None if octets(text) * times > LONGEST else text * times


def pad_left(text: str, length: int, padding: str = " ") -> str | None:
    return None if length > LONGEST else _padding(text, length, padding) + left(text, length)


def pad_right(text: str, length: int, padding: str = " ") -> str | None:
    return None if length > LONGEST else left(text, length) + _padding(text, length, padding)


def _padding(text: str, length: int, padding: str) -> str:
    missing = length - len(text)
    if missing <= 0 or not padding:
        return ""
    return (padding * (missing // len(padding) + 1))[:missing]


def instr(text: str, part: str) -> int:
    """The first place of the part, 0 for none."""
    return text.find(part) + 1


def locate(part: str | None, text: str | None, start: int | None = 1) -> int | None:
    """As `instr`, from a place on; an empty part is always at 1, a null start finds nothing."""
    if start is None:
        return 0
    if part is None or text is None:
        return None
    if start < 1:
        return 0
    return text.find(part, start - 1) + 1 if part else 1


def first_code_point(text: str) -> int:
    return ord(text[0]) if text else 0


TEXTS: dict[str, Callable[..., object]] = {
    **dict.fromkeys(("length", "len", "char_length", "character_length"), len),
    "octet_length": octets,
    **dict.fromkeys(("lower", "lcase"), str.lower),
    **dict.fromkeys(("upper", "ucase"), str.upper),
    "trim": strip,
    "ltrim": lambda text: text.lstrip(" "),
    "rtrim": lambda text: text.rstrip(" "),
    "btrim": strip,
    **dict.fromkeys(("substring", "substr"), substring),
    "left": left,
    "right": right,
    "repeat": repeat,
    "concat": concat,
    "replace": replace,
    "translate": translate,
    "lpad": pad_left,
    "rpad": pad_right,
    "instr": instr,
    "startswith": str.startswith,
    "endswith": str.endswith,
    "contains": str.__contains__,
    "ascii": first_code_point,
}
