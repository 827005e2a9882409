"""What registers hold, for people."""

from __future__ import annotations

from collections.abc import Sequence

from kleene.language.printer import print_expression
from kleene.program.merging.decisions import Decisions


def told(decisions: Decisions, registers: Sequence[str]) -> tuple[str, ...]:
    """What runs must agree in to be one, each thing once."""
    return tuple(dict.fromkeys(_told(decisions, register) for register in registers))


def _told(decisions: Decisions, register: str) -> str:
    letter, _, digits = register.partition("_")
    number = int(digits)
    names = {slot.number: slot.name for slot in decisions.paths.layout.slots.values()}
    match letter:
        case "r":
            return names[number]
        case "q":
            return f"{names[number]} of the iteration before"
        case "f":
            return f"the first of {names[number]}"
        case "l":
            return f"the last of {names[number]}"
        case "n":
            return f"how many {names[number]} there are"
        case "k":
            return "how many iterations there are"
        case "y":
            return f"whether there is {names[number]}"
        case "x":
            forbidden = next(gap.variable for gap in decisions.gaps if gap.number == number)
            return f"the next {forbidden}"
        case "m":
            clause = decisions.clauses[number]
            return f"the {clause.running} that decides {print_expression(clause.condition)}"
        case _:
            found = (each.node for each in decisions.aggregates.values() if each.number == number)
            return print_expression(next(found))
