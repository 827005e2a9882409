"""Mistakes at random: whatever the text, the answer is a query or a KleeneError.

Queries of the tests are mutated (tokens dropped, doubled, swapped, taken from other queries,
wrapped and repeated; characters changed), parsed, and resolved as if the events had all the columns
that they name. Each answer must come within a second. A query must print as text that parses to an
equal one; the message of an error must be printable.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import re
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from kleene.errors import KleeneError
from kleene.language.assumed import assumed_shape
from kleene.language.parser import parse
from kleene.language.resolve import resolve
from kleene.language.syntax import Query
from kleene.language.words import CLAUSES

TESTS = Path(__file__).parent.parent / "tests"
LONGEST = 10_000
_FIRST = "A a WHERE a.t = TIMESTAMP '2024-01-31 12:00' AND hash(a.x) = unknown(abs(a.x))"
"""Reads what the first query of a process has to wait for."""

SLOWEST = 1.0
CHUNK = 2_000
SHOWN = 10

PIECE = re.compile(r"\w+|\s+|[^\w\s]")
WORDS = r"""
    PATTERN DEFINE WHERE PARTITION BY STRATEGY WITHIN CONFIDENCE AFTER MATCH RETURN SEQ AND OR NOT
    KL ANY EXISTS UNION U IN BETWEEN LIKE RLIKE ESCAPE IS NULL TRUE CASE WHEN THEN ELSE END AS CAST
    DIV DISTINCT FROM DATE TIMESTAMP INTERVAL SKIP TO FIRST LAST NEXT EVENT PAST minutes units i b a
    skip_till_next_match 0 1 2.5 1e3 95% ( ) [ ] { } , ; : . .. + - * / % = != <> < <= > >= <=> ! ~
    ? || 'x' '' "y" `n` X'0A' r'\d' b' -- // /* */ ' " ` \ # @ $ & | ^ == => -> :: 5minutes '1hour'
    """.split()  # noqa: SIM905 - as a list it would be 100 lines
NOISE = (
    "\0\t\n\r\x0b\x1b\x7f\u00a0\u00b2\u0130\u0131\u017f\u0301\u0661\u1d7d\u200b\u2028\u2212"
    "\ud800\ufeff購🎉ßÄ'\"`\\()"
)
WRAPPINGS = (
    *(("(", ")"), ("NOT (", ")"), ("-(", ")"), ("SEQ(", ")"), ("(", ")+"), ("KL(", ")")),
    *(("f(", ")"), ("a[", "]"), ("CASE WHEN ", " THEN 1 END"), ("(A a : ", ")"), ("(!", ")*")),
    *(("EXISTS b : ", ""), ("x IN (", ")"), ("(", ") IS NULL"), ("CAST(", " AS int)")),
)

Mutation = Callable[[random.Random, list[str], list[str]], None]


def _drop(chance: random.Random, pieces: list[str], _other: list[str]) -> None:
    start = chance.randrange(len(pieces))
    del pieces[start : start + chance.choice((1, 1, 2, 5))]


def _double(chance: random.Random, pieces: list[str], _other: list[str]) -> None:
    start = chance.randrange(len(pieces))
    length = chance.choice((1, 1, 3, 10))
    pieces[start:start] = pieces[start : start + length] * chance.choice((1, 1, 2, 30))


def _swap(chance: random.Random, pieces: list[str], _other: list[str]) -> None:
    one, two = chance.randrange(len(pieces)), chance.randrange(len(pieces))
    pieces[one], pieces[two] = pieces[two], pieces[one]


def _splice(chance: random.Random, pieces: list[str], other: list[str]) -> None:
    start, end = sorted((chance.randrange(len(other)), chance.randrange(len(other))))
    place = chance.randrange(len(pieces) + 1)
    pieces[place : place + chance.choice((0, 0, 1, end - start))] = other[start : end + 1]


def _insert(chance: random.Random, pieces: list[str], _other: list[str]) -> None:
    pieces.insert(chance.randrange(len(pieces) + 1), f" {chance.choice(WORDS)} ")


def _replace(chance: random.Random, pieces: list[str], _other: list[str]) -> None:
    pieces[chance.randrange(len(pieces))] = chance.choice(WORDS)


def _noise(chance: random.Random, pieces: list[str], _other: list[str]) -> None:
    place = chance.randrange(len(pieces))
    piece = list(pieces[place])
    position = chance.randrange(len(piece) + 1)
    character = chance.choice((*NOISE, chr(chance.randrange(0x110000))))
    piece[position : position + chance.choice((0, 1))] = character
    pieces[place] = "".join(piece)


def _wrap(chance: random.Random, pieces: list[str], _other: list[str]) -> None:
    before, after = chance.choice(WRAPPINGS)
    times = chance.choice((1, 1, 1, 2, 40, 110))
    start = chance.randrange(len(pieces))
    end = min(start + chance.choice((1, 3, 7, 20)), len(pieces))
    pieces[start:end] = [before * times, *pieces[start:end], after * times]


def _graft(chance: random.Random, pieces: list[str], other: list[str]) -> None:
    """A condition of another query in the place of a value, so that deeper queries come about."""
    values = [place for place, piece in enumerate(pieces) if piece.isdecimal() or "'" in piece]
    if not values or "WHERE" not in other:
        return
    condition = other[other.index("WHERE") + 1 :]
    length = next((n for n, piece in enumerate(condition) if piece in CLAUSES), len(condition))
    pieces[chance.choice(values)] = f"({''.join(condition[:length]).strip()})"


def _case(chance: random.Random, pieces: list[str], _other: list[str]) -> None:
    place = chance.randrange(len(pieces))
    pieces[place] = chance.choice((str.upper, str.lower, str.swapcase))(pieces[place])


def _cut(chance: random.Random, pieces: list[str], _other: list[str]) -> None:
    del pieces[chance.randrange(len(pieces)) :]


MUTATIONS: tuple[Mutation, ...] = (
    *(_drop, _double, _swap, _splice, _splice, _insert, _insert),
    *(_replace, _noise, _wrap, _wrap, _graft, _graft, _graft, _case, _cut),
)


def corpus() -> list[str]:
    """Every query of the tests, right or wrong, each once."""
    found: list[str] = []
    for path in sorted(TESTS.rglob("*.toml")):
        found.extend(_queries(tomllib.loads(path.read_text(encoding="utf-8"))))
    for path in sorted((TESTS / "errors").glob("*.txt")):
        entries = re.split(r"^=== .*\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
        found.extend(re.split(r"^--- ", entry, flags=re.MULTILINE)[0] for entry in entries)
    return sorted({text for text in found if text.strip() and len(text) < LONGEST})


def _queries(data: object, key: str = "") -> Iterator[str]:
    """The texts behind the keys that hold queries, however deep they lie."""
    if isinstance(data, str) and key in ("query", "text", "printed"):
        yield data
    elif isinstance(data, dict):
        for name, value in data.items():
            yield from _queries(value, name)
    elif isinstance(data, list):
        for value in data:
            yield from _queries(value, key)


def mutated(chance: random.Random, texts: list[str]) -> str:
    """A query with a few mutations."""
    pieces = PIECE.findall(chance.choice(texts))
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 5, 8))):
        if pieces:
            chance.choice(MUTATIONS)(chance, pieces, PIECE.findall(chance.choice(texts)))
    return "".join(pieces)[:LONGEST]


@dataclass
class Report:
    """What a number of mutations led to."""

    answers: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    failures: list[str] = field(default_factory=list)

    def add(self, other: Report) -> None:
        """Take in what another part of the work found."""
        self.answers += other.answers
        self.slowest = max(self.slowest, other.slowest)
        self.failures.extend(other.failures)


def check(text: str) -> str:
    """The code of the answer to a text; an AssertionError if it is not as promised."""
    try:
        query = parse(text)
        _check_text(query)
        resolve(query, assumed_shape(query))
    except KleeneError as error:
        _check_error(error, text)
        return error.code
    return "query"


def _check_error(error: KleeneError, text: str) -> None:
    assert 0 <= error.span.start <= error.span.end <= len(text), f"no place: {error.span}"
    assert all(line.isprintable() for line in str(error).split("\n")), "not printable"


def _check_text(query: Query) -> None:
    printed = str(query)
    try:
        again = parse(printed)
    except KleeneError as error:
        raise AssertionError(f"prints as {printed!r}, which is none: {error.reason}") from error
    assert again == query, f"prints as {printed!r}, which is another query"
    assert str(again) == printed, f"prints as {printed!r}, and then in another way"


def run(texts: list[str], seed: str) -> Report:
    """The answers to a chunk of mutations."""
    chance = random.Random(seed)  # noqa: S311 - nothing secret
    report = Report()
    for _ in range(CHUNK):
        text = mutated(chance, texts)
        start = time.perf_counter()
        try:
            report.answers[check(text)] += 1
            taken = time.perf_counter() - start
            assert taken < SLOWEST, f"takes {taken:.1f} seconds"
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
            report.failures.append(f"{type(error).__name__}: {error}\n    {text!r}")
        report.slowest = max(report.slowest, time.perf_counter() - start)
    return report


def seeds(seed: int, mutations: int, seconds: float | None) -> Iterator[str]:
    """A seed for each chunk, until there are enough, or time is up."""
    end = None if seconds is None else time.monotonic() + seconds
    number = 0
    while time.monotonic() < end if end is not None else number * CHUNK < mutations:
        yield f"{seed}/{number}"
        number += 1


def fuzz(seed: int, mutations: int, seconds: float | None, processes: int) -> Report:
    """Everything that was found."""
    report = Report()
    texts = corpus()
    with multiprocessing.Pool(processes, initializer=check, initargs=(_FIRST,)) as pool:
        chunks = seeds(seed, mutations, seconds)
        while batch := [chunk for _, chunk in zip(range(processes * 4), chunks, strict=False)]:
            for part in pool.imap_unordered(partial(run, texts), batch):
                report.add(part)
    return report


def main() -> int:
    """Run, and say what was found."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("mutations", nargs="?", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, help="run that long instead")
    parser.add_argument("--seed", type=int, default=None, help="to repeat a run")
    parser.add_argument("--processes", type=int, default=multiprocessing.cpu_count())
    given = parser.parse_args()
    seed = random.SystemRandom().randrange(10**6) if given.seed is None else given.seed
    print(f"seed {seed}, {len(corpus())} queries", flush=True)
    start = time.monotonic()
    report = fuzz(seed, given.mutations, given.seconds, given.processes)
    total = sum(report.answers.values()) + len(report.failures)
    answers = ", ".join(f"{code} {count}" for code, count in report.answers.most_common())
    print(f"{total} mutations in {time.monotonic() - start:.0f} s: {answers}")
    print(f"slowest answer {report.slowest:.3f} s, failures {len(report.failures)}")
    for failure in report.failures[:SHOWN]:
        print(failure.encode("utf-8", "backslashreplace").decode())
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
