"""References to events and their attributes: `a.price`, `b[i-1].price`, `b[]`."""

from __future__ import annotations

from kleene.errors import IndexUseError, Span
from kleene.language.cursor import Cursor
from kleene.language.expressions import Index, IndexKind, Reference
from kleene.language.tokens import EXPRESSION_WORDS, Token, TokenKind

INDEX_LETTERS = "ijklmn"
"""The index of each array dimension: `b[i]`, and `b[i][j]` for Kleene within a group."""


def parse_reference(cursor: Cursor) -> Reference:
    """A variable with its indices and the path behind it; or a column, which looks the same."""
    start = cursor.token
    variable = cursor.name("a variable", EXPRESSION_WORDS)
    indices: list[Index] = []
    while cursor.token.is_symbol("["):
        indices.append(_index(cursor, variable.text, len(indices)))
    path = _fields(cursor)
    return Reference(variable.text, tuple(indices), path, cursor.since(start))


def parse_path(cursor: Cursor, what: str) -> tuple[str, ...]:
    """`user` or `job.id`: a column and the fields within it."""
    return (cursor.name(what, frozenset()).text, *_fields(cursor))


def _fields(cursor: Cursor) -> tuple[str, ...]:
    fields = []
    while cursor.token.is_symbol(".") and cursor.peek().kind in (TokenKind.WORD, TokenKind.QUOTED):
        cursor.advance()
        fields.append(cursor.advance().value)
    if cursor.token.is_symbol(".") and cursor.peek().kind is not TokenKind.END:
        cursor.advance()
        cursor.fail("the name of an attribute behind the dot")
    return tuple(fields)


def _index(cursor: Cursor, variable: str, level: int) -> Index:
    start = cursor.advance()
    letter = INDEX_LETTERS[min(level, len(INDEX_LETTERS) - 1)]
    kind = _index_kind(cursor, variable, letter)
    cursor.expect("]", "behind the index")
    return Index(kind, cursor.since(start))


def _index_kind(cursor: Cursor, variable: str, letter: str) -> IndexKind:
    token = cursor.token
    if token.is_symbol("]"):
        return IndexKind.ALL
    if token.is_symbol(".."):
        return _up_to(cursor, variable, letter)
    if token.kind is TokenKind.NUMBER:
        if token.value != "1":
            raise _wrong_index(variable, letter, cursor.token.span)
        cursor.advance()
        if cursor.token.is_symbol(".."):
            return _up_to(cursor, variable, letter)
        return IndexKind.FIRST
    if token.kind is TokenKind.WORD:
        _letter(cursor, variable, letter)
        return IndexKind.PREVIOUS if _minus_one(cursor, variable, letter) else IndexKind.EACH
    raise _wrong_index(variable, letter, token.span)


def _up_to(cursor: Cursor, variable: str, letter: str) -> IndexKind:
    cursor.advance()
    _letter(cursor, variable, letter)
    return IndexKind.BEFORE if _minus_one(cursor, variable, letter) else IndexKind.UP_TO


def _letter(cursor: Cursor, variable: str, letter: str) -> Token:
    token = cursor.token
    if token.value.casefold() == letter and token.kind is TokenKind.WORD:
        return cursor.advance()
    raise _wrong_index(variable, letter, token.span)


def _minus_one(cursor: Cursor, variable: str, letter: str) -> bool:
    if not cursor.accept("-"):
        return False
    if not (cursor.token.kind is TokenKind.NUMBER and cursor.token.value == "1"):
        raise _wrong_index(variable, letter, cursor.token.span)
    cursor.advance()
    return True


def _wrong_index(variable: str, letter: str, span: Span) -> IndexUseError:
    forms = ", ".join(
        f"{variable}[{form}]"
        for form in (letter, f"{letter}-1", "1", f"..{letter}-1", f"..{letter}", "")
    )
    return IndexUseError(
        "this is no index of a Kleene variable", span, f"the forms are {forms}"
    )
