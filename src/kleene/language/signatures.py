"""What a function takes and makes: parameters, arity, the rule of its type."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kleene.errors import Span, TypeMismatchError
from kleene.language.advice import conversion_hint
from kleene.language.expressions import Type
from kleene.language.kinds import ANYTHING, MOMENTS, NUMBERS, UNORDERED, Kind, Typed, describe

Rule = Callable[[tuple[Typed, ...], Span], Type]
"""From arguments that were checked one by one, and the span of the call, to the type of it."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """What one argument may be; NULL and what only Spark knows always may."""

    words: str
    kinds: frozenset[Kind]

    def accepts(self, argument: Typed) -> bool:
        return argument.kind in self.kinds or argument.kind in ANYTHING

    def unlike(self, argument: Typed) -> str:
        """An argument that is not accepted, in words that tell it from those that are."""
        number = argument.kind in NUMBERS and bool(self.kinds & NUMBERS)
        return f"one of type {argument.type}" if number else describe(argument.type)


@dataclass(frozen=True, slots=True)
class Function:
    """A function by its name in lower case.

    The last `optional` parameters may be left out, and the last one repeated if `variadic`.
    The arguments from `beside` on stand beside each other, so that a string that is written
    there next to a date is read as a date (`coercion`).
    """

    name: str
    parameters: tuple[Parameter, ...]
    rule: Rule
    optional: int = 0
    variadic: bool = False
    beside: int | None = None

    def type_of(self, arguments: tuple[Typed, ...], span: Span) -> Type:
        """The type of a call, or a TypeMismatchError."""
        self._check_count(len(arguments), span)
        for place, argument in enumerate(arguments):
            parameter = self.parameter(place)
            if not parameter.accepts(argument):
                reason = f"{self.name} takes {parameter.words}, not {parameter.unlike(argument)}"
                hint = conversion_hint(argument, parameter.kinds)
                raise TypeMismatchError(reason, argument.span, hint)
        return self.rule(arguments, span)

    def parameter(self, place: int) -> Parameter:
        """What the argument at this place may be."""
        return self.parameters[min(place, len(self.parameters) - 1)]

    def _check_count(self, count: int, span: Span) -> None:
        most = len(self.parameters)
        least = most - self.optional
        if count < least or (count > most and not self.variadic):
            to = " or more" if self.variadic else f" to {most}" if most > least else ""
            plural = "" if (least, to) == (1, "") else "s"
            reason = f"{self.name} takes {least}{to} argument{plural}, not {count}"
            raise TypeMismatchError(reason, span, self._arguments(least))

    def _arguments(self, least: int) -> str:
        """The arguments in words, those that may be left out in brackets."""
        words = [parameter.words for parameter in self.parameters]
        optional = [f"[{word}]" for word in words[least:]]
        return f"call it as {self.name}({', '.join([*words[:least], *optional])})"


ANY = Parameter("a value", frozenset(Kind))
BOOLEAN = Parameter("a boolean", frozenset({Kind.BOOLEAN}))
NUMBER = Parameter("a number", NUMBERS)
WHOLE = Parameter("a whole number", frozenset({Kind.INTEGER}))
SIZED = Parameter("a number or a duration", NUMBERS | {Kind.DURATION})
STRING = Parameter("a string", frozenset({Kind.STRING}))
BYTES = Parameter("a string", frozenset({Kind.STRING, Kind.BINARY}))
STRINGS = Parameter("strings or arrays of strings", frozenset({Kind.STRING, Kind.LIST}))
MOMENT = Parameter("a date or a timestamp", MOMENTS)
TIMESTAMP = Parameter("a timestamp", frozenset({Kind.TIMESTAMP}))
ARRAY = Parameter("an array", frozenset({Kind.LIST}))
TURNED = Parameter("a string or an array", frozenset({Kind.STRING, Kind.LIST}))
COLLECTION = Parameter("an array or a map", frozenset({Kind.LIST, Kind.MAP}))
SORTABLE = Parameter("a value that has an order", frozenset(Kind) - UNORDERED)
