"""Random patterns, each with something positive to look for."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto
from itertools import chain, count

from kleene.language.expressions import Literal
from kleene.language.syntax import (
    And,
    Conditioned,
    EventPattern,
    Exists,
    Name,
    Not,
    Or,
    Pattern,
    Quantifier,
    Repeat,
    Seq,
    pattern_children,
)
from support.generators.attributes import TYPES
from support.generators.drawing import Drawer
from support.generators.profile import Operator, Profile

PLACEHOLDER = Literal(None)
"""Stands where a condition at a pattern comes later, once it is known what it may name."""

# No names of columns: a condition at a single event could not name those any more.
_NAMES = tuple("abcdehmopqruvw")
_ODD_NAMES = ("a b", "select", "Where", "i", "count", "ä", "true", "kl", "union", "_", "B_2", "`")


class Form(Enum):
    """What stands at a place of a pattern."""

    EVENT = auto()
    SEQ = auto()
    AND = auto()
    OR = auto()
    GROUP = auto()
    OPTIONAL_GROUP = auto()


class PatternMaker:
    """Draws a pattern within what is left of the budget of variables."""

    def __init__(self, drawer: Drawer, profile: Profile) -> None:
        self.drawer = drawer
        self.profile = profile
        self.left = profile.max_variables
        odd = _ODD_NAMES if profile.odd_names and drawer.chance(25) else ()
        more = (f"v{number}" for number in count())
        self.names = chain(drawer.some(odd, 0, len(odd)), _NAMES, more)

    def pattern(self) -> Pattern:
        """A pattern, in one of two cases a sequence."""
        whole = self.drawer.chance(50)
        made = self._positive(self.profile.depth, 0) if whole else self._seq(self.profile.depth, 0)
        hides = self.profile.allows(Operator.EXISTS) and self.drawer.chance(12)
        return self._with_exists(made) if hides else made

    def _positive(self, depth: int, level: int) -> Pattern:
        """A pattern that looks for something; `level` negations enclose it."""
        form = self.drawer.weighted(self._forms(depth))
        match form:
            case Form.EVENT:
                made = self._event()
            case Form.SEQ:
                made = self._seq(depth, level)
            case Form.AND:
                made = And(self._parts(depth, level))
            case Form.OR:
                branches = self._places(self.drawer.number(2, 3))
                made = Or(tuple(self._positive(depth - 1, level) for _ in branches))
            case Form.GROUP:
                made = Repeat(self._positive(depth - 1, level), self._quantifier())
            case Form.OPTIONAL_GROUP:
                made = Repeat(self._positive(depth - 1, level), Quantifier(0, 1, optional=True))
        return self._conditioned(made)

    def _forms(self, depth: int) -> dict[Form, int]:
        if depth <= 0 or self.left <= 1:
            return {Form.EVENT: 1}
        allows = self.profile.allows
        return {
            Form.EVENT: 12,
            Form.SEQ: 3,
            Form.AND: 2 * allows(Operator.AND),
            Form.OR: 2 * allows(Operator.OR),
            Form.GROUP: 2 * allows(Operator.GROUP),
            Form.OPTIONAL_GROUP: allows(Operator.GROUP) and allows(Operator.OPTIONAL),
        }

    def _seq(self, depth: int, level: int) -> Pattern:
        return Seq(self._parts(depth, level))

    def _parts(self, depth: int, level: int) -> tuple[Pattern, ...]:
        """Parts of SEQ and AND, at least one of which is positive."""
        parts = self.drawer.number(1 if self.drawer.chance(5) else 2, min(4, self.left))
        positive = self.drawer.number(0, parts - 1)
        return tuple(
            self._part(depth - 1, level, negatable=number != positive)
            for number in self._places(parts)
        )

    def _places(self, parts: int) -> Iterator[int]:
        """The numbers of parts, with a variable kept for each that is still to come."""
        self.left -= parts
        for number in range(parts):
            self.left += 1
            yield number

    def _part(self, depth: int, level: int, *, negatable: bool) -> Pattern:
        negated = (
            negatable
            and self.profile.allows(Operator.NOT)
            and level < self.profile.negation_depth
            and self.drawer.chance(30)
        )
        if negated:
            # A negation inside a negation needs room for a pattern of several parts.
            room = self.left > 1 and level + 1 < self.profile.negation_depth
            deeper = room and self.drawer.chance(35)
            body = self._seq(depth, level + 1) if deeper else self._positive(depth, level + 1)
            return self._conditioned(Not(body))
        return self._positive(depth, level)

    def _event(self) -> Pattern:
        self.left -= 1
        drawer, allows = self.drawer, self.profile.allows
        kind = None if allows(Operator.ANY) and drawer.chance(8) else Name(drawer.one(TYPES))
        unnamed = self.profile.unnamed and drawer.chance(8)
        variable = None if unnamed else Name(next(self.names))
        quantifier = None
        if allows(Operator.KLEENE) and drawer.chance(22):
            quantifier = self._quantifier()
        elif allows(Operator.OPTIONAL) and drawer.chance(10):
            quantifier = Quantifier(0, 1, optional=True)
        return EventPattern(kind, variable, quantifier)

    def _quantifier(self) -> Quantifier:
        bounds = {(1, None): 6, (0, None): 3, (1, 2): 2, (2, None): 1, (0, 2): 1, (2, 2): 1}
        return Quantifier(*self.drawer.weighted(bounds))

    def _conditioned(self, made: Pattern) -> Pattern:
        if not self.profile.inline or not self.drawer.chance(8):
            return made
        return Conditioned(made, (PLACEHOLDER,) * self.drawer.weighted({1: 4, 2: 1}))

    def _with_exists(self, made: Pattern) -> Pattern:
        """Hide some variables of the pattern, or of one of its parts, but never all."""
        inside = shown_names(made)
        if len(inside) < 2:
            return made
        parts = made.parts if isinstance(made, Seq) and self.drawer.chance(30) else ()
        place = self.drawer.number(0, max(0, len(parts) - 1))
        if parts and 0 < len(shown_names(parts[place])) < len(inside):
            hidden = tuple(map(Name, shown_names(parts[place])))
            return Seq((*parts[:place], Exists(hidden, parts[place]), *parts[place + 1 :]))
        return Exists(tuple(map(Name, self.drawer.some(inside, 1, len(inside) - 1))), made)


def shown_names(node: Pattern) -> list[str]:
    """The variables, among those with a name of their own, that matches of a pattern bind."""
    match node:
        case EventPattern():
            return [] if node.variable is None else [node.variable.text]
        case Not():
            return []
        case _:
            return [name for child in pattern_children(node) for name in shown_names(child)]
