"""The kernel of merged runs of a query, or the reason why there is none."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property

from kleene.language.expressions import Attribute
from kleene.language.printer import print_expression
from kleene.language.syntax import SkipMode, Strategy
from kleene.language.traversal import walk as walk_expression
from kleene.logical.algebra import And, Event, LogicalQuery, Node, Seq
from kleene.logical.output import OutputForm, visible
from kleene.program.columns import Unsupported
from kleene.program.kernel import Kernel
from kleene.program.merging.decisions import Asked, Decisions
from kleene.program.merging.enumerates import Enumerates
from kleene.program.merging.gaps import Gap, plan_gaps
from kleene.program.merging.paths import Paths, plan_paths
from kleene.program.merging.payload import Payload, plan_payload
from kleene.program.merging.reach import Reach, plan_reach
from kleene.program.merging.remembered import told
from kleene.program.merging.source import Passes, Source, Telling
from kleene.program.questions import asks
from kleene.program.source import Writer

ROOMS = (
    *("keys", "home", "have", "hits"),
    *("gkeys", "ghome", "ghave", "glast"),
    *("log", "name", "marks"),
)
"""The arrays whose size depends on how many configurations, groups and moves there are."""


@dataclass(frozen=True)
class MergedKernel:
    """A kernel that tells of matches without finding them, and what the runtime must know of it."""

    kernel: Kernel
    """Its source and its columns."""
    paths: Paths
    width: int
    """Words of a configuration."""
    payload: Payload
    telling: Telling
    reach: Reach | None
    gaps: tuple[Gap, ...]
    remembers: tuple[str, ...]
    """What runs must agree in to be one, beside how far they are, for people."""

    @property
    def query(self) -> LogicalQuery:
        """The query."""
        return self.kernel.query

    @cached_property
    def remembered(self) -> dict[str, tuple[str, ...]]:
        """For each register of an event the columns and masks that are read of it."""
        found = {}
        for name in self.kernel.parameters:
            if name.startswith("of_"):
                register = name.removeprefix("of_")
                text, number = self.kernel.source, register.partition("_")[2]
                names = f"(?:r|q)_{number}" if register.startswith("r_") else register
                read = re.findall(rf"\b([cm]\d+)\[(?:new_)?{names}\]", text)
                found[register] = tuple(dict.fromkeys(read))
        return found


def plan_merged(query: LogicalQuery, kernel: Kernel, form: OutputForm) -> MergedKernel:
    """The kernel that tells of matches without finding them; Enumerates where there is none."""
    _refuse(query)
    telling = _telling(query, form)
    columns = kernel.columns.copy()
    gaps = plan_gaps(query, kernel.decided)
    paths = plan_paths(query, kernel.layout)
    left = tuple(c for c in query.conditions if id(c) not in kernel.decided)
    grouping = query.resolved.grouping
    try:
        measures = () if grouping is None else grouping.parts
        payload = plan_payload(measures, columns, _always_bound(query.pattern))
        decisions = Decisions(query, paths, columns, Asked(left, gaps), telling.keys)
        reach = plan_reach(query.pattern, left, columns)
        passes = Passes(query.resolved.window is not None, reach is not None)
        source = Source(decisions, payload, telling, passes)
        lines = source.lines()
    except Unsupported as reason:
        raise Enumerates(str(reason)) from None
    if asks(lines):
        (number, *_) = re.findall(r"\bask\(\w+, (\d+)", "\n".join(lines))
        asked = columns.questions[int(number)]
        raise Enumerates(f"{print_expression(asked.condition)} is asked of Python: {asked.reason}")
    text = "\n".join(lines)
    names = ["part", "time", "window", "rank", "kind", *(["reach"] if reach else [])]
    names += [f"{c}{n}" for n in range(len(columns.specs)) for c in "cm" if f"{c}{n}[" in text]
    names += dict.fromkeys(re.findall(r"\b(?:last|next)_of_\d+\b", text))
    names += ["lit", *dict.fromkeys(re.findall(r"\bof_[a-z]_\d+\b", text))]
    rooms = [name for name in ROOMS if re.search(rf"\b{name}\b", text)]
    names += [*rooms, "told", "save", "out"]
    writer = Writer()
    with writer.block(f"def kernel({', '.join(names)}):"):
        writer.put(*lines)
    return MergedKernel(
        kernel=replace(kernel, source=writer.text(), parameters=tuple(names), columns=columns),
        paths=paths,
        width=1 + len(source.registers),
        payload=payload,
        telling=telling,
        reach=reach,
        gaps=gaps,
        remembers=told(decisions, source.registers),
    )


def _telling(query: LogicalQuery, form: OutputForm) -> Telling:
    """The variables whose events an output shows."""
    grouping = query.resolved.grouping
    if form is OutputForm.COLLAPSED:
        shown = visible(query)
        arrays = tuple(variable.name for variable in shown if variable.loops)
        if not arrays:
            raise Enumerates("each is a row of its own")
        return Telling(tuple(v.name for v in shown if not v.loops), arrays)
    if form is OutputForm.COUNT or grouping is None:
        return Telling()
    keys: dict[str, None] = {}
    for key in grouping.keys:
        for node in walk_expression(key.expression):
            if isinstance(node, Attribute) and node.variable:
                if query.variables[node.variable].loops:
                    text = print_expression(key.expression)
                    raise Enumerates(f"the key {text} is about elements of {node.variable}")
                keys[node.variable] = None
    return Telling(tuple(keys))


def _refuse(query: LogicalQuery) -> None:
    resolved = query.resolved
    if resolved.strategy is not Strategy.ANY:
        raise Enumerates(f"{resolved.strategy} looks at the events between")
    clause = resolved.after_match
    if clause is not None and clause.mode is not SkipMode.NO_SKIP:
        raise Enumerates("AFTER MATCH chooses among matches")
    if any(variable.hidden for variable in resolved.variables):
        raise Enumerates("EXISTS tells matches apart by what it shows")


def _always_bound(node: Node) -> set[str]:
    """The single variables that every match binds."""
    match node:
        case Event():
            return {node.variable}
        case Seq() | And():
            return {name for part in node.parts for name in _always_bound(part)}
        case _:
            return set()
