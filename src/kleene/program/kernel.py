"""The source of a kernel: one function that walks over sorted columns and writes matches."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property

from kleene.language.kinds import Kind, kind_of
from kleene.language.syntax import Strategy
from kleene.logical.algebra import LogicalQuery
from kleene.optimizer.methods import Method
from kleene.program.automaton import Automaton
from kleene.program.choice import Choice, choose, order_of
from kleene.program.columns import ColumnKind, Columns, Unsupported
from kleene.program.compose import compose
from kleene.program.filters import condition_column, plan_filters
from kleene.program.layout import Layout, Slot, plan_layout
from kleene.program.loop import body, saved_names
from kleene.program.machine import EMIT, GO_BACK, Machine, Plan
from kleene.program.negate import tests
from kleene.program.neighbours import distance, endless_first, is_contiguous
from kleene.program.order import Order
from kleene.program.postpone import postponed_parts
from kleene.program.runs import Runs
from kleene.program.source import Writer
from kleene.program.storage import named

ASKING = "asking"
"""The parameter that is asked what machine code does not decide."""


@dataclass(frozen=True)
class Kernel:
    """A kernel's source, and what the runtime must lay before it."""

    query: LogicalQuery
    source: str
    layout: Layout
    columns: Columns
    types: dict[str, int]
    """For each defined type the column that says whether an event is of it."""
    filters: dict[str, list[int]]
    """For each variable the columns that must be true of its events."""
    decided: frozenset[int]
    """The conditions that these decide, by identity."""
    parameters: tuple[str, ...]
    buffers: tuple[str, ...]
    """Buffers with room for all events of a partition, besides those of variables."""
    growing: tuple[str, ...]
    """Buffers that are given more room when a call asks for it."""
    saved: int
    """Words that a kernel keeps from call to call."""
    frame: int
    """Words of a choice on the stack."""
    counts: bool
    """Whether it counts its matches instead of writing them."""
    table: tuple[int, ...]
    """The automaton of skip_till_next_match."""
    wide: str
    """Why it is for plain Python alone; empty if it may be machine code."""
    choice: Choice
    """By which method it finds matches."""
    order: Order
    """In which order it binds the pattern."""

    @cached_property
    def kinds(self) -> tuple[tuple[str, str], ...]:
        """The parameters, each with its kind, as `compiled` wants them."""
        return tuple((parameter, self._kind_of(parameter)) for parameter in self.parameters)

    def _kind_of(self, parameter: str) -> str:
        letter, number = parameter[0], parameter[1:]
        if parameter in ("time", "window"):
            floating = kind_of(self.query.resolved.shape.time_type) is Kind.FLOAT
            return {"time": "FI", "window": "fi"}[parameter][0 if floating else 1]
        if letter == "m" and number.isdigit():
            return "RB"
        if letter == "c" and number.isdigit():
            return "RF" if self.columns.specs[int(number)].kind is ColumnKind.FLOAT else "RI"
        if parameter == ASKING:
            return "A"
        return "RI" if parameter in ("lit", "tab") else "I"

    @cached_property
    def reads(self) -> frozenset[str]:
        """The columns and masks that the source looks at; others only choose events before it."""
        return frozenset(re.findall(r"\b([cm]\d+)\[", self.source))

    @property
    def shown(self) -> list[Slot]:
        """The variables of a match, in the order in which they are written."""
        return self.layout.shown


def plan_kernel(
    query: LogicalQuery,
    method: Method | None = None,
    *,
    counts: bool = False,
    tallies: bool = False,
) -> Kernel:
    """The kernel of a query by a method, or by that which suits it best; or Unsupported.

    `counts`: it counts its matches instead of writing them; `tallies`: and events as it binds them.
    """
    _refuse_what_has_no_machine(query)
    choice = choose(query, method)
    shown = plan_layout(query).slots
    if is_contiguous(query.resolved.strategy):
        query = replace(query, pattern=endless_first(query.pattern))
    layout = plan_layout(query).in_order_of(shown)
    columns = Columns(query.resolved.shape.schema)
    types = {d.name: condition_column(d.condition, columns) for d in query.resolved.definitions}
    filters = plan_filters(query, layout, columns)
    plan = Plan(choice.method, order_of(query.pattern, choice), tallies)
    machine = Machine(query, layout, columns, filters.decided, plan)
    entry, automaton = _search(machine)
    lines = body(machine, entry, counts=counts)
    parameters = _parameters(layout, columns, (*machine.buffers, *machine.growing))
    source = Writer()
    with source.block(f"def kernel({', '.join(parameters)}):"):
        source.put(*lines)
    return Kernel(
        query=query,
        source=source.text(),
        layout=layout,
        columns=columns,
        types=types,
        filters=filters.columns,
        decided=frozenset(filters.decided),
        parameters=parameters,
        buffers=tuple(machine.buffers),
        growing=tuple(machine.growing),
        saved=len(saved_names(machine)),
        frame=machine.frame,
        counts=counts,
        table=() if automaton is None else automaton.table,
        wide="" if automaton is None else automaton.wide,
        choice=choice,
        order=machine.order,
    )


def _refuse_what_has_no_machine(query: LogicalQuery) -> None:
    if query.resolved.shape.imprecise:
        raise Unsupported("imprecise time")


def _search(machine: Machine) -> tuple[int, Automaton | None]:
    """The state that looks for a match, and the automaton that it goes by, if any.

    What is found is a match if it is contiguous and nothing extends it.
    """
    query = machine.query
    side = machine.side(None, query.pattern, query.conditions)
    accept, accepted = machine.state()
    automaton = None
    if query.resolved.strategy is Strategy.NEXT:
        runs = Runs(machine, side, accept)
        entry, automaton = runs.entry, runs.automaton
    else:
        entry = compose(machine, query.pattern, postponed_parts(machine, accept, side), side)
    with accepted.block("if cnt == 0:"):
        accepted.put(*GO_BACK)
    machine.require(side.rest, side, accepted)
    if is_contiguous(query.resolved.strategy):
        between = distance(query.resolved.strategy, "pmin", "pmax")
        with accepted.block(f"if {between} != cnt - 1:"):
            accepted.put(*GO_BACK)
    accepted.put(f"st = {tests(machine, query.pattern, EMIT)}")
    return entry, automaton


def _parameters(layout: Layout, columns: Columns, buffers: tuple[str, ...]) -> tuple[str, ...]:
    slots = layout.slots.values()
    names = ["part", "time", "window", "rank", "place"]
    names += [f"p{slot.number}" for slot in slots]
    names += [f"{letter}{index}" for index in range(len(columns.specs)) for letter in "cm"]
    names += ["lit", "tab"]
    names += [f"b{slot.number}" for slot in slots if slot.dimensions]
    names += [named(end, slot, level) for slot in slots for level in slot.rows for end in "se"]
    names += [ASKING] if columns.questions else []
    return (*names, *buffers, "stk", "save", "out")
