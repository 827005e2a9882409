"""What each move of a run changes and decides, as source text.

Registers: `r_3` is the event of variable 3, in a group that of the iteration, and `q_3` that of the
one before; `f_3` is the first and `l_3` the last element of a repetition; `n_3` and
`k_5` count elements and iterations as far as bounds need them; `y_3` is 0 while array 3 is null;
`m_7` is the element for which condition 7 is hardest to meet, -2 where it can't be met any more;
`g_4` and its like are aggregate 4; `x_2` is the next event that negation 2 forbids. In the text `e`
is the event.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from kleene.language.expressions import Aggregate, Attribute, Expression, IndexKind
from kleene.language.printer import print_expression
from kleene.language.traversal import walk
from kleene.logical.algebra import Kleene, LogicalQuery, Optional, Or
from kleene.logical.algebra import walk as walk_nodes
from kleene.program.columns import Columns
from kleene.program.comparisons import holds
from kleene.program.conditions import Translator
from kleene.program.effects import TURNS, Effect, Kind, Planner
from kleene.program.kinds import ColumnKind, compared_kind
from kleene.program.layout import Slot, leaves
from kleene.program.merging.clauses import Clause, clause_of
from kleene.program.merging.enumerates import Enumerates
from kleene.program.merging.gaps import Gap
from kleene.program.merging.paths import Paths, Step
from kleene.program.merging.registers import Check, MoveCode, names_in
from kleene.program.merging.running import Running, at, running_of
from kleene.program.shapes import Needs
from kleene.program.source import Writer
from kleene.program.text import Operand, both, negation

NONE, POISON = -1, -2


@dataclass(frozen=True)
class Asked:
    """What must be so for a binding to be a match, beside structure and window."""

    conditions: tuple[Expression, ...]
    gaps: tuple[Gap, ...]


class Decisions:
    """Writes the moves of the paths of a query."""

    def __init__(
        self,
        query: LogicalQuery,
        paths: Paths,
        columns: Columns,
        asked: Asked,
        kept: Sequence[str],
    ) -> None:
        self.paths = paths
        self.columns = columns
        self.initial: dict[str, int] = {}
        self._query = query
        self._layout = paths.layout
        self._kept = kept
        self.gaps = asked.gaps
        self.clauses = [clause_of(n, each, paths.layout) for n, each in enumerate(asked.conditions)]
        self.aggregates: dict[tuple[str, str, str], Running] = {}
        for clause in self.clauses:
            for node in walk(clause.condition):
                if isinstance(node, Aggregate):
                    self._aggregate(node)

    def code(self, step: Step) -> MoveCode:
        """What a move does."""
        found = MoveCode(self._condition(step.needs))
        self._count(step, found)
        self._remember(step, found)
        for running in self.aggregates.values():
            if running.variable == self._leaf(step).name:
                running.update(found)
        ends = self.paths.needs_to_end(step.target)
        if ends is not None:
            kept = (found.now(self.key(name)) for name in self._kept)
            found.ends = [Check((), frozenset(kept)), *self._enough(ends, found)]
        for gap in self.gaps:
            self._forbid(gap, step, found)
        for clause in self.clauses:
            self._decide(clause, step, found)
        return found

    def _forbid(self, gap: Gap, step: Step, code: MoveCode) -> None:
        """See that there is no forbidden event in a gap."""
        number, windowed = gap.number, self._query.resolved.window is not None
        behind, register = f"next_of_{number}[e]", f"x_{number}"
        if not gap.before:
            ahead = f"last_of_{number}[pos]" if windowed else f"last_of_{number}[e]"
            near = f" and time[e] - time[{ahead}] < window" if windowed else ""
            if windowed and code.ends is not None:
                code.ends.append(_forbidden(f"{ahead} >= 0{near}"))
            elif not windowed and not step.source:
                code.checks.append(_forbidden(f"{ahead} >= 0"))
        elif not gap.after:
            near = f" and time[{behind}] - time[pos] < window" if windowed else ""
            if code.ends is not None:
                code.ends.append(_forbidden(f"{behind} >= 0{near}"))
        else:
            self.initial[register] = NONE
            code.update(register, f"new_{register} = {behind}")
            shapes = self.paths.shapes
            if gap.is_crossed(shapes[step.source], shapes[step.target]):
                code.checks.append(_forbidden(f"{register} >= 0 and rank[{register}] < rank[e]"))

    def key(self, variable: str) -> str:
        """The register that holds the event of a variable which groups agree in."""
        return self._register("r", self._layout.slot(variable))

    def _condition(self, needs: Needs) -> str:
        """What counts must be for a move, as it is before it."""
        return both(*(f"{self._counter(n.of)} {'<' if n.room else '>='} {n.bound}" for n in needs))

    def _enough(self, needs: Needs, code: MoveCode) -> list[Check]:
        found = []
        for need in needs:
            name = code.now(self._counter(need.of))
            lines = (f"if {name} < {need.bound}:", "    ok = False")
            found.append(Check(lines, names_in(lines)))
        return found

    def _counter(self, of: str | int) -> str:
        if isinstance(of, str):
            return self._register("n", self._layout.slot(of), 0)
        name = f"k_{self._layout.group_loops[of]}"
        self.initial[name] = 0
        return name

    def _register(self, letter: str, slot: Slot, initial: int = NONE) -> str:
        name = f"{letter}_{slot.number}"
        self.initial[name] = initial
        return name

    def _leaf(self, step: Step) -> Slot:
        return self._layout.slot(self.paths.leaves[step.leaf].variable)

    def _is_first(self, step: Step, variable: str) -> bool:
        return self.paths.is_pending(step.source, variable)

    def _count(self, step: Step, code: MoveCode) -> None:
        """Elements and iterations, where a bound asks for them."""
        turned = {effect.number: effect.kind for effect in step.effects if effect.kind in TURNS}
        leaf = self._leaf(step).name
        for of, bound in self.paths.counted.items():
            counter = self._counter(of)
            begins = self._begins_anew(of, turned)
            before = "0" if begins else counter
            if of == leaf or (not isinstance(of, str) and self._layout.group_loops[of] in turned):
                code.update(counter, f"new_{counter} = min({before} + 1, {bound})")
            elif begins:
                code.update(counter, f"new_{counter} = 0")

    def _begins_anew(self, of: str | int, turned: Mapping[int, Kind]) -> bool:
        """Whether a quantifier is in an iteration that begins, or is of a group that does."""
        if isinstance(of, str):
            return not turned.keys().isdisjoint(self._layout.slot(of).loops)
        loop = self._layout.group_loops[of]
        if turned.get(loop) is Kind.FIRST_TURN:
            return True
        around = {
            outer
            for slot in self._layout.slots.values()
            if loop in slot.loops
            for outer in slot.loops[: slot.loops.index(loop)]
        }
        return not turned.keys().isdisjoint(around)

    def _remember(self, step: Step, code: MoveCode) -> None:
        """The event itself, and whether arrays are null."""
        slot = self._leaf(step)
        for effect in step.effects:
            if effect.kind in TURNS:
                self._turn(effect, code)
        if not slot.dimensions or not slot.array:
            self._keep("r", slot, code)
        elif slot.dimensions == 1 and slot.array:
            self._keep("l", slot, code)
            if self._is_first(step, slot.name):
                self._keep("f", slot, code)
        for effect in step.effects:
            if effect.kind in (Kind.EMPTY_ARRAY, Kind.NULL_ARRAY):
                there = f"y_{effect.number}"
                value = int(effect.kind is Kind.EMPTY_ARRAY)
                code.update(there, f"new_{there} = {value}")

    def _turn(self, effect: Effect, code: MoveCode) -> None:
        """An iteration begins: what the last one bound is that of the one before."""
        for slot in self._layout.slots.values():
            if slot.loops == (effect.number,) and not slot.array:
                now, before = self._register("r", slot), self._register("q", slot)
                last = now if effect.kind is Kind.NEXT_TURN else str(NONE)
                code.update(before, f"new_{before} = {last}")
                code.update(now, f"new_{now} = {NONE}")

    def _keep(self, letter: str, slot: Slot, code: MoveCode) -> None:
        register = self._register(letter, slot)
        event = "e" if slot.name in self._kept else f"of_{register}[e]"
        code.update(register, f"new_{register} = {event}")

    @cached_property
    def _may_be_null(self) -> dict[int, bool]:
        """The arrays that may be null, by their numbers, and whether they are not at first."""
        inside = {
            self._layout.slot(leaf.variable).number
            for node in walk_nodes(self._query.pattern)
            if isinstance(node, Or | Optional)
            for leaf in leaves(node)
            if isinstance(leaf, Kleene)
        }
        found = Planner(self._layout).arrays(self._query.pattern)
        return {number: found[number] for number in inside if number in found}

    def _decide(self, clause: Clause, step: Step, code: MoveCode) -> None:
        """Check a condition, or remember what a later check asks about."""
        if clause.loop is not None:
            self._decide_iteration(clause, step, code)
            return
        known = self._is_known(clause, step.target)
        if clause.running == self._leaf(step).name:
            self._decide_element(clause, step, code, known=known)
        if known and not self._is_known(clause, step.source):
            code.checks += self._whole(clause, step, code)
        elif not known and code.ends is not None:
            code.ends += self._whole(clause, step, code)

    def _decide_iteration(self, clause: Clause, step: Step, code: MoveCode) -> None:
        """Check a condition on an iteration as soon as all that it names is bound, or never is."""
        if clause.loop not in self._leaf(step).loops:
            return
        turned = any(e.kind in TURNS and e.number == clause.loop for e in step.effects)
        now = [node.variable for node in clause.inner if node.indices == (IndexKind.EACH,)]
        if any(self.paths.is_pending(step.target, name) for name in now):
            return
        if not turned and not any(self.paths.is_pending(step.source, name) for name in now):
            return
        if not self._is_known(clause, step.target):
            text = print_expression(clause.condition)
            raise Enumerates(f"{text} relates iterations to what is known later")
        code.checks.append(self._check(clause, step, "", code))

    def _is_known(self, clause: Clause, state: int) -> bool:
        """Whether all that a condition asks about beside its elements can't change any more."""
        return all(
            not self.paths.is_pending(state, node.variable)
            if node.indices == (IndexKind.FIRST,)
            else self.paths.is_settled(state, node.variable)
            for node in clause.others
        )

    def _decide_element(self, clause: Clause, step: Step, code: MoveCode, *, known: bool) -> None:
        assert clause.running is not None
        if clause.not_for_the_first and self._is_first(step, clause.running):
            return
        if known:
            code.checks.append(self._check(clause, step, "e", code))
            return
        sides = clause.sides()
        if sides is None:
            raise Enumerates(
                f"{print_expression(clause.condition)} relates each {clause.running}[i] to what is"
                " known later, and is not a plain comparison with it"
            )
        register = f"m_{clause.number}"
        self.initial[register] = NONE
        element, sign, _ = sides
        kind = self._compared(sides)
        new, old = (at(self.columns, place).operand(element, kind) for place in ("e", register))
        writer = Writer()
        writer.put(f"new_{register} = {register}")
        with writer.block(f"if {register} != {POISON}:"):
            with writer.block(f"if {new.null}:"):
                writer.put(f"new_{register} = {POISON}")
            with writer.block(f"elif {register} == {NONE}:"):
                writer.put(f"new_{register} = of_{register}[e]")
            if sign == "=":
                with writer.block(f"elif not ({holds(new, '=', old)}):"):
                    writer.put(f"new_{register} = {POISON}")
            else:
                with writer.block(f"elif {holds(new, '>' if '<' in sign else '<', old)}:"):
                    writer.put(f"new_{register} = of_{register}[e]")
        code.update(register, *writer.lines)

    def _compared(self, sides: tuple[Expression, str, Expression]) -> ColumnKind:
        left, _, right = sides
        type_of = at(self.columns, "e").type
        return compared_kind(type_of(left), type_of(right))

    def _whole(self, clause: Clause, step: Step, code: MoveCode) -> list[Check]:
        """Check a condition without an element that runs, or on the hardest of all so far."""
        if clause.running is None:
            return [self._check(clause, step, "", code)]
        register = f"m_{clause.number}"
        if register not in self.initial:
            return []
        return [self._check(clause, step, code.now(register), code)]

    def _check(self, clause: Clause, step: Step, element: str, code: MoveCode) -> Check:
        guards = self._guards(clause, step, code)
        if element not in ("", "e"):
            guards.append(f"{element} != {NONE}")
        true = self._translator(step, element, code).is_true(clause.condition)
        failed = negation(true)
        if element not in ("", "e"):
            failed = f"{element} == {POISON} or {failed}"
        lines = (f"if {both(*guards, f'({failed})')}:", "    ok = False")
        return Check(lines, names_in(lines))

    def _guards(self, clause: Clause, step: Step, code: MoveCode) -> list[str]:
        """What must be so for a condition to apply: nothing that it names is unbound."""
        found: dict[str, None] = {}
        leaf = self._leaf(step).name
        for node in clause.inner:
            slot = self._layout.slot(node.variable)
            previous = node.indices == (IndexKind.PREVIOUS,)
            if previous or node.variable != leaf:
                register = self._register("q" if previous else "r", slot)
                found[f"{code.now(register)} >= 0"] = None
        for node in clause.others:
            slot = self._layout.slot(node.variable)
            if not node.indices:
                if node.variable != leaf:
                    found[f"{self._register('r', slot)} >= 0"] = None
            elif node.indices == (IndexKind.FIRST,):
                if node.variable != leaf or not self._is_first(step, leaf):
                    found[f"{self._register('f', slot)} >= 0"] = None
            elif slot.number in self._may_be_null:
                there = self._register("y", slot, int(self._may_be_null[slot.number]))
                found[f"{code.now(there)} != 0"] = None
        return list(found)

    def _aggregate(self, node: Aggregate) -> Running:
        found = running_of(node, len(self.aggregates), self.columns)
        known = self.aggregates.setdefault(found.key, found)
        self.initial.update(known.initial)
        return known

    def _translator(self, step: Step, element: str, code: MoveCode | None = None) -> Translator:
        """Translates conditions at a move; `b[i]` is the element."""
        leaf = self._leaf(step).name

        def position(node: Attribute) -> str:
            slot = self._layout.slot(node.variable)
            if slot.dimensions == 1 and not slot.array:
                assert code is not None, "iterations are not compared with each other"
                if node.indices == (IndexKind.PREVIOUS,):
                    return code.now(self._register("q", slot))
                return "e" if node.variable == leaf else code.now(self._register("r", slot))
            match node.indices:
                case ():
                    return "e" if node.variable == leaf else self._register("r", slot)
                case (IndexKind.PREVIOUS,):
                    return self._register("l", slot)
                case (IndexKind.FIRST,):
                    first = node.variable == leaf and self._is_first(step, leaf)
                    return "e" if first else self._register("f", slot)
                case _:
                    return element

        def aggregate(node: Aggregate) -> Operand:
            assert code is not None, "elements are compared without aggregates"
            return self._aggregate(node).value(node, code)

        return Translator(self.columns, position, aggregate)


def _forbidden(condition: str) -> Check:
    lines = (f"if {condition}:", "    ok = False")
    return Check(lines, names_in(lines))
