"""`AFTER MATCH …`: what a match does to those behind it (semantics 4)."""

from __future__ import annotations

from kleene.errors import shown
from kleene.language.cursor import Cursor
from kleene.language.syntax import AfterMatch, SkipMode
from kleene.language.words import EXPRESSION_WORDS

_MODES = {
    ("NO", "SKIP"): SkipMode.NO_SKIP,
    ("CONSUME",): SkipMode.CONSUME,
    ("SKIP", "TO", "NEXT", "EVENT"): SkipMode.NEXT_EVENT,
    ("SKIP", "PAST", "LAST", "EVENT"): SkipMode.PAST_LAST,
    ("SKIP", "TO", "FIRST"): SkipMode.TO_FIRST,
    ("SKIP", "TO", "LAST"): SkipMode.TO_LAST,
}
_FORMS = (
    "the forms are NO SKIP, CONSUME, SKIP TO NEXT EVENT, SKIP PAST LAST EVENT, "
    "SKIP TO FIRST b and SKIP TO LAST b"
)


def parse_after_match(cursor: Cursor) -> AfterMatch:
    """`MATCH SKIP TO NEXT EVENT`, `MATCH SKIP TO LAST b`, …: from behind AFTER."""
    start = cursor.previous
    cursor.expect("MATCH", "behind AFTER", "as in AFTER MATCH SKIP PAST LAST EVENT")
    words: tuple[str, ...] = ()
    while words not in _MODES:
        words = (*words, _next_word(cursor, words))
    mode = _MODES[words]
    variable = None
    if mode in (SkipMode.TO_FIRST, SkipMode.TO_LAST):
        spelled = " ".join(words)
        example = f"as in AFTER MATCH {spelled} b"
        variable = cursor.name(f"a variable behind {spelled}", EXPRESSION_WORDS, example)
        if opening := cursor.accept("["):
            name = shown(variable.text)
            cursor.close(
                opening, f"] behind {name}[", f"its brackets are left out: {spelled} {name}"
            )
    return AfterMatch(mode, variable, cursor.since(start))


def _next_word(cursor: Cursor, words: tuple[str, ...]) -> str:
    """Read a word with which the words before go on to name a mode; SQL says ROW for EVENT."""
    behind = len(words)
    possible = [mode[behind] for mode in _MODES if mode[:behind] == words]
    if "EVENT" in possible and cursor.accept("ROW"):
        return "EVENT"
    word = cursor.accept(*possible)
    if word is None:
        *others, last = dict.fromkeys(possible)
        expected = f"{', '.join(others)} or {last}" if others else last
        cursor.fail(f"{expected} behind {' '.join(words) or 'AFTER MATCH'}", _FORMS)
    return word.key
