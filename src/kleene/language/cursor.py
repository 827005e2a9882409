"""Where the parser is in the tokens, and how it complains."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from kleene.errors import KleeneError, NestingError, QuerySyntaxError, Span
from kleene.language.syntax import Name
from kleene.language.tokens import CLAUSES, Token, TokenKind, tokenize

MAX_NESTING = 100
"""Levels of nesting that a query may have; every pass over the tree recurses at most that deep."""


class Cursor:
    """A position in the tokens of a query."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._tokens = tokenize(text)
        self._position = 0
        self._depth = 0

    @property
    def token(self) -> Token:
        """The token to be read next."""
        return self._tokens[self._position]

    @property
    def previous(self) -> Token:
        """The token read last."""
        return self._tokens[max(self._position - 1, 0)]

    def peek(self, ahead: int = 1) -> Token:
        """A token further on."""
        return self._tokens[min(self._position + ahead, len(self._tokens) - 1)]

    def advance(self) -> Token:
        """Read a token."""
        token = self.token
        if token.kind is not TokenKind.END:
            self._position += 1
        return token

    def accept(self, *symbols: str) -> Token | None:
        """Read one of these symbols if it stands here."""
        return self.advance() if self.token.is_symbol(*symbols) else None

    def accept_word(self, *keywords: str) -> Token | None:
        """Read one of these keywords if it stands here."""
        return self.advance() if self.token.is_word(*keywords) else None

    def expect(self, symbol: str, where: str, *hints: str) -> Token:
        """Read a symbol, or say that it is missing."""
        return self.accept(symbol) or self.fail(f"{symbol} {where}", *hints)

    def expect_word(self, keyword: str, where: str) -> Token:
        """Read a keyword, or say that it is missing."""
        return self.accept_word(keyword) or self.fail(f"{keyword} {where}")

    def since(self, start: Token) -> Span:
        """The span from a token to the one read last."""
        return Span(start.start, max(self.previous.end, start.end))

    def newline_before(self) -> bool:
        """Whether a line ends between the last token and the next."""
        return "\n" in self.text[self.previous.end : self.token.start]

    def name(self, what: str, reserved: frozenset[str]) -> Name:
        """Read a name, in backticks or not."""
        token = self.token
        if token.kind is TokenKind.QUOTED:
            self.advance()
            return Name(token.value, token.span)
        if token.kind is not TokenKind.WORD:
            self.fail(what)
        if token.upper in reserved:
            raise QuerySyntaxError(
                f"{token.value} is a word of the language and cannot be {what}",
                token.span,
                f"write it in backticks to use it as a name: `{token.value}`",
            )
        self.advance()
        return Name(token.value, token.span)

    def fail(self, expected: str, *hints: str) -> NoReturn:
        """Say what was expected where something else stands."""
        raise self.unexpected(expected, *hints)

    def unexpected(self, expected: str, *hints: str) -> KleeneError:
        """The error of something else standing where `expected` should."""
        token = self.token
        if token.kind is TokenKind.END:
            found = "the query ends here"
        elif token.upper in CLAUSES:
            found = f"{token.upper} begins here"
        else:
            found = f"this is {_shown(self.text[token.start : token.end])}"
        return QuerySyntaxError(f"expected {expected}, but {found}", token.span, *hints)

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """One more level of nesting, refused beyond MAX_NESTING."""
        if self._depth >= MAX_NESTING:
            raise too_deep(self.token.span)
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1


def too_deep(span: Span) -> NestingError:
    """The error of a query nested too deeply."""
    return NestingError(
        f"the query is nested more than {MAX_NESTING} levels deep here",
        span,
        "name parts of it as types with DEFINE, or split the query",
    )


def _shown(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "…"
