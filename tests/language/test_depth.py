"""Deep and long queries are read or refused, in time that grows with their length alone."""

import sys
import time
from collections.abc import Callable
from dataclasses import fields, is_dataclass

import pyarrow as pa
import pytest

from kleene.errors import KleeneError, NestingError
from kleene.language.cursor import MAX_NESTING
from kleene.language.parser import parse
from kleene.language.resolve import resolve
from kleene.language.schema import EventShape
from kleene.logical.build import build

# Each nests once more in what it is given.
NESTINGS: dict[str, Callable[[int], str]] = {
    "SEQ": lambda n: "SEQ(" * n + "A a" + ")" * n,
    "SEQ of two": lambda n: "SEQ(B, " * n + "A a" + ")" * n,
    "parentheses around a pattern": lambda n: "(" * n + "A a" + ")" * n,
    "parentheses that are a SEQ": lambda n: "(B, " * n + "A a" + ")" * n,
    "SEQ in parentheses": lambda n: "(SEQ(" * n + "A a" + "))" * n,
    "negations": lambda n: "!" * n + "A a",
    "negations in parentheses": lambda n: "!(" * n + "A a" + ")" * n,
    "repetitions": lambda n: "(" * n + "A a" + ")+" * n,
    "KL": lambda n: "KL(" * n + "A a" + ")" * n,
    "EXISTS": lambda n: "EXISTS a : " * n + "A a",
    "conditioned patterns": lambda n: "(" * n + "A a" + " : a.x = 1)" * n,
    "unions": lambda n: "(B b U " * n + "A a" + ")" * n,
    "conditions": lambda n: f"(A a : {'(' * n}a.x{')' * n} = 1)",
    "parentheses": lambda n: "A a WHERE " + "(" * n + "a.x" + ")" * n,
    "NOT": lambda n: "A a WHERE " + "NOT " * n + "a.x",
    "NOT in parentheses": lambda n: "A a WHERE " + "NOT (" * n + "a.x" + ")" * n,
    "minus": lambda n: "A a WHERE " + "- " * n + "a.x",
    "plus": lambda n: "A a WHERE " + "+ " * n + "a.x",
    "sums": lambda n: "A a WHERE " + "(1 + " * n + "a.x" + ")" * n,
    "every operator": lambda n: "A a WHERE " + "(1 OR 2 AND 3 < 4 + 5 * -" * n + "a.x" + ")" * n,
    "calls": lambda n: "A a WHERE " + "abs(" * n + "a.x" + ")" * n,
    "calls in sums in parentheses": lambda n: "A a WHERE " + "(1 + abs(" * n + "a.x" + "))" * n,
    "CASE": lambda n: "A a WHERE " + "CASE WHEN " * n + "a.x" + " THEN 1 END" * n,
    "ELSE": lambda n: "A a WHERE " + "CASE WHEN 1 THEN 2 ELSE " * n + "a.x" + " END" * n,
    "CAST": lambda n: "A a WHERE " + "CAST(" * n + "a.x" + " AS int)" * n,
    "IN": lambda n: "A a WHERE " + "1 IN (" * n + "a.x" + ")" * n,
    "BETWEEN": lambda n: "A a WHERE " + "1 BETWEEN (" * n + "a.x" + ") AND 4" * n,
    "elements": lambda n: "A a WHERE " + "a.x[" * n + "1" + "]" * n,
    "elements of elements": lambda n: "A a WHERE a.x" + "[1]" * n,
    "a long sum": lambda n: "A a WHERE 1" + " + a.x" * n,
    "a long product": lambda n: "A a WHERE 1" + " * a.x" * n,
    "IS NULL": lambda n: "A a WHERE a.x" + " IS NULL" * n,
    "tests of tests": lambda n: "A a WHERE a.x" + " LIKE 'b'" * n,
    "fields": lambda n: "A a WHERE a" + ".x" * n,
    "fields of keys": lambda n: "A a WHERE [x" + ".x" * n + "]",
    "fields of columns": lambda n: "A a PARTITION BY x" + ".x" * n,
    "indices": lambda n: "A a WHERE a" + "[]" * n,
    "conditions in DEFINE": lambda n: "A a DEFINE A AS " + "(1 + " * n + "x" + ")" * n,
    "what is returned": lambda n: "A a RETURN " + "abs(" * n + "a.x" + ")" * n,
}


def frames_used(text: str) -> int:
    """The most frames that the parser has on the stack at once."""
    base, deepest, frame = 0, 0, sys._getframe()
    while frame.f_back is not None:
        base, frame = base + 1, frame.f_back

    def measure(called: object, _event: str, _argument: object) -> None:
        nonlocal deepest
        depth, current = 0, called
        while current is not None:
            depth, current = depth + 1, getattr(current, "f_back", None)
        deepest = max(deepest, depth)

    sys.setprofile(measure)
    try:
        parse(text)
    except KleeneError:
        pass
    finally:
        sys.setprofile(None)
    return deepest - base


def depth_of(node: object) -> int:
    """Levels of nodes in a tree, counted apart from the parser."""
    if isinstance(node, tuple):
        return max(map(depth_of, node), default=0)
    if not is_dataclass(node) or isinstance(node, type):
        return 0
    below = [depth_of(getattr(node, field.name)) for field in fields(node)]
    return 1 + max(below, default=0)


@pytest.mark.parametrize("nested", NESTINGS.values(), ids=NESTINGS)
def test_a_few_levels_are_read_and_printed(nested: Callable[[int], str]) -> None:
    for levels in (1, 2, 3, 6):
        query = parse(nested(levels))
        assert parse(str(query)) == query


@pytest.mark.parametrize("nested", NESTINGS.values(), ids=NESTINGS)
def test_as_many_levels_as_are_allowed_are_read_and_printed(nested: Callable[[int], str]) -> None:
    levels = 1
    while levels < 2 * MAX_NESTING and _is_read(nested(levels + 1)):
        levels += 1
    query = parse(nested(levels))
    assert parse(str(query)) == query
    assert hash(query) == hash(parse(nested(levels)))
    assert repr(query)


def _is_read(text: str) -> bool:
    try:
        parse(text)
    except KleeneError:
        return False
    return True


@pytest.mark.parametrize("levels", [1_000, 100_000])
@pytest.mark.parametrize("nested", NESTINGS.values(), ids=NESTINGS)
def test_too_many_levels_are_refused(nested: Callable[[int], str], levels: int) -> None:
    with pytest.raises(KleeneError) as refused:
        parse(nested(levels))
    message = str(refused.value)
    assert "stack" not in message
    assert "^" in message
    assert max(map(len, message.split("\n"))) < 300


@pytest.mark.parametrize("nested", NESTINGS.values(), ids=NESTINGS)
def test_a_level_takes_few_frames(nested: Callable[[int], str]) -> None:
    assert frames_used(nested(1_000)) < 8 * MAX_NESTING


@pytest.mark.parametrize("nested", NESTINGS.values(), ids=NESTINGS)
def test_no_tree_is_deeper_than_allowed(nested: Callable[[int], str]) -> None:
    for levels in range(MAX_NESTING // 3, MAX_NESTING + 2):
        if not _is_read(nested(levels)):
            break
        query = parse(nested(levels))
        # The indices of a reference and the parts of a query are not levels of their own.
        assert depth_of(query.pattern) <= MAX_NESTING + 2
        assert all(depth_of(condition) <= MAX_NESTING + 1 for condition in query.where)


def test_what_is_left_of_the_stack_is_enough_or_said() -> None:
    def deep(frames: int) -> str:
        if frames:
            return deep(frames - 1)
        with pytest.raises(NestingError) as refused:
            parse(NESTINGS["calls"](80))
        return str(refused.value)

    here, frame = 0, sys._getframe()
    while frame.f_back is not None:
        here, frame = here + 1, frame.f_back
    assert "stack" in deep(sys.getrecursionlimit() - here - 100)


LONG = {
    "a list of OR": "A a WHERE " + " OR ".join(["a.item = 'K12345'"] * 50_000),
    "a list of AND": "A a WHERE " + " AND ".join(["a.item != 'K12345'"] * 50_000),
    "a list of values": "A a WHERE a.x IN (" + ", ".join(["12345"] * 140_000) + ")",
    "a chain of comparisons": "A a WHERE " + " = ".join(["a.x"] * 150_000),
    "a long SEQ": "SEQ(" + ", ".join(f"T{n} a{n}" for n in range(70_000)) + ")",
    "a long list of returns": "A a RETURN " + ", ".join(f"a.x AS b{n}" for n in range(70_000)),
    "many definitions": "A a DEFINE " + ", ".join(f"T{n} AS x > {n}" for n in range(50_000)),
    "a long CASE": "A a WHERE CASE" + " WHEN a.x = 1 THEN 2" * 50_000 + " END = 1",
    "a long string": "A a WHERE a.x = '" + "y" * 1_000_000 + "'",
    "a string of quotes": "A a WHERE a.x = '" + "''" * 500_000 + "'",
    "a string of escapes": "A a WHERE a.x = '" + "\\u00e9" * 160_000 + "'",
    "a long comment": "A a /*" + "*" * 1_000_000 + "*/",
    "many comments": "A a " + "--\n" * 330_000,
    "many blanks": "A a" + " \n" * 500_000,
    "a long name": "A a WHERE a." + "y" * 1_000_000 + " = 1",
}
BROKEN = {
    "an unclosed string": "A a WHERE a.x = '" + "''" * 500_000,
    "an unclosed name": "A a WHERE a.`" + "x``" * 330_000,
    "an unclosed comment": "A a /" + "*" * 1_000_000,
    "a long typo": "A a " + "y" * 1_000_000 + " 5",
    "a long strategy": "A a STRATEGY " + "y" * 1_000_000,
    "a long number": "A a WHERE a.x = " + "1" * 1_000_000,
    "wide characters before the mistake": "A a WHERE /*" + "購" * 300_000 + "*/ a.x == 1",
    "a long list, then a mistake": "A a WHERE " + "a.item = 'K12345' OR " * 50_000 + "== 1",
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_a_megabyte_is_read_in_seconds(text: str) -> None:
    start = time.process_time()
    printed = str(parse(text))
    assert time.process_time() - start < 8
    assert printed.startswith("PATTERN")


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_a_megabyte_is_refused_in_seconds(text: str) -> None:
    start = time.process_time()
    with pytest.raises(KleeneError) as refused:
        parse(text)
    message = str(refused.value)
    assert time.process_time() - start < 8
    assert max(map(len, message.split("\n"))) < 300


EVENTS = EventShape(pa.schema([("t", pa.int64()), ("type", pa.string())]), ("t",), "type")
MANY = 6_000
NUMBERED = ", ".join(f"A a{n}" for n in range(MANY))
RESOLVED = {
    "variables": f"SEQ({NUMBERED})",
    "branches": f"OR({NUMBERED})",
    "events without variables": f"SEQ({'A, ' * MANY}B)",
    "disjuncts": f"A a WHERE a.t = 1{' OR a.t = 1' * MANY}",
    "conjuncts": f"A a WHERE a.t = 1{' AND a.t = 1' * MANY}",
    "hidden variables": f"EXISTS {NUMBERED.replace('A ', '')} : SEQ(B b, {NUMBERED})",
}


@pytest.mark.parametrize("text", RESOLVED.values(), ids=RESOLVED)
def test_names_are_resolved_in_seconds(text: str) -> None:
    query = parse(text)
    start = time.process_time()
    build(resolve(query, EVENTS))
    assert time.process_time() - start < 5


def test_a_huge_name_does_not_bury_the_message() -> None:
    with pytest.raises(KleeneError) as refused:
        resolve(parse(f"A a WHERE a.{'y' * 1_000_000} = 1"), EVENTS)
    assert len(str(refused.value)) < 2_000
