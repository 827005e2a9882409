"""Random conditions over `typed_events`, as text: a grammar with a name in braces for each type."""

from __future__ import annotations

import re
from random import Random

from support.typed_events import LEAST, MOST

_CHOICES = (
    "coalesce({T}, {T}, NULL)",
    "ifnull({T}, {T})",
    "nvl2({any}, {T}, {T})",
    "if({truth}, {T}, {T})",
    "nullif({T}, {T})",
    "greatest({T}, {T}, {T})",
    "least({T}, {T})",
    "CASE WHEN {truth} THEN {T} WHEN {truth} THEN {T} END",
    "CASE {T} WHEN {T} THEN {T} ELSE {T} END",
)
"""Forms of every type."""

_LEAVES = {
    "truth": ["{any} IS NULL", "a IS NOT NULL", "{f|e}"],
    "whole": ["{x|w|n|w|h}"] * 6 + ["0", "1", "-1", "3", str(MOST), str(LEAST)],
    "floating": ["{y|z|y}"] * 5 + ["1.5e0", "-0e0", "(1e300 * 1e300)"],
    "decimal": ["{p|q}"] * 5 + ["1.5", "-2.25", "3.00", f"{MOST}.5", f"{LEAST}.5", str(MOST + 1)],
    "text": ["{s|u|s}"] * 4 + ["'p'", "''", "'q'", "upper({s})"],
    "moment": ["{m|o|i|d}"],
    "length": ["{l}", "{l}", "5 minutes", "90 seconds"],
}
_LEAVES["number"] = ["{whole}", "{floating}", "{decimal}"]
_LEAVES["any"] = ["{number}", "{text}", "{moment}", "{length}", "{g|v|f|c}"]
_FORMS = {
    "truth": [
        *["{number} {sign} {number}", "{text} {sign} {text}", "{moment} {sign} {moment}"] * 3,
        *["{length} {sign} {length}", "{truth} {sign} {truth}"],
        *(f"{{{name}}} {{equal}} {{{name}}}" for name in ("f", "g", "g.k", "g.s", "v", "b|b")),
        *(f"{{{name}}} {{sign}} {{{name}}}" for name in ("f", "c", "b")),
        *("{number} {sign} {number} < {number}", "{moment} < {moment} {sign} {moment}"),
        *(f"{{{t}}} {{not}}IN ({{{t}}}, {{{t}}}, NULL)" for t in ("number", "text", "moment")),
        *(f"{{{t}}} {{not}}BETWEEN {{{t}}} AND {{{t}}}" for t in ("number", "text", "length")),
        *["({truth} AND {truth})", "({truth} OR {truth})", "NOT ({truth})"] * 4,
        *("({truth}) IS {not}NULL", "{any} IS {not}NULL", "isnull({any})", "isnotnull({any})"),
        *("coalesce({f}, {truth})", "CASE WHEN {truth} THEN {truth} ELSE {f} END"),
        *("isnan({number})", "upper(b.s) LIKE 'P%'", "{f}"),
    ],
    "whole": [
        *(f"({{whole}} {sign} {{whole}})" for sign in ("+", "-", "*", "div", "%")),
        *("(- {whole})", "abs({whole})", "mod({whole}, {whole})", "CAST({whole} AS bigint)"),
        *("floor({floating})", "ceil({floating})", "floor({whole})", *_CHOICES),
        *("({p} div {decimal})", "CAST({decimal} AS bigint)", "CAST({p} AS smallint)"),
    ],
    "floating": [
        *(f"({{floating}} {sign} {{number}})" for sign in ("+", "-", "*", "/", "%")),
        *("({whole} / {whole})", "(- {floating})", "abs({floating})", "sqrt({number})"),
        *(
            "sign({number})",
            "CAST({whole} AS double)",
            "CAST({decimal} AS double)",
            "({length} / {length})",
            *_CHOICES,
        ),
        *("coalesce({floating}, {whole})", "greatest({whole}, {floating}, {decimal})"),
    ],
    "decimal": [
        *(f"({{decimal}} {sign} {{decimal}})" for sign in ("+", "-", "*", "/", "%")),
        *(f"({{decimal}} {sign} {{whole}})" for sign in ("+", "*", "/")),
        *("({p} * 1.05)", "({p} + {p})", "({p} * {p})", "({p} / {p})", "({p} - {x})") * 2,
        *("(a.p * 0.95 + a.w)", "(b.w - 0.5)", *_CHOICES, "(- {decimal})", "abs({decimal})"),
        *("floor({decimal})", "ceil({decimal})", "round({decimal}, 1)", "mod({p}, {decimal})"),
        *("CAST({decimal} AS decimal(9, 1))", "CAST({whole} AS decimal(12, 2))"),
        *("greatest({p}, 1.5, {w})", "coalesce({w}, {p})"),
    ],
    "text": [*_CHOICES, "(b.s || b.u)", "lower({s})"],
    "moment": [
        *("({moment} + {length})", "({moment} - {length})", "({length} + {m|o})"),
        *("({d} + {whole})", "({d} - {whole})", "coalesce({m}, {d})", *_CHOICES),
    ],
    "length": [
        *("({moment} - {moment})", "({length} + {length})", "({length} - {length})"),
        *("({length} * {number})", "({length} / {number})", "(- {length})", *_CHOICES),
    ],
    "number": _LEAVES["number"],
    "any": _LEAVES["any"],
}
_WORDS = {
    "sign": ("=", "!=", "<", "<=", ">", ">=", "<=>"),
    "equal": ("=", "!=", "<=>"),
    "not": ("", "NOT "),
}


class Maker:
    """Draws conditions as text, over the events a, b and d and, in aggregates, the array r."""

    def __init__(self, random: Random, events: str = "abbd", *, aggregates: bool = False) -> None:
        self.random = random
        self.events = events
        self.aggregates = aggregates

    def make(self, name: str, depth: int) -> str:
        """A form of that name, filled in; a name with columns in it is one of these columns."""
        if name in _WORDS:
            return self.random.choice(_WORDS[name])
        if name not in _LEAVES:
            return self.column(self.random.choice(name.split("|")))
        short = depth <= 0 or (name != "truth" and self.random.random() < 0.4)
        form = self.random.choice((_LEAVES if short else _FORMS)[name]).replace(
            "{T}", f"{{{name}}}"
        )
        return self.filled(form, depth if name in ("number", "any") else depth - 1)

    def filled(self, form: str, depth: int) -> str:
        """A form whose names in braces are drawn."""
        return re.sub(r"\{([^}]*)\}", lambda found: self.make(found[1], depth), form)

    def column(self, name: str) -> str:
        """A column of one of the events, or an aggregate that is of the same type."""
        if self.aggregates and self.random.random() < 0.4:
            return self.aggregate(name)
        return f"{self.random.choice(self.events)}.{name}"

    def aggregate(self, name: str) -> str:
        names = ["first", "last"] if name[0] in "gv" else ["min", "max", "first", "last"]
        names += {
            "x": ["sum"],
            "w": ["sum", "count"],
            "y": ["sum", "avg"],
            "p": ["sum", "avg"],
            "q": ["sum", "avg"],
            "l": ["sum", "avg"],
        }.get(name, [])
        function = self.random.choice(names)
        if function == "count":
            return self.random.choice(("count(r[])", "count(r[].g)", "count(r[].x + a.x)"))
        argument = self.random.choice(("r[].x - a.w", "r[].x")) if name == "x" else f"r[].{name}"
        return f"{function}({argument})"
