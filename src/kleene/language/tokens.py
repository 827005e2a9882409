"""Text to tokens."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple

from kleene.errors import QuerySyntaxError, Span


class TokenKind(StrEnum):
    """What a token is, before grammar."""

    WORD = "word"
    QUOTED = "quoted name"
    NUMBER = "number"
    STRING = "string"
    BINARY = "binary string"
    SYMBOL = "symbol"
    END = "end of the query"


class Token(NamedTuple):
    """A token; `value` is the text with quotes, escapes and alternative spellings resolved."""

    kind: TokenKind
    value: str
    start: int
    end: int

    @property
    def span(self) -> Span:
        """Where the token stands."""
        return Span(self.start, self.end)

    @property
    def upper(self) -> str:
        """The keyword that a word spells, in one case; empty for everything that is no word."""
        return self.value.upper() if self.kind is TokenKind.WORD else ""

    def is_symbol(self, *symbols: str) -> bool:
        """Whether the token is one of these symbols."""
        return self.kind is TokenKind.SYMBOL and self.value in symbols

    def is_word(self, *keywords: str) -> bool:
        """Whether the token is one of these keywords, in any case."""
        return self.kind is TokenKind.WORD and self.value.upper() in keywords


CLAUSES = ("DEFINE", "WHERE", "PARTITION", "STRATEGY", "WITHIN", "CONFIDENCE", "AFTER", "RETURN")
PATTERN_WORDS = frozenset(
    ("PATTERN", *CLAUSES, "SEQ", "AND", "OR", "NOT", "KL", "ANY", "EXISTS", "UNION")
)
"""Words that cannot name a type without backticks."""
EXPRESSION_WORDS = frozenset(
    ("PATTERN", *CLAUSES, "AND", "OR", "NOT", "IN", "BETWEEN", "LIKE", "RLIKE", "IS", "NULL")
    + ("TRUE", "FALSE", "CASE", "WHEN", "THEN", "ELSE", "END", "AS", "EXISTS", "DIV", "ESCAPE")
)
"""Words that cannot name a variable without backticks."""

_SPELLINGS = {"<>": "!=", "≥": ">=", "≤": "<=", "≠": "!=", "−": "-"}
_WORD_SPELLINGS = {"∧": "AND", "∨": "OR", "¬": "NOT", "∪": "UNION", "∃": "EXISTS"}

_TOKEN = re.compile(
    r"""
    (?P<space>   (?: \s+ | --[^\n]* | //[^\n]* | /\*.*?\*/ )+ )
  | (?P<raw>     [rR] (?: '[^']*' | "[^"]*" ) )
  | (?P<binary>  [xX] '[0-9a-fA-F]*' )
  | (?P<word>    [^\W\d]\w* )
  | (?P<number>  (?: \d+\.\d+ | \d+ | \.\d+ ) (?: [eE][+-]?\d+ )? )
  | (?P<string>  ' (?: [^'\\] | \\. | '' )* ' | " (?: [^"\\] | \\. | "" )* " )
  | (?P<quoted>  ` (?: [^`] | `` )+ ` )
  | (?P<logic>   [∧∨¬∪∃] )
  | (?P<symbol>  <=> | \|\| | && | == | => | =< | <= | >= | <> | != | -> | \.\.
               | [()\[\]{},;:.+\-*/%=<>!~?^&|@\#$≥≤≠−] )
    """,
    re.VERBOSE | re.DOTALL,
)

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "b": "\b", "Z": "\x1a"}


def tokenize(text: str) -> list[Token]:
    """The tokens of a text, the last of kind END."""
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            raise _unreadable(text, position)
        group, start, position = found.lastgroup, position, found.end()
        match group:
            case "space":
                continue
            case "word":
                if _is_primed(text, found.group(), position):
                    position += 1
                token = Token(TokenKind.WORD, text[start:position], start, position)
            case "number":
                token = Token(TokenKind.NUMBER, found.group(), start, position)
            case "logic":
                token = Token(TokenKind.WORD, _WORD_SPELLINGS[found.group()], start, position)
            case "symbol":
                symbol = _SPELLINGS.get(found.group(), found.group())
                token = Token(TokenKind.SYMBOL, symbol, start, position)
            case "quoted":
                name = found.group()[1:-1].replace("``", "`")
                token = Token(TokenKind.QUOTED, name, start, position)
            case "raw":
                token = Token(TokenKind.STRING, found.group()[2:-1], start, position)
            case "binary":
                token = Token(TokenKind.BINARY, found.group()[2:-1], start, position)
            case _:
                token = Token(TokenKind.STRING, _unescape(found.group()), start, position)
        tokens.append(token)
    tokens.append(Token(TokenKind.END, "", len(text), len(text)))
    return tokens


def _is_primed(text: str, word: str, end: int) -> bool:
    """Whether a prime belongs to the name before it, as in the type `B'` of paper 2."""
    return (
        text.startswith("'", end)
        and text[end + 1 : end + 2] in set(" \t\r\n,)")
        and word.upper() not in PATTERN_WORDS | EXPRESSION_WORDS
    )


def _unescape(literal: str) -> str:
    """The content of a quoted string: doubled quotes and backslashes as Spark reads them."""
    quote, content = literal[0], literal[1:-1]
    if "\\" not in content:
        return content.replace(quote * 2, quote)
    # `\%` and `\_` stay as they are: they are escapes of LIKE, not of the string.
    pattern = re.compile(rf"\\u([0-9a-fA-F]{{4}})|\\(.)|{quote}{quote}", re.DOTALL)

    def replaced(found: re.Match[str]) -> str:
        if found[1] is not None:
            return chr(int(found[1], 16))
        if found[2] is None:
            return quote
        return found[0] if found[2] in "%_" else _ESCAPES.get(found[2], found[2])

    return pattern.sub(replaced, content)


def _unreadable(text: str, position: int) -> QuerySyntaxError:
    character = text[position]
    if text.startswith("/*", position):
        return QuerySyntaxError("this comment is not closed", Span(position, position + 2), "close it with */")
    if character in "'\"`":
        kind = "name in backticks" if character == "`" else "string"
        if text.startswith("``", position):
            return QuerySyntaxError("a name cannot be empty", Span(position, position + 2))
        return QuerySyntaxError(
            f"this {kind} is not closed", Span(position, position + 1), f"close it with {character}"
        )
    shown = character if character.isprintable() else f"U+{ord(character):04X}"
    hints = ("names that are not plain words stand in backticks",)
    return QuerySyntaxError(
        f"the character {shown} has no meaning here", Span(position, position + 1), *hints
    )
