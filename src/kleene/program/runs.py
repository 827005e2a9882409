"""skip_till_next_match: states that walk each run through its automaton, depth first.

A run goes from event to event among the candidates of the leaves that are open, whichever is next.
Where an event makes several moves, or tied events do, a choice is put aside for each but the last.
One that makes none is passed. Two runs never bind the same, for a binding tells every move.

Names of variables, beside those of `layout` and `machine`:

- `ctl`: the control state; `here`: the candidate that is looked at, `step`: its rank;
- `at3`: the next candidate of variable 3; `who`: a bit for each leaf whose candidate `here` is;
- `j`, `row`: rows of the table, the next to try and the one being tried; `fit`: a bit for each row
  that fitted; `did`: those that took all tied events, which are taken once;
- `found`: whether an event of this rank made a move; `trial`: whether a move may be undone.
"""

from __future__ import annotations

from collections.abc import Iterable

from kleene.language.expressions import Attribute
from kleene.language.traversal import walk
from kleene.program.automaton import (
    BEHIND,
    BIT,
    CLOSED,
    CONDITIONS,
    EFFECTS,
    FIRST,
    HEAD,
    LAST,
    LEAF,
    NEEDS,
    ONCE,
    OPEN,
    ROW,
    TARGET,
    Automaton,
    plan_automaton,
)
from kleene.program.effects import grow_rows, write_array, write_effect
from kleene.program.layout import Slot
from kleene.program.machine import BACKTRACK, GO_BACK, SNAPSHOT, Machine, Side, push
from kleene.program.run_checks import RunCheck
from kleene.program.source import Writer
from kleene.program.storage import count, length, named, vacancy

_REGISTERS = ("ctl", "here", "step", "found", "who", "j", "fit", "did")
_PLAIN = ("row", "trial", "then", "good", "effects", "closed")
_GATHERING = ("tied", "base", "new")


class Runs:
    """The states of runs; `accept` is the one that goes on when a run has ended well."""

    def __init__(self, machine: Machine, side: Side, accept: int) -> None:
        conditions = [each for point in side.timed.values() for each in point]
        self.machine = machine
        self.automaton: Automaton = plan_automaton(machine.query, machine.layout, conditions)
        self.leaves = [machine.layout.slot(leaf.variable) for leaf in self.automaton.leaves]
        self._declare()
        self._seek, seek = machine.state()
        self._try, try_ = machine.state()
        self._move, move = machine.state()
        self._check, check = machine.state()
        self._judge, judge = machine.state()
        self._commit, commit = machine.state()
        self.entry, begin = machine.state()
        self._write_seek(seek)
        self._write_try(try_)
        self._write_move(move)
        self._write_check(check)
        self._write_judge(judge, accept)
        self._write_commit(commit)
        self._write_begin(begin)

    def _declare(self) -> None:
        """What is bound tells what is pending, so whoever goes back restores that as well."""
        machine = self.machine
        for slot in self.leaves:
            if not slot.dimensions:
                machine.plain.remove(f"r{slot.number}")
                machine.register(f"r{slot.number}")
            for level in slot.rows:
                rows = count(slot, level)
                end = machine.register(named("t", slot, level))
                mended = f"    {named('e', slot, level)}[{rows} - 1] = {end}"
                machine.mending += [f"if {rows} > 0:", mended]
            machine.register(f"at{slot.number}")
        for name in (*(f"k{loop}" for loop in self._groups()), *_REGISTERS):
            machine.register(name)
        machine.plain += [*_PLAIN, *(f"f{loop}" for loop in self._loops())]
        machine.plain += _GATHERING if self.automaton.gathered else ()

    def _groups(self) -> list[int]:
        """The loops of groups."""
        found = {
            loop: None
            for slot in self.leaves
            for loop in (slot.loops[:-1] if slot.array else slot.loops)
        }
        return list(found)

    def _loops(self) -> list[int]:
        """The loops that conditions have indices for."""
        slots = self.machine.layout.slots
        found = {
            loop: None
            for condition in self.automaton.conditions
            for node in walk(condition)
            if isinstance(node, Attribute)
            for loop in slots[node.variable].loops
        }
        return list(found)

    def _write_begin(self, writer: Writer) -> None:
        """A run that has bound nothing."""
        for slot in self.leaves:
            v = slot.number
            if slot.dimensions:
                write_array(writer, slot, empty=self.automaton.empty[v])
            else:
                writer.put(f"r{v} = -1")
            writer.put(f"at{v} = lo{v}")
        writer.put("step = -1", f"st = {self._seek}")

    def _write_seek(self, writer: Writer) -> None:
        """Go on to the next event that is a candidate of an open leaf."""
        writer.put(f"open = tab[ctl * {HEAD} + {OPEN}]", "here = FAR", "who = 0")
        for bit, slot in enumerate(self.leaves):
            v = slot.number
            with writer.block(f"if open & {1 << bit} != 0:"):
                writer.put(f"at{v} = next_after(p{v}, at{v}, hi{v}, rank, after)")
                with writer.block(f"if at{v} < hi{v} and p{v}[at{v}] <= here:"):
                    writer.put(f"who = {1 << bit} | (who if p{v}[at{v}] == here else 0)")
                    writer.put(f"here = p{v}[at{v}]")
        over = "here == FAR"
        if self.machine.query.resolved.window is not None:
            over += " or cnt > 0 and time[here] - time[pmin] >= window"
        with writer.block(f"if {over}:"):
            self._write_over(writer)
        with writer.block("if rank[here] != step:"):
            with writer.block("if found != 0:"):
                writer.put(*GO_BACK)
            writer.put("step = rank[here]", "did = 0")
        for bit, slot in enumerate(self.leaves):
            writer.put(f"at{slot.number} += who >> {bit} & 1")
        writer.put("fit = 0", f"j = tab[ctl * {HEAD} + {FIRST}]", f"st = {self._try}")

    def _write_over(self, writer: Writer) -> None:
        """No event is left: the run ends, if it has not gone on in others."""
        writer.put(f"row = tab[ctl * {HEAD} + {LAST}]")
        self._write_missing(writer)
        missing = f"tab[row + {NEEDS}] & missing != 0"
        with writer.block(f"if ctl == 0 or found != 0 or {missing}:"):
            writer.put(*GO_BACK)
        writer.put("trial = 1", f"st = {self._move}", "continue")

    def _write_missing(self, writer: Writer) -> None:
        """The needs that are not met."""
        writer.put(f"missing = {self.automaton.never}")
        slots = {slot.name: slot for slot in self.leaves}
        for bit, need in enumerate(self.automaton.needs):
            if isinstance(need.of, str):
                count = f"({length(slots[need.of])})"
            else:
                count = f"k{self.machine.layout.group_loops[need.of]}"
            with writer.block(f"if {count} {'>=' if need.room else '<'} {need.bound}:"):
                writer.put(f"missing |= {1 << bit}")

    def _write_try(self, writer: Writer) -> None:
        """Go through the transitions that the event may fit."""
        writer.put(f"end = tab[ctl * {HEAD} + {LAST}]")
        self._write_missing(writer)
        possible = (
            f"who >> tab[j + {LEAF}] & 1 != 0 and tab[j + {NEEDS}] & missing == 0"
            f" and tab[j + {BEHIND}] & fit == 0"
        )
        with writer.block(f"while j < end and not ({possible}):"):
            writer.put(f"j += {ROW}")
        writer.put("row = j", "trial = 1")
        writer.put(f"st = {self._move} if j < end else {self._seek}")

    def _write_move(self, writer: Writer) -> None:
        """Bind the event as a row says; at the end of a run there is none."""
        writer.put(f"effects = tab[row + {EFFECTS}]", f"closed = tab[row + {CLOSED}]")
        if self.automaton.effects:
            with writer.block("if effects != 0:"):
                with writer.block("if trial != 0:"):
                    writer.put(SNAPSHOT)
                self._write_effects(writer)
        writer.put(*(f"f{loop} = 0" for loop in self._loops()), f"leaf = tab[row + {LEAF}]")
        for slot in self._each_leaf(writer):
            self._bind(writer, slot)
        writer.put(f"st = {self._commit}")
        with writer.block("if trial != 0:"):
            writer.put("good = 1", f"then = {self._judge}")
            writer.put(f"st = {self._check} if tab[row + {CONDITIONS}] != 0 else then")

    def _each_leaf(self, writer: Writer) -> Iterable[Slot]:
        """A block for each leaf."""
        for number, slot in enumerate(self.leaves):
            with writer.block(f"{'elif' if number else 'if'} leaf == {number}:"):
                yield slot

    def _write_effects(self, writer: Writer) -> None:
        groups = self._groups()
        for bit, effect in enumerate(self.automaton.effects):
            with writer.block(f"if effects & {1 << bit} != 0:"):
                write_effect(
                    writer, effect, self.machine.layout, self._within(effect.number, groups)
                )

    def _within(self, loop: int, groups: list[int]) -> list[int]:
        """The loops of groups in the group of a loop."""
        found = {
            inner: None
            for slot in self.leaves
            if loop in slot.loops
            for inner in slot.loops[slot.loops.index(loop) + 1 :]
            if inner in groups
        }
        return list(found)

    def _bind(self, writer: Writer, slot: Slot) -> None:
        writer.put(f"{vacancy(slot)} = here")
        if not slot.dimensions:
            return
        writer.put(f"n{slot.number} += 1")
        grow_rows(writer, slot)
        groups = self._groups()
        for loop in self._loops():
            if loop not in slot.loops:
                continue
            if loop in groups:
                writer.put(f"f{loop} = max(0, k{loop} - 2)")
            else:
                with writer.block("if effects == 0:"):
                    writer.put(f"f{loop} = {length(slot)} - 1")

    def _write_check(self, writer: Writer) -> None:
        """Decide the conditions of a row."""
        writer.put(f"asked = tab[row + {CONDITIONS}]", "ok = True")
        layout, columns = self.machine.layout, self.machine.columns
        for bit, condition in enumerate(self.automaton.conditions):
            with writer.block(f"if ok and asked & {1 << bit} != 0:"):
                check = RunCheck(layout, columns, {}, arrays=self.automaton.arrays)
                check.write(condition, writer)
        writer.put("good = 1 if ok else 0", "st = then")

    def _write_judge(self, writer: Writer, accept: int) -> None:
        """Undo the move if it is none, or if it is not the last that may be made from here.

        Then it is made once more, on top of a choice that goes on with the next.
        """
        writer.put(f"leaf = tab[row + {LEAF}]")
        with writer.block("if leaf < 0:"):
            writer.put(f"st = {accept} if good != 0 else {BACKTRACK}", "continue")
        writer.put(f"j = row + {ROW}", f"end = tab[ctl * {HEAD} + {LAST}]")
        with writer.block(f"if good != 0 and ctl != 0 and tab[row + {ONCE}] & did == 0:"):
            with writer.block(f"while j < end and who >> tab[j + {LEAF}] & 1 == 0:"):
                writer.put(f"j += {ROW}")
            with writer.block("if j == end and (here + 1 == len(rank) or rank[here + 1] != step):"):
                writer.put(f"st = {self._commit}", "continue")
        self._write_undo(writer)
        writer.put(f"j = row + {ROW}", f"st = {self._try}")
        with writer.block("if good == 0:"):
            writer.put("continue")
        writer.put(f"fit |= tab[row + {BIT}]")
        with writer.block(f"if tab[row + {ONCE}] & did != 0:"):
            writer.put("continue")
        writer.put(f"did |= tab[row + {ONCE}]", "found = 0 if ctl == 0 else 1")
        push(writer, self._try)
        writer.put("trial = 0", f"st = {self._move}")

    def _write_undo(self, writer: Writer) -> None:
        if self.automaton.effects:
            with writer.block("if effects != 0:"):
                writer.put(*self.machine.restoring())
        with writer.block("if effects == 0:"):
            for slot in self._each_leaf(writer):
                if slot.dimensions:
                    writer.put(f"n{slot.number} -= 1")
                    grow_rows(writer, slot)
                else:
                    writer.put(f"r{slot.number} = -1")

    def _write_commit(self, writer: Writer) -> None:
        """The move is made; where tied events are taken together those beside this one follow."""
        writer.put("after = step")
        with writer.block("if cnt == 0:"):
            writer.put("pmin = here")
        writer.put("pmax = here", "cnt += 1", f"st = {self._seek}")
        together = [slot for slot in self.leaves if slot.number in self.automaton.gathered]
        if together:
            writer.put(f"leaf = tab[row + {LEAF}]")
            tied = (
                "here + 1 < len(rank) and rank[here + 1] == step"
                " or here > 0 and rank[here - 1] == step"
            )
            with writer.block(f"if tab[row + {ONCE}] != 0 and ({tied}):"):
                for slot in together:
                    with writer.block(f"if leaf == {self.leaves.index(slot)}:"):
                        self._write_gather(writer, slot)
        writer.put(f"ctl = tab[row + {TARGET}]", "found = 0", "step = -1")

    def _write_gather(self, writer: Writer, slot: Slot) -> None:
        """Go through the tied candidates, each in the place of the first element that is new."""
        v = slot.number
        gathering, gather = self.machine.state()
        judging, judge = self.machine.state()
        writer.put(f"tied = at{v} - 1")
        with writer.block(f"while tied > lo{v} and rank[p{v}[tied - 1]] == step:"):
            writer.put("tied -= 1")
        writer.put(f"base = n{v} - 1", "new = 0", f"st = {gathering}")
        high = self.automaton.gathered[v]
        room = "" if high is None else f" and {length(slot)} - 1 + new < {high}"
        with gather.block(f"if tied < hi{v} and rank[p{v}[tied]] == after{room}:"):
            gather.put(f"b{v}[base] = p{v}[tied]", "tied += 1", "good = 1", f"then = {judging}")
            gather.put(f"st = {self._check} if tab[row + {CONDITIONS}] != 0 else then", "continue")
        with gather.block("for z in range(base, base + new):"):
            gather.put(f"b{v}[z] = b{v}[z + 1]")
        gather.put(f"n{v} = base + new", "cnt += new - 1")
        grow_rows(gather, slot)
        gather.put(f"st = {self._seek}")
        with judge.block("if good != 0:"):
            judge.put("new += 1", f"b{v}[base + new] = b{v}[base]")
        judge.put(f"st = {gathering}")
