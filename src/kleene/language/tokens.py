"""Text to tokens."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from enum import StrEnum
from itertools import repeat
from typing import NamedTuple
from unicodedata import normalize

from kleene.errors import QuerySyntaxError, Span, width
from kleene.language.strings import unescape
from kleene.language.words import EXPRESSION_WORDS, PATTERN_WORDS, QUOTE_WORDS


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
    """A token; `value` is the text with quotes, escapes and alternative spellings resolved.

    `key` is what the grammar looks at: a symbol, or a word in upper case. It is empty for names in
    backticks, numbers and strings, which are therefore never taken for a keyword.
    """

    kind: TokenKind
    value: str
    start: int
    end: int
    key: str = ""

    @property
    def span(self) -> Span:
        """Where the token stands."""
        return Span(self.start, self.end)


_SPELLINGS = {"<>": "!=", "≥": ">=", "≤": "<=", "≠": "!=", "−": "-"}
_WORD_SPELLINGS = {"∧": "AND", "∨": "OR", "¬": "NOT", "∪": "UNION", "∃": "EXISTS"}
_NOT_PRIMED = "|".join(sorted(PATTERN_WORDS | EXPRESSION_WORDS | QUOTE_WORDS))

# Possessive repetition (`*+`, `++`) and atomic groups (`(?>…)`) keep reading linear in the length
# of the text: what is not closed is not tried in other ways. No group is repeated possessively:
# there Python 3.11 before 3.11.5 loses its place. A prime may belong to a name: paper 2 has a type
# `B'`.
_TOKEN = re.compile(
    rf"""
    (?> (?: \s++ | --[^\n]*+ | //[^\n]*+ | /\*(?s:.*?)\*/ | \A\ufeff )* )
    (?:
        (?P<raw>     [rR] (?: '[^']*+' | "[^"]*+" ) )
      | (?P<binary>  [xX] '[0-9a-fA-F]*+' )
      | (?P<primed>  (?! (?i:{_NOT_PRIMED}) ' ) [^\W\d]\w*+ ' (?= [\s,:;)+*?{{\[] | \Z ) )
      | (?P<word>    [^\W\d]\w*+ )
      | (?P<number>  (?: [0-9]++ (?: \.[0-9]++ )? | \.[0-9]++ ) (?: [eE][+-]?[0-9]++ )? )
      | (?P<string>  ' (?> [^'\\]*+ (?: (?: \\. | '' ) [^'\\]*+ )* ) '
                   | " (?> [^"\\]*+ (?: (?: \\. | "" ) [^"\\]*+ )* ) " )
      | (?P<quoted>  ` (?> (?: [^`]++ | `` )+ ) ` )
      | (?P<logic>   [∧∨¬∪∃] )
      | (?P<comment> /\* )
      | (?P<symbol>  <=> | \|\| | && | == | => | =< | <= | >= | <> | != | -> | \.\. | ::
                   | [()\[\]{{}},;:.+\-*/%=<>!~?^&|@\#$≥≤≠−] )
      | (?P<end>     \Z )
      | (?P<other>   . )
    )
    """,
    re.VERBOSE | re.DOTALL,
)


_HALF = re.compile("[\ud800-\udfff]")
"""What no file, no column and no value can hold: surrogates that stand alone."""


def tokenize(text: str) -> Iterator[Token]:
    """The tokens of a text, one by one; when they are used up, END without end.

    >>> from itertools import islice
    >>> [token.value for token in islice(tokenize("SEQ(A a) -- all of them"), 6)]
    ['SEQ', '(', 'A', 'a', ')', '']
    """
    if (half := _HALF.search(text)) is not None:
        reason = f"half of a character (U+{ord(half[0]):04X}) stands here, which is no text"
        raise QuerySyntaxError(reason, Span(*half.span()), "delete it")
    end = 0
    for found in _TOKEN.finditer(text):
        group = found.lastgroup
        if group == "end":
            break
        token = _token(text, group or "other", found)
        end = token.end
        yield token
    # The query ends behind its last token: that is where something is missing, not lines below.
    yield from repeat(Token(TokenKind.END, "", end, end))


def _token(text: str, group: str, found: re.Match[str]) -> Token:
    value = found[group]
    start, end = found.span(group)
    match group:
        case "word" | "primed":
            return Token(TokenKind.WORD, value, start, end, value.upper())
        case "symbol":
            symbol = _SPELLINGS.get(value, value)
            return Token(TokenKind.SYMBOL, symbol, start, end, symbol)
        case "number":
            return Token(TokenKind.NUMBER, value, start, end)
        case "string":
            return Token(TokenKind.STRING, unescape(value, start), start, end)
        case "quoted":
            return Token(TokenKind.QUOTED, value[1:-1].replace("``", "`"), start, end)
        case "raw":
            return Token(TokenKind.STRING, value[2:-1], start, end)
        case "binary":
            return Token(TokenKind.BINARY, value[2:-1], start, end)
        case "logic":
            word = _WORD_SPELLINGS[value]
            return Token(TokenKind.WORD, word, start, end, word)
        case _:
            raise _unreadable(text, start)


def _unreadable(text: str, position: int) -> QuerySyntaxError:
    """Why no token begins here."""
    character = text[position]
    span = Span(position, position + 1)
    match character:
        case "/":
            reason, hint = "this comment is not closed", "close it with */"
            span = Span(position, position + 2)
        case "`" if text.startswith("``", position):
            reason, hint = "there is no name between these backticks", "a name cannot be empty"
            span = Span(position, position + 2)
        case "`":
            reason, hint = "this name is not closed", "close it with `"
        case "'" | '"':
            reason = "this string is not closed"
            hint = f"close it with {character}; a {character} inside of it is written twice"
        case _ if not character.isprintable():
            reason = f"an invisible character (U+{ord(character):04X}) stands here"
            hint = "delete it"
        case _ if not width(character):
            reason = f"a mark without a letter (U+{ord(character):04X}) stands here"
            hint = "a name that is not a plain word stands in backticks"
        case _:
            reason = f"{character} has no meaning in a query"
            plain = normalize("NFKC", character)
            hint = _MEANT.get(character, "a name that is not a plain word stands in backticks")
            if plain != character and plain in string.punctuation:
                hint = f"write the ordinary sign: {plain}"
    return QuerySyntaxError(reason, span, hint)


_MEANT = {
    **dict.fromkeys("“”„‟«»‘’‚‛", "strings stand in straight quotes: 'text'"),
    **dict.fromkeys("–—‒", "write - for minus, and -- before a comment"),
    **dict.fromkeys("→⇒➔", "one event after the other is written SEQ(A a, B b)"),
    **dict.fromkeys("′´", "strings stand in straight quotes: 'text'"),
    **dict.fromkeys("×·∗", "times is written *"),
    "÷": "divided by is written /",
    "…": "every element up to the present one is b[..i], with two dots",
    "\\": "a backslash has a meaning only inside of strings",
    "≡": "equality is written =",
}
