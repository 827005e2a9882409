"""Where the parser is in the tokens, how deep it is, and how it complains."""

from __future__ import annotations

from collections import deque
from typing import NoReturn

from kleene.errors import KleeneError, NestingError, QuerySyntaxError, Span, shown
from kleene.language.syntax import Name
from kleene.language.tokens import Token, TokenKind, tokenize
from kleene.language.words import CLAUSES, RESERVED

MAX_NESTING = 100
"""Levels that the tree of a query may have, so that passes over it may recurse.

The parser itself follows that many levels and as many pairs of parentheses around them. A level
costs it four frames of Python's stack, a pair of parentheses three.
"""


class Cursor:
    """A position in the tokens of a query."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._tokens = tokenize(text)
        self._ahead: deque[Token] = deque()
        self._level = 0
        self._parentheses = 0
        self.token = next(self._tokens)
        """The token to be read next."""
        self.previous = self.token
        """The token read last."""

    def at(self, *keys: str) -> bool:
        """Whether one of these symbols and keywords stands here."""
        return self.token.key in keys

    def at_end(self) -> bool:
        """Whether everything is read."""
        return self.token.kind is TokenKind.END

    def at_name(self) -> bool:
        """Whether something stands here that may be a name."""
        return self.token.kind is TokenKind.WORD or self.token.kind is TokenKind.QUOTED

    def peek(self, ahead: int = 1) -> Token:
        """A token further on."""
        while len(self._ahead) < ahead:
            self._ahead.append(next(self._tokens))
        return self._ahead[ahead - 1]

    def advance(self) -> Token:
        """Read a token."""
        token = self.token
        if token.kind is not TokenKind.END:
            self.previous = token
            self.token = self._ahead.popleft() if self._ahead else next(self._tokens)
        return token

    def accept(self, *keys: str) -> Token | None:
        """Read one of these symbols and keywords if it stands here."""
        return self.advance() if self.token.key in keys else None

    def expect(self, key: str, where: str, *hints: str) -> Token:
        """Read a symbol or a keyword, or say that it is missing."""
        return self.accept(key) or self.fail(f"{key} {where}", *hints)

    def close(self, opening: Token, expected: str, *hints: str) -> None:
        """Read the bracket that closes another one, or say what could stand here."""
        if self.accept(_CLOSING[opening.value]):
            return
        if self.at_end() or self.token.key in CLAUSES:
            hints = (f"the {opening.value} {self._where(opening)} is still open",)
        self.fail(expected, *hints)

    def since(self, start: Token) -> Span:
        """The span from a token to the one read last."""
        return Span(start.start, max(self.previous.end, start.end))

    def newline_before(self) -> bool:
        """Whether a line ends between the last token and the next."""
        return "\n" in self.text[self.previous.end : self.token.start]

    def name(self, what: str, reserved: frozenset[str], *hints: str) -> Name:
        """Read a name, in backticks or not."""
        token = self.token
        if not self.at_name() or token.key in reserved:
            self.fail(what, *hints)
        self.advance()
        return Name(token.value, token.span)

    def fail(self, expected: str, *hints: str) -> NoReturn:
        """Say what was expected where something else stands."""
        raise self.unexpected(expected, *hints)

    def unexpected(self, expected: str, *hints: str) -> KleeneError:
        """The error of something else standing where `expected` should."""
        token = self.token
        written = self.text[token.start : token.end]
        if self.at_end():
            found = "the query ends here"
        elif token.key in CLAUSES:
            found = f"{token.key} begins here"
        else:
            found = f"found {_NAMED.get(token.key) or shown(written)}"
        if token.key in RESERVED and (written != token.key or not hints):
            hints = (*hints, f"if {written} is a name here, write it in backticks: `{written}`")
        return QuerySyntaxError(f"expected {expected}, but {found}", token.span, *hints)

    def enter(self) -> None:
        """Go a level down: what is read now lies below the node that asks for it."""
        self._level += 1
        if self._level > MAX_NESTING:
            raise too_deep(self.token.span)

    def leave(self) -> None:
        """Come back up from a level."""
        self._level -= 1

    def open_parenthesis(self) -> Token:
        """Read a parenthesis around something, which makes the tree no deeper."""
        self._parentheses += 1
        self._level -= 1
        if self._parentheses > MAX_NESTING:
            raise too_deep(self.token.span)
        return self.advance()

    def leave_parenthesis(self) -> None:
        """Be outside of a parenthesis again."""
        self._parentheses -= 1
        self._level += 1

    def _where(self, token: Token) -> str:
        """The place of a token in words."""
        line = self.text.count("\n", 0, token.start) + 1
        column = token.start - self.text.rfind("\n", 0, token.start)
        if "\n" in self.text:
            return f"in line {line}, column {column}"
        return f"in column {column}"


_CLOSING = {"(": ")", "[": "]", "{": "}"}
_NAMED = {",": "a comma", ".": "a dot", ":": "a colon", ";": "a semicolon"}


def too_deep(span: Span) -> NestingError:
    """The error of a query nested too deeply."""
    return NestingError(
        f"the query is nested more than {MAX_NESTING} levels deep here",
        span,
        "name parts of it as types with DEFINE, or split the query",
    )
