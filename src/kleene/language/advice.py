"""What to write instead where types do not fit: the hints of type errors, by the likely intent."""

from __future__ import annotations

from decimal import Decimal

from kleene.language.expressions import Expression, Literal
from kleene.language.kinds import MOMENTS, NUMBERS, Kind, Typed, plain
from kleene.language.printer import print_expression, print_name

_LONGEST = 40
_A_MOMENT = "'2024-01-31 12:00:00'"


def quoted(node: Expression) -> str:
    """The expression as it stands in the query, or `…` where that is long or spelled otherwise."""
    text = print_expression(node)
    return text if len(text) == node.span.end - node.span.start <= _LONGEST else "…"


def condition_hint(found: Typed) -> str:
    """For what stands where a condition should: something to compare it with."""
    if isinstance(found.node, Literal) and found.kind in NUMBERS:
        return "a number has a point, not a comma, and a condition compares: a.x > 3.5"
    text = quoted(found.node)
    match found.kind:
        case Kind.INTEGER | Kind.DECIMAL | Kind.FLOAT:
            return f"compare it, as in {text} > 0"
        case Kind.STRING:
            return f"compare it, as in {text} = 'x'"
        case Kind.DATE | Kind.TIMESTAMP:
            return f"compare it, as in {text} > {_A_MOMENT}"
        case Kind.DURATION:
            return f"compare it, as in {text} > 5 minutes"
        case Kind.LIST | Kind.MAP:
            return f"compare its size, as in size({text}) > 0"
        case Kind.STRUCT:
            return f"compare one of its fields, as in {_field(found)} = 'x'"
        case _:
            return f"{text} IS NOT NULL tells whether it has a value"


def comparison_hint(left: Typed, right: Typed) -> str:
    """For a comparison of unlike types."""
    if left.kind is not right.kind or left.kind is Kind.MAP:
        for one, other in ((left, right), (right, left)):
            if (hint := _compared(one, other)) is not None:
                return hint
    return "both sides of a comparison are of one type, down to elements and fields"


def _compared(one: Typed, other: Typed) -> str | None:
    """What comparing with the other may be meant to say about this one."""
    text = quoted(one.node)
    match one.kind:
        case Kind.BOOLEAN if isinstance(one.node, Literal):
            example = f"{quoted(other.node)} = {_value(other)}"
            return f"compare it with a value of its own kind, as in {example}"
        case Kind.BOOLEAN:
            return f"it is true or false by itself: write {text}, or NOT {text}"
        case Kind.LIST:
            member = f"array_contains({text}, {quoted(other.node)})"
            return f"{member} looks for it in the array, {text}[0] is the first element"
        case Kind.MAP:
            return f"compare what belongs to one key: element_at({text}, 'key')"
        case Kind.STRUCT:
            return f"compare one of its fields: {_field(one)}"
        case Kind.DURATION:
            return _compared_duration(other)
        case Kind.STRING if other.kind in NUMBERS:
            return _string_and_number(one, other)
        case Kind.STRING if other.kind in MOMENTS:
            return f"CAST({text} AS timestamp) reads a string as a timestamp"
        case Kind.BINARY if other.kind is Kind.STRING:
            return f"CAST({text} AS string) reads bytes as a string"
        case Kind.DATE | Kind.TIMESTAMP if other.kind in NUMBERS:
            return f"write a moment: {_A_MOMENT} or TIMESTAMP {_A_MOMENT}"
        case _:
            return None


def _value(like: Typed) -> str:
    """A value of the kind that another one is of, as an example."""
    if like.kind in NUMBERS:
        return "1"
    return _A_MOMENT if like.kind in MOMENTS else "'x'"


def _compared_duration(other: Typed) -> str:
    match other.node:
        case Literal(value=int() | Decimal()):
            number = quoted(other.node)
            return f"did you mean {number} seconds, or {number} minutes?"
        case Literal(value=str()):
            return "a length of time stands without quotes, as in 5 minutes"
        case _ if other.kind in MOMENTS:
            return "a length of time is what lies between two times: b.ts - a.ts > 5 minutes"
        case _:
            return "a length of time is written with its unit, as in 5 seconds or 10 minutes"


def _string_and_number(string: Typed, number: Typed) -> str:
    match string.node, number.node:
        case Literal(), Literal():
            return "write both with quotes or both without"
        case Literal(value=str(text)), _ if _reads_as_number(text):
            return f"a number stands without quotes: {text.strip()}"
        case Literal(), _:
            return "a number is written in digits and without quotes, as in 10"
        case _, Literal():
            return f"a string stands in quotes: '{quoted(number.node)}'"
        case _:
            return f"CAST({quoted(string.node)} AS double) reads a string as a number"


def _reads_as_number(text: str) -> bool:
    return text.strip().replace(".", "", 1).isdecimal()


def order_hint(found: Typed) -> str:
    """For `<` on what only `=` compares."""
    text = quoted(found.node)
    match found.kind:
        case Kind.LIST:
            return f"compare its size or an element: size({text}), {text}[0]"
        case Kind.STRUCT:
            return f"compare one of its fields: {_field(found)}"
        case Kind.MAP:
            return f"compare what belongs to one key: element_at({text}, 'key')"
        case _:
            return "only = and != compare it"


def branches_hint(left: Typed, right: Typed) -> str:
    """For branches of one expression that differ."""
    for one, other in ((left, right), (right, left)):
        if one.kind is Kind.STRING and other.kind in NUMBERS | MOMENTS | {Kind.BOOLEAN}:
            return f"make both strings: CAST({quoted(other.node)} AS string)"
    return "all branches of an expression have one type: CAST one of them"


def operator_hint(operator: str, left: Typed, right: Typed) -> str:
    """For arithmetic on what has none."""
    sides, kinds = (left, right), {left.kind, right.kind}
    one, other = quoted(left.node), quoted(right.node)
    if operator == "||" and Kind.STRING not in kinds:
        return "one condition or the other is written OR; || joins strings"
    if operator == "||":
        side = right if left.kind is Kind.STRING else left
        return f"|| joins strings: CAST({quoted(side.node)} AS string)"
    if kinds == {Kind.STRING} and operator == "+":
        return f"strings are joined with ||, as in {one} || {other}"
    if kinds <= NUMBERS:
        return "div is the division of whole numbers and decimals; / divides floats"
    if kinds & MOMENTS and operator in ("+", "-"):
        return _moment_hint(left, right)
    if Kind.DURATION in kinds and operator in ("+", "-"):
        return "a length of time is added to another, as in 1 hour + 5 minutes"
    side = next((s for s in sides if s.kind not in NUMBERS | {Kind.DURATION, Kind.NULL}), right)
    join = "; || joins strings" if operator == "+" and side.kind is Kind.STRING else ""
    return conversion_hint(side, NUMBERS) + join


def _moment_hint(left: Typed, right: Typed) -> str:
    """For a sum or difference with a moment in it."""
    if {left.kind, right.kind} <= MOMENTS:
        return f"times are subtracted, not added: {quoted(right.node)} - {quoted(left.node)}"
    moment, by = (left, right) if left.kind in MOMENTS else (right, left)
    match by.node:
        case Literal(value=int() | Decimal()):
            number = quoted(by.node)
            return f"say of what: {quoted(moment.node)} + {number} minutes, or {number} days"
        case _:
            return f"a time is moved by a length of time: {quoted(moment.node)} + 5 minutes"


def conversion_hint(found: Typed, wanted: frozenset[Kind]) -> str:
    """For an operand of one kind where others are wanted."""
    text, kind = quoted(found.node), found.kind
    if wanted == {Kind.BOOLEAN}:
        return condition_hint(found)
    if kind is Kind.STRUCT:
        return f"take one of its fields: {_field(found)}"
    if kind is Kind.LIST:
        return f"take an element: {text}[0] is the first"
    if kind is Kind.MAP:
        return f"take what belongs to one key: element_at({text}, 'key')"
    if isinstance(found.node, Literal) and kind is Kind.STRING and wanted & NUMBERS:
        return "a number is written in digits and without quotes, as in 10"
    if target := _target(kind, wanted):
        return f"CAST({text} AS {target}) {_READS[target]}"
    if kind in NUMBERS and wanted & MOMENTS:
        return f"timestamp_seconds({text}) reads a whole number as seconds since 1970"
    if Kind.LIST in wanted and kind is Kind.STRING:
        return f"a part of a string is substring({text}, 1, 3)"
    if Kind.LIST in wanted:
        return "take an attribute that has elements, or leave out the brackets"
    return "take an attribute of that kind, or compute one"


def _target(kind: Kind, wanted: frozenset[Kind]) -> str | None:
    """The type that CAST can turn a kind into, if it is wanted."""
    if Kind.STRING in wanted and kind in NUMBERS | MOMENTS | {Kind.BOOLEAN, Kind.BINARY}:
        return "string"
    if Kind.FLOAT in wanted and kind is Kind.STRING:
        return "double"
    if Kind.INTEGER in wanted and kind in NUMBERS | {Kind.STRING, Kind.BOOLEAN}:
        return "long" if kind is not Kind.BOOLEAN else "int"
    if Kind.TIMESTAMP in wanted and kind in {Kind.STRING, Kind.DATE}:
        return "timestamp"
    return None


_READS = {
    "string": "makes a string of it",
    "double": "reads a string as a number",
    "long": "makes a whole number of it",
    "int": "makes 1 or 0 of it",
    "timestamp": "makes a timestamp of it",
}


def _field(found: Typed) -> str:
    """The first field of a struct, as an example."""
    fields = list(plain(found.type))
    return f"{quoted(found.node)}.{print_name(fields[0].name) if fields else 'x'}"
