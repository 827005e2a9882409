"""What is said to names that mean nothing where they stand, and what was probably meant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pyarrow as pa

from kleene.errors import (
    NOWHERE,
    IndexUseError,
    Span,
    UnknownColumnError,
    UnknownFunctionError,
    UnknownVariableError,
    closest,
    nearest,
)
from kleene.language.expressions import Attribute, Call, IndexKind, MatchCount, Reference
from kleene.language.functions import FUNCTIONS
from kleene.language.indices import shared_loops, spelled
from kleene.language.printer import print_name, print_path
from kleene.language.resolved import Variable
from kleene.language.signatures import Function
from kleene.language.spark_functions import (
    SPARK_FUNCTIONS,
    is_spark_aggregate,
    is_spark_function,
    refusal,
)
from kleene.language.syntax import Strategy
from kleene.language.traversal import walk
from kleene.language.variables import Place, listed, name_hints

_CONSTANTS = {
    **dict.fromkeys(("none", "nil", "undefined"), "what has no value is found by IS NULL"),
    "nan": "isnan(a.x) says whether a number is NaN",
    **dict.fromkeys(
        ("match_start", "match_end"),
        "without RETURN it comes back by itself; with it, return the time of an event",
    ),
}


@dataclass(frozen=True, slots=True)
class Known:
    """The names that can be used at a place; `many` where all elements may be named at once."""

    schema: pa.Schema
    variables: tuple[Variable, ...]
    place: Place
    many: bool
    own: Variable | None

    def has_column(self, name: str) -> bool:
        """Whether a column has the name, in whatever case."""
        return name.casefold() in {column.casefold() for column in self.schema.names}

    def unknown(self, node: Reference) -> UnknownVariableError:
        """A reference to no variable."""
        name = node.variable
        span = _start(node.span, name)
        key = name.casefold()
        typed = next((v for v in self.variables if (v.type or "").casefold() == key), None)
        if typed is not None:
            reason = f"{name} is a type of events, and no variable is called so"
            return UnknownVariableError(reason, span, f"write {self._of(typed, node.path)}")
        if node.path or node.indices:
            hints = name_hints(name, self.variables)
            return UnknownVariableError(f"no variable is called {name}", span, *hints)
        return UnknownVariableError(
            f"no variable and no column is called {name}", span, *self._bare_hints(name)
        )

    def bare_column(self, node: Reference) -> UnknownVariableError:
        """A column where it is not said of which event."""
        example = self._example((node.variable, *node.path))
        return UnknownVariableError(
            f"{node.variable} is a column, not a variable: of which event?",
            _start(node.span, node.variable),
            f"name the event before it, as in {example}",
        )

    def _bare_hints(self, name: str) -> tuple[str, ...]:
        if found := nearest(name, [variable.name for variable in self.variables]):
            return found
        if (column := closest(name, self.schema.names)) is not None:
            return (f"did you mean {self._example((column,))}?",)
        names = listed(variable.name for variable in self.variables)
        key = name.casefold()
        if key in _CONSTANTS:
            return (_CONSTANTS[key],)
        if key in set(Strategy):
            return (f"a strategy stands in a clause of its own: STRATEGY {key}",)
        if is_spark_function(name):
            return (f"a function is called with parentheses: {name}()",)
        return (f"a string stands in quotes: '{name}'", f"variables are {names}")

    def _example(self, path: tuple[str, ...]) -> str:
        """A path of the variable that is most likely meant."""
        shown = [v for v in self.variables if v.positive and not v.hidden] or self.variables
        arrays = [v for v in shown if self._dimensions(v)] if self.many else []
        return self._of(self.own or [*arrays, *shown][0], path)

    def _of(self, variable: Variable, path: tuple[str, ...]) -> str:
        kind = IndexKind.ALL if self.many else IndexKind.EACH
        return spelled(variable.name, (kind,) * self._dimensions(variable), path)

    def _dimensions(self, variable: Variable) -> int:
        return len(variable.loops) - shared_loops(variable, self.place)


def element_of_row(node: Reference) -> IndexUseError:
    """An index in DEFINE."""
    column = spelled("", (), node.path or (node.variable,))
    return IndexUseError(
        "a definition speaks of one row, which has no elements",
        node.span,
        f"write {column}; conditions on elements stand in WHERE, as in b[i].{column} > 10",
    )


def event_in_definition(
    node: Reference, variable: Variable, variables: Iterable[Variable], row: str | None
) -> UnknownColumnError:
    """A variable of the pattern in DEFINE."""
    if variable.type == row:
        column = spelled("", (), node.path)
        reason = f"a definition speaks of one row, and {variable.name} is a variable of the pattern"
        hint = f"a name alone is a column of the row: write {column}"
        return UnknownColumnError(reason, node.span, hint)
    own = next((v for v in variables if v.type == row), None)
    left, right = (
        "b.x" if v is None else spelled(v.name, (IndexKind.EACH,) * len(v.loops), node.path)
        for v in (own, variable)
    )
    return UnknownColumnError(
        f"a definition speaks of one row, and {variable.name} is another event",
        node.span,
        f"conditions between events stand in WHERE, as in WHERE {left} > {right}",
    )


def aggregate_in_definition(node: Call, row: str) -> IndexUseError:
    """An aggregate in DEFINE."""
    reference = _reference(node)
    path = ("x",) if reference is None else reference.path or (reference.variable,)
    aggregate = f"{node.name}({spelled('b', (IndexKind.ALL,), path)})"
    return IndexUseError(
        "a definition speaks of one row, not of many",
        node.span,
        f"aggregates stand in WHERE: PATTERN {print_name(row)}+ b[] WHERE {aggregate} > 10",
    )


def wrong_count(node: Call) -> UnknownFunctionError:
    """An aggregate of several values, or of none."""
    instead = {"max": "greatest", "min": "least"}.get(node.name.casefold())
    if instead and node.arguments:
        hint = f"{instead}(x, y) compares values of one event"
    else:
        hint = f"as in {node.name}(b[].x), or count(b[]) for the number of events"
    reason = f"{node.name} takes one argument, not {len(node.arguments)}"
    return UnknownFunctionError(reason, node.span, hint)


def wrong_range(
    node: Call, ranges: list[Attribute], variables: Mapping[str, Variable], *, returned: bool
) -> IndexUseError:
    """An aggregate over no range, or over several at once."""
    name = node.name
    if ranges:
        apart = (f"{name}({spelled(a.variable, a.indices, a.path)})" for a in ranges)
        reason = f"{name} ranges over the elements of one Kleene variable"
        return IndexUseError(reason, node.span, f"aggregate each apart: {' and '.join(apart)}")
    reference = _reference(node)
    path = () if reference is None else reference.path
    found = None if reference is None else variables.get(reference.variable.casefold())
    hint = f"as in {name}(b[].x) for a variable that is declared as B+ b[]"
    if found is not None:
        every = spelled(found.name, (IndexKind.ALL,) * max(len(found.loops), 1), path)
        hint = f"as in {name}({every})"
        if not found.loops:
            array = (
                f"{print_name(found.type or 'ANY')}+ {spelled(found.name, (IndexKind.ALL,), ())}"
            )
            hint = f"for many events write {array} in the pattern, then {name}({every})"
    reason = f"{name} ranges over the elements of a Kleene variable"
    grouped = "aggregates over matches go with GROUP BY; () makes one group of all"
    return IndexUseError(reason, node.span, hint, *([grouped] if returned else []))


def column_of_no_partition(node: Reference) -> UnknownVariableError:
    """A column by its name, where matches need not agree in it."""
    column = print_path((node.variable, *node.path))
    return UnknownVariableError(
        f"{column} is a column, not a variable: of which event?",
        node.span,
        f"name the event before it; or PARTITION BY {column}, so that all events of a match agree",
    )


def matches_counted(node: MatchCount, *, returned: bool) -> IndexUseError:
    """`count(*)` where there is no group of matches to count."""
    events = "the number of events of b is count(b[])"
    if not returned:
        return IndexUseError("count(*) does not say of what", node.span, events)
    reason = "count(*) is the number of matches of a group, and there is no GROUP BY"
    hint = "GROUP BY a.x makes a row for each value, GROUP BY () one of all matches"
    return IndexUseError(reason, node.span, hint, events)


def unknown_function(node: Call, aggregates: Mapping[str, Function]) -> UnknownFunctionError:
    """A function that nothing has, or that cannot be used."""
    name, span = node.name, _start(node.span, node.name)
    if reason := refusal(name):
        hint = "compute it before the call, into a column of the events"
        return UnknownFunctionError(f"{name} cannot be used: it {reason}", span, hint)
    own = f"aggregates are {listed(aggregates)}; one's own come with the call: options.aggregates"
    unknown = f"no function is called {name}"
    if name.casefold() in set(Strategy):
        reason = f"{name} is a strategy, which holds for the whole pattern"
        hint = f"it stands alone among the conditions, or in its clause: STRATEGY {name.lower()}"
        return UnknownFunctionError(reason, span, hint)
    if name.casefold() in _NEIGHBOURS:
        return UnknownFunctionError(unknown, span, _INSTEAD["lag"])
    if name.casefold() == "average":
        return UnknownFunctionError(unknown, span, _INSTEAD["mean"])
    if is_spark_aggregate(name):
        hint = _INSTEAD.get(name.casefold(), own)
        return UnknownFunctionError(f"{name} is no aggregate that Kleene has", span, hint)
    usable = (function for function in SPARK_FUNCTIONS if refusal(function) is None)
    known = [*aggregates, *FUNCTIONS, *sorted(usable), *Strategy]
    hints = nearest(name, known, _ALIKE) or ("functions are those of Spark SQL", own)
    return UnknownFunctionError(unknown, span, *hints)


_ALIKE = 0.7
_NEIGHBOURS = ("prev", "previous", "next")
_INSTEAD = {
    **dict.fromkeys(("lag", "lead"), "the element before is b[i-1].x, as in b[i].x > b[i-1].x"),
    **dict.fromkeys(("collect_list", "array_agg"), "RETURN b[].x gives the array of all values"),
    "mean": "did you mean avg?",
    "first_value": "did you mean first?",
    "last_value": "did you mean last?",
    "row_number": "the first element is b[1], and count(b[..i]) counts up to each",
}
"""What those look for who know these aggregates and window functions."""


def _reference(node: Call) -> Reference | None:
    """The first reference within a call."""
    found = (below for argument in node.arguments for below in walk(argument))
    return next((below for below in found if isinstance(below, Reference)), None)


def _start(span: Span, name: str) -> Span:
    """The place of the name with which a span begins."""
    if span == NOWHERE:
        return span
    # `B'` may stand as it is, and is then shorter than it is printed.
    return Span(span.start, min(span.start + len(print_name(name)), span.end))
