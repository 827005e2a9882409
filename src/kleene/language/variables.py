"""Which variables a pattern declares, and where each stands (semantics 2 and 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import count

from kleene.errors import (
    NOWHERE,
    DuplicateNameError,
    OutputError,
    ScopeError,
    Span,
    UnknownVariableError,
    nearest,
)
from kleene.language.expressions import Expression
from kleene.language.positive_part import check_positive_part
from kleene.language.presence import nullable, witnesses
from kleene.language.resolved import BranchStep, Variable
from kleene.language.syntax import (
    And,
    Conditioned,
    EventPattern,
    Exists,
    Name,
    Not,
    Or,
    Pattern,
    Repeat,
    Seq,
    walk_patterns,
)

_MOST_LISTED = 12


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a pattern: the loops, negations and branches that enclose it.

    `part` is the innermost part around it that may be absent where its surroundings are there.
    """

    loops: tuple[int, ...] = ()
    negations: tuple[int, ...] = ()
    branches: tuple[BranchStep, ...] = ()
    part: Pattern | None = None


@dataclass(frozen=True, slots=True)
class InlineCondition:
    """A condition written at a pattern; `own` is the variable of `(T a : …)`, if it is such."""

    condition: Expression
    place: Place
    own: str | None


@dataclass(slots=True)
class Declarations:
    """What a pattern declares, in the order of the text."""

    variables: list[Variable] = field(default_factory=list)
    inline: list[InlineCondition] = field(default_factory=list)
    counters: Counter[str] = field(default_factory=Counter)

    def fresh(self, what: str) -> int:
        """The next number of a kind."""
        self.counters[what] += 1
        return self.counters[what] - 1


def listed(names: Iterable[str]) -> str:
    """The first names of some, for a hint."""
    found = list(names)
    return ", ".join(found[:_MOST_LISTED]) + (", …" if len(found) > _MOST_LISTED else "")


def name_hints(name: str, variables: Iterable[Variable]) -> tuple[str, ...]:
    """The variable that was meant, or all of them."""
    names = [variable.name for variable in variables]
    return nearest(name, names) or (f"variables are {listed(names)}",)


def declare(pattern: Pattern) -> tuple[Pattern, Declarations]:
    """The pattern with every event named, and its declarations."""
    named = name_events(pattern)
    check_positive_part(named)
    declarations = Declarations()
    _declare(named, Place(), declarations)
    _check_unique(declarations.variables)
    _hide(named, declarations)
    return named, declarations


def name_events(pattern: Pattern) -> Pattern:
    """Give every event without a variable its type's name, with `_2`, `_3` where taken."""
    events = [node for node in walk_patterns(pattern) if isinstance(node, EventPattern)]
    taken = {event.variable.key for event in events if event.variable is not None}
    following: dict[str, count[int]] = {}

    def named(node: Pattern) -> Pattern:
        match node:
            case EventPattern(variable=None):
                return replace(node, variable=Name(_free(node), node.span))
            case EventPattern():
                return node
            case Seq() | And() | Or():
                return replace(node, parts=tuple(map(named, node.parts)))
            case Not() | Repeat() | Exists() | Conditioned():
                return replace(node, body=named(node.body))

    def _free(event: EventPattern) -> str:
        base = "ANY" if event.type is None else event.type.text
        numbers = following.setdefault(base.casefold(), count(2))
        name = base
        while name.casefold() in taken:
            name = f"{base}_{next(numbers)}"
        taken.add(name.casefold())
        return name

    return named(pattern)


def _declare(node: Pattern, place: Place, into: Declarations) -> None:
    match node:
        case EventPattern():
            into.variables.append(_variable(node, place, into))
        case Seq() | And():
            for part in node.parts:
                _declare(part, place, into)
        case Or():
            choice = into.fresh("choice")
            for number, part in enumerate(node.parts):
                step = BranchStep(choice, number, len(place.loops))
                inside = replace(place, branches=(*place.branches, step), part=part)
                _declare(part, inside, into)
        case Not():
            negations = (*place.negations, into.fresh("negation"))
            _declare(node.body, replace(place, negations=negations, part=None), into)
        case Repeat():
            inner = replace(place, part=node.body) if nullable(node) else place
            if not node.quantifier.optional:
                inner = replace(inner, loops=(*place.loops, into.fresh("loop")))
            _declare(node.body, inner, into)
        case Exists():
            _declare(node.body, place, into)
        case Conditioned():
            own = None
            if isinstance(node.body, EventPattern) and node.body.variable is not None:
                own = node.body.variable.text
            absent = nullable(node.body) and bool(witnesses(node.body))
            here = replace(place, part=node.body) if absent else place
            into.inline.extend(InlineCondition(c, here, own) for c in node.conditions)
            _declare(node.body, place, into)


def _variable(node: EventPattern, place: Place, into: Declarations) -> Variable:
    assert node.variable is not None
    kleene = node.quantifier is not None and not node.quantifier.optional
    return Variable(
        name=node.variable.text,
        type=None if node.type is None else node.type.text,
        loops=(*place.loops, into.fresh("loop")) if kleene else place.loops,
        kleene=kleene,
        negations=place.negations,
        branches=place.branches,
        span=node.variable.span,
    )


def _check_unique(variables: list[Variable]) -> None:
    seen: dict[str, str] = {}
    for variable in variables:
        if variable.key in seen:
            raise _declared_twice(variable, seen[variable.key], {v.key for v in variables})
        seen[variable.key] = variable.name


def _declared_twice(variable: Variable, before: str, taken: set[str]) -> DuplicateNameError:
    name = variable.name
    reason = f"{name} is declared twice"
    if before != name:
        reason = f"{before} and {name} are one name: upper and lower case do not count"
    free = next(f"{name}{n}" for n in count(2) if f"{name}{n}".casefold() not in taken)
    return DuplicateNameError(
        reason,
        variable.span,
        "every event of a pattern has a variable of its own, in every branch: "
        f"call this one {free}",
    )


def _hide(pattern: Pattern, declarations: Declarations) -> None:
    """Mark what EXISTS hides; it may name what its own pattern binds."""
    hidden: set[str] = set()
    place = NOWHERE
    for node in walk_patterns(pattern):
        if isinstance(node, Exists):
            inside = Declarations()
            _declare(node.body, Place(), inside)
            known = {variable.key: variable for variable in inside.variables}
            hidden.update(_hidden(name, known) for name in node.variables)
            place = reduce(Span.to, (name.span for name in node.variables), place)
    variables = declarations.variables
    declarations.variables = [replace(v, hidden=v.key in hidden) for v in variables]
    if all(v.hidden or not v.positive for v in declarations.variables):
        raise OutputError(
            "EXISTS hides every variable, so a match would show nothing",
            place,
            "a match shows what EXISTS does not name: take a variable out of its list",
        )


def _hidden(name: Name, inside: dict[str, Variable]) -> str:
    """The key of a variable that EXISTS hides: one that its own pattern binds."""
    found = inside.get(name.key)
    if found is None:
        raise UnknownVariableError(
            f"the pattern behind EXISTS declares no {name.text}",
            name.span,
            *name_hints(name.text, inside.values()),
        )
    if not found.positive:
        reason = f"{name.text} is negated: no match shows it anyway"
        hint = "take it out of the list behind EXISTS, which hides what a match binds"
        raise ScopeError(reason, name.span, hint)
    return found.key
