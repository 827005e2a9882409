"""References to events and their attributes: `a.price`, `b[i-1].price`, `b[]`."""

from __future__ import annotations

from kleene.errors import IndexUseError, KleeneError, shown
from kleene.language.cursor import MAX_NESTING, Cursor, too_deep
from kleene.language.expressions import Index, IndexKind, Reference
from kleene.language.tokens import TokenKind
from kleene.language.words import CLAUSES, EXPRESSION_WORDS

INDEX_LETTERS = "ijklmn"
"""The index of each array dimension: `b[i]`, and `b[i][j]` for Kleene within a group."""


def parse_reference(cursor: Cursor) -> Reference:
    """A variable with its indices and the path behind it; or a column, which looks the same."""
    start = cursor.token
    if start.key in EXPRESSION_WORDS or not cursor.at_name():
        raise _no_value(cursor)
    variable = cursor.advance().value
    indices: tuple[Index, ...] = ()
    if cursor.token.key == "[":
        indices = _indices(cursor, variable)
    path = parse_fields(cursor) if cursor.token.key == "." else ()
    return Reference(variable, indices, path, cursor.since(start))


def _no_value(cursor: Cursor) -> KleeneError:
    """The error of something that is no operand where one is missing."""
    token = cursor.token
    hints: tuple[str, ...] = ()
    if cursor.previous.key == "," and (token.key in (")", "]") or token.key in CLAUSES):
        hints = ("is there a comma too many?",)
    elif cursor.previous.key + token.key in _APART:
        hints = (_APART[cursor.previous.key + token.key],)
    elif token.key in _NO_VALUE:
        hints = (_NO_VALUE[token.key],)
    elif token.key == ")" and cursor.previous.key in _NOTHING_IN:
        hints = (_NOTHING_IN[cursor.previous.key],)
    elif cursor.previous.key in _EXAMPLES and (token.key in CLAUSES or not cursor.at_name()):
        hints = (_EXAMPLES[cursor.previous.key],)
    return cursor.unexpected("a value, a variable or a condition", *hints)


_NO_VALUE = {
    **dict.fromkeys(
        ("?", ":", "$", "@", "{", "%"), "a value is written out, there are no placeholders"
    ),
    **dict.fromkeys(("AND", "OR"), "what it joins stands before and behind it"),
    "*": "a power is written power(x, y), and all events of b are b[]",
    "EXISTS": "EXISTS stands in the pattern: EXISTS c : SEQ(A a, C c)",
    "#": "a comment begins with --",
    "==": "equality is written with one sign: =",
    "~": "a regular expression stands behind RLIKE, as in a.x RLIKE '^b'",
    **dict.fromkeys(
        ("=", "!=", "<", "<=", ">", ">=", "<=>"),
        "a comparison has two sides, as in a.x > 1 AND a.x < 5",
    ),
}
_APART = {
    **{signs: f"{signs} is written without a blank" for signs in ("<=", ">=", "!=", "<>")},
    "==": "equality is written with one sign: =",
    "<<": "bits are moved by shiftleft(x, 1)",
    ">>": "bits are moved by shiftright(x, 1)",
}
"""What two signs in a row were meant as."""
_NOTHING_IN = {
    "(": "write a condition between them, as in (a.x > 1 OR a.y > 1)",
    ":": "as in (B b : b.price > 1), or leave the colon out",
}
_EXAMPLES = {
    "WHERE": "as in WHERE a.price > 100",
    "RETURN": "as in RETURN a.price, or leave it out to get every variable",
    "%": "what LIKE compares with stands in quotes, as in a.x LIKE 'b%'",
    "AND": "nothing follows behind the last condition",
}


def parse_path(cursor: Cursor, what: str, reserved: frozenset[str], *hints: str) -> tuple[str, ...]:
    """`user` or `job.id`: a column and the fields within it."""
    return (cursor.name(what, reserved, *hints).text, *parse_fields(cursor))


def parse_fields(cursor: Cursor) -> tuple[str, ...]:
    """`.price`, `.address.city`: what is reached with dots, behind which any word is a name."""
    fields: list[str] = []
    while cursor.token.key == ".":
        behind = cursor.peek()
        if behind.kind is TokenKind.END:
            break  # the full stop behind a query
        cursor.advance()
        if not cursor.at_name():
            hint = "as in a.price"
            if behind.key == "*":
                hint = "a variable alone is the whole event"
            if behind.kind is TokenKind.STRING:
                hint = f"names stand in backticks: `{shown(behind.value)}`"
            cursor.fail("the name of an attribute behind the dot", hint)
        if len(fields) == MAX_NESTING:
            raise too_deep(cursor.token.span)
        fields.append(cursor.advance().value)
    return tuple(fields)


def _indices(cursor: Cursor, variable: str) -> tuple[Index, ...]:
    indices: list[Index] = []
    while cursor.token.key == "[":
        start = cursor.advance()
        if len(indices) == len(INDEX_LETTERS):
            raise IndexUseError(
                f"{shown(variable)} has more than {len(INDEX_LETTERS)} indices",
                start.span,
                "there is one for each repetition around a variable: b[i], b[i][j]",
            )
        outer = "".join(f"[{letter}]" for letter in INDEX_LETTERS[: len(indices)])
        letter = INDEX_LETTERS[len(indices)]
        name = shown(variable) + outer
        kind = _IndexReader(cursor, name, letter).read()
        cursor.close(start, "] behind the index", f"as in {name}[..{letter}]")
        indices.append(Index(kind, cursor.since(start)))
    return tuple(indices)


class _IndexReader:
    """Reads what stands between the brackets of a variable, where `letter` is the index."""

    def __init__(self, cursor: Cursor, variable: str, letter: str) -> None:
        self.cursor = cursor
        self.variable = variable
        self.letter = letter

    def read(self) -> IndexKind:
        cursor = self.cursor
        if cursor.at("]"):
            return IndexKind.ALL
        if self._accept_one():
            return self._up_to() if cursor.accept("..") else IndexKind.FIRST
        if cursor.accept(".."):
            return self._up_to()
        self._letter()
        return IndexKind.PREVIOUS if self._minus_one() else IndexKind.EACH

    def _up_to(self) -> IndexKind:
        self._letter()
        return IndexKind.BEFORE if self._minus_one() else IndexKind.UP_TO

    def _letter(self) -> None:
        if not self.cursor.accept(self.letter.upper()):
            raise self._wrong()

    def _minus_one(self) -> bool:
        if self.cursor.at("+"):
            raise self._wrong()
        if not self.cursor.accept("-"):
            return False
        if not self._accept_one():
            raise self._wrong()
        return True

    def _accept_one(self) -> bool:
        token = self.cursor.token
        return token.kind is TokenKind.NUMBER and token.value == "1" and bool(self.cursor.advance())

    def _wrong(self) -> IndexUseError:
        """Brackets name elements in few ways only; the hint fits what was tried."""
        token, name, i = self.cursor.token, self.variable, self.letter
        if token.key in ("LAST", "-"):
            hint = f"the last element is last({name}[].x)"
        elif token.kind is TokenKind.NUMBER and self.cursor.previous.key != "-":
            hint = f"only the first element has a number: {name}[1]"
        elif token.kind is TokenKind.NUMBER or token.key == "+":
            hint = f"only the element before has a name: {name}[{i}-1]"
        elif token.kind is TokenKind.STRING:
            hint = f"an attribute is reached with a dot: {name}.{shown(token.value)}"
        elif token.kind is TokenKind.WORD:
            hint = f"the index is always called {i}: {name}[{i}]"
        else:
            hint = f"leave the brackets empty for all elements: {name}[]"
        forms = (i, f"{i}-1", "1", f"..{i}-1", f"..{i}", "")
        listed = ", ".join(f"{name}[{form}]" for form in forms)
        return IndexUseError(
            f"this is no index of {name}", token.span, hint, f"the indices are {listed}"
        )
