"""The source of a kernel of merged runs.

It goes through the events of a partition in passes: one for each event that a match may begin with,
or, without a window and a reach, a single pass. Names of variables:

- `e`: the event, `who`: a bit for each leaf that may take it, `pos`: where the pass began;
- `keys`: configurations, so many words each: state and ties, then registers; `n`: how many;
- `home`, `stamp`: where they are found again; `have`: their payloads;
- `hits`, `hit`: configurations that the event leads to, with payloads, which are added behind it;
- `told`: the payload of the matches of a pass, then that of those of the partition;
- `gkeys`, `ghome`, `ghave`, `groups`: groups of the matches of a pass, likewise, `turn`: the next
  that is written.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kleene.program.loop import DEEP, DONE, FULL
from kleene.program.merging.decisions import Decisions
from kleene.program.merging.log import MOVE, write_array, write_marks
from kleene.program.merging.paths import MOST_STATES, Step
from kleene.program.merging.payload import Payload
from kleene.program.merging.registers import MoveCode, liveness
from kleene.program.source import Writer
from kleene.program.tables import LIMBS
from kleene.program.text import TRUE

SLOW = 4
"""What a call answers where it took more steps than it was allowed."""
AT, POS, STAMP, STEPS, TURN, GROUPS, LOGGED, ROWS = range(8)
"""Words of `save`: the partition, the place in it, the stamp, the steps that are left, the next
group to be written (-1 before a pass), how many there are, words of the log, rows written."""
SAVED = 8
_NAMES = ("at", "pos", "stamp", "steps", "turn", "groups", "logged", "rows")
_STATE_BITS = (MOST_STATES - 1).bit_length()
_STATE_MASK = (1 << _STATE_BITS) - 1


@dataclass(frozen=True)
class Telling:
    """What is told of matches: in groups of those that agree in `keys`, single variables.

    `arrays` are variables whose events are told too, those that some match of the group has.
    """

    keys: tuple[str, ...] = ()
    arrays: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Passes:
    """What ends a pass before its partition ends: a window, the reach of its first event."""

    window: bool
    reach: bool


class Source:
    """Writes a kernel."""

    def __init__(
        self,
        decisions: Decisions,
        payload: Payload,
        telling: Telling,
        passes: Passes,
    ) -> None:
        paths = self.paths = decisions.paths
        self._decisions = decisions
        self._payload = payload
        self._telling = telling
        self._keyed = bool(telling.keys) or telling.arrays is not None
        self._window, self._reach = passes.window, passes.reach
        self._single = not (passes.window or passes.reach)
        self._codes = {step: decisions.code(step) for steps in paths.steps for step in steps}
        moves = {
            state: [(step.target, self._codes[step]) for step in steps]
            for state, steps in enumerate(paths.steps)
        }
        self._live = liveness(moves)
        self.registers = tuple(sorted(set().union(*self._live.values())))
        self._width = 1 + len(self.registers)
        self._most = max(map(len, paths.steps))

    def lines(self) -> list[str]:
        """The statements of the kernel."""
        writer = Writer()
        writer.put(*(f"{name} = save[{number}]" for number, name in enumerate(_NAMES)))
        writer.put("fill = 0", "rows = 0", f"answer = {DONE}")
        with writer.block("while True:"):
            if self._keyed:
                with writer.block("if turn < 0:"):
                    self._write_partition(writer)
                    self._write_pass(writer)
                    writer.put("turn = 0")
                self._write_groups(writer)
                writer.put("turn = -1")
            else:
                self._write_partition(writer)
                self._write_pass(writer)
            writer.put("pos = part[at + 1]" if self._single else "pos += 1")
        writer.put(*(f"save[{number}] = {name}" for number, name in enumerate(_NAMES)))
        writer.put("return answer, fill")
        return writer.lines

    def _write_partition(self, writer: Writer) -> None:
        """Go to the next event that a match may begin with; at the end tell of the partition."""
        width = self._payload.width
        with writer.block("if pos < 0:"):
            with writer.block("if at + 1 >= len(part):"):
                writer.put("break")
            writer.put("pos = part[at]", *self._payload.zero("told", str(width)))
        writer.put("finish = part[at + 1]")
        starts = f"kind[pos] & {self.paths.leading} != 0"
        starts += " and reach[pos] > pos" if self._reach else ""
        with writer.block(f"while pos < finish and not ({starts}):"):
            writer.put("pos += 1")
        with writer.block("if pos >= finish:"):
            if not self._keyed:
                some = " or ".join(f"told[{width + word}] != 0" for word in range(LIMBS))
                with writer.block(f"if {some}:"):
                    self._write_row((), "told", str(width), writer)
            writer.put("at += 1", "pos = -1", "continue")

    def _write_row(self, keys: Iterable[str], array: str, start: str, writer: Writer) -> None:
        """A row of the output: partition, keys, payload."""
        words = ["at", *keys]
        size = len(words) + self._payload.width
        with writer.block(f"if fill + {size} + rows + 1 > len(out):"):
            writer.put(f"answer = {FULL}", "break")
        writer.put(*(f"out[fill + {number}] = {word}" for number, word in enumerate(words)))
        writer.put(*self._payload.copy("out", f"fill + {len(words)}", array, start))
        writer.put(f"fill += {size}")

    def _write_pass(self, writer: Writer) -> None:
        width = self._payload.width
        rooms = "len(keys)" + (" + len(gkeys)" if self._keyed else "")
        writer.put(f"stamp += {rooms}", "n = 1", "keys[0] = 0")
        writer.put(
            *(
                f"keys[{number}] = {self._decisions.initial[name]}"
                for number, name in enumerate(self.registers, 1)
            )
        )
        writer.put(f"home[slot_of(keys, 0, {self._width}, home, stamp)] = stamp + 1")
        writer.put(*self._payload.one("have", "0"), "step = -1", "base = 0", "tied = 0")
        if self._keyed:
            writer.put("groups = 0")
        else:
            writer.put(*self._payload.zero("told", "0"))
        if self._telling.arrays is not None:
            writer.put("logged = 0", "names = 1", "name[0] = 0")
        writer.put(f"wanted = {self.paths.leading}")
        writer.put("opened = wanted" if self._single else "opened = 0", "skip = 0", "e = pos")
        within = " and time[e] - time[pos] < window" if self._window else ""
        within += " and e <= reach[pos]" if self._reach else ""
        with writer.block(f"while e < finish{within}:"):
            self._write_event(writer)
        with writer.block(f"if answer != {DONE}:"):
            writer.put("break")
        if not self._keyed:
            writer.put(*self._payload.merge("told", str(width), "told", "0"))

    def _write_groups(self, writer: Writer) -> None:
        """Tell of the groups of a pass, one by one; what has no room is left to the next call."""
        keys, words = self._telling.keys, self._payload.width
        with writer.block("while turn < groups:"):
            begin = [f"gkeys[turn * {len(keys) + 1} + {n}]" for n in range(1, len(keys) + 1)]
            if self._telling.arrays is not None:
                writer.put("begin = fill")
            self._write_row(begin, "ghave", f"turn * {words}", writer)
            if self._telling.arrays is not None:
                write_marks(writer)
                for name in self._telling.arrays:
                    write_array(self._leaf(name), writer)
                with writer.block(f"if answer != {DONE}:"):
                    writer.put("fill = begin", "break")
                writer.put("rows += 1", "out[len(out) - rows] = fill")
            writer.put("turn += 1")
        with writer.block(f"if answer != {DONE}:"):
            writer.put("break")

    def _leaf(self, variable: str) -> int:
        return next(n for n, node in enumerate(self.paths.leaves) if node.variable == variable)

    def _write_event(self, writer: Writer) -> None:
        writer.put("who = kind[e]")
        with writer.block("if who & wanted == 0:"):
            writer.put("e += 1", "continue")
        with writer.block("if rank[e] != step:"):
            with writer.block("if tied != 0:"):
                self._write_untie(writer)
            writer.put("step = rank[e]", "base = n")
            writer.put("tied = 1 if e + 1 < finish and rank[e + 1] == step else 0")
        writer.put("steps -= n", "hit = 0", "most = n")
        with writer.block("if steps < 0:"):
            writer.put(f"answer = {SLOW}", "break")
        row = 1 + self._payload.width
        full = f"(n + {self._most + 1}) * {self._width} > len(keys)"
        full += f" or hit + {(self._most + 1) * row} > len(hits)"
        if self._keyed:
            full += f" or (groups + {self._most + 1}) * {self._group_width} > len(gkeys)"
        if self._telling.arrays is not None:
            full += f" or logged + {2 * (self._most + 1) * MOVE} > len(log)"
            full += f" or names + {self._most + 1} > len(marks)"
        with writer.block("for i in range(skip, most):"):
            with writer.block(f"if {full}:"):
                writer.put(f"answer = {DEEP}", "break")
            self._write_configuration(writer)
        with writer.block(f"if answer != {DONE}:"):
            writer.put("break")
        with writer.block(f"for z in range(0, hit, {row}):"):
            writer.put(
                *self._payload.merge("have", f"hits[z] * {self._payload.width}", "hits", "z + 1")
            )
        if not self._single:
            with writer.block("if skip == 0:"):
                writer.put("skip = 1")
            with writer.block("if n == 1:"):
                writer.put("break")
        writer.put("wanted = opened", "e += 1")

    @property
    def _group_width(self) -> int:
        return 1 + len(self._telling.keys)

    def _open(self, state: int) -> int:
        return sum({1 << step.leaf for step in self.paths.steps[state]})

    def _write_untie(self, writer: Writer) -> None:
        """All events of a rank have been: what was kept of who took them is forgotten."""
        width, words = self._width, self._payload.width
        found = f"slot_of(keys, z, {width}, home, stamp)"
        if self._telling.arrays is not None:
            with writer.block(f"if logged + (n - base) * {MOVE} > len(log):"):
                writer.put(f"answer = {DEEP}", "break")
        with writer.block("for z in range(n - 1, base - 1, -1):"):
            writer.put(f"home[{found}] = 0")
        writer.put("top = n", "n = base")
        with writer.block("for z in range(base, top):"):
            writer.put(f"keys[n * {width}] = keys[z * {width}] & {_STATE_MASK}")
            writer.put(
                *(f"keys[n * {width} + {k}] = keys[z * {width} + {k}]" for k in range(1, width))
            )
            writer.put(f"slot = slot_of(keys, n, {width}, home, stamp)")
            with writer.block("if home[slot] > stamp:"):
                writer.put("j = home[slot] - stamp - 1")
                self._write_log("name[z]", "name[j]", "-1", "-1", writer)
                writer.put(*self._payload.merge("have", f"j * {words}", "have", f"z * {words}"))
            with writer.block("else:"):
                writer.put("home[slot] = stamp + n + 1")
                if self._telling.arrays is not None:
                    writer.put("name[n] = name[z]")
                writer.put(*self._payload.copy("have", f"n * {words}", "have", f"z * {words}"))
                writer.put("n += 1")

    def _write_log(self, source: str, target: str, event: str, leaf: str, writer: Writer) -> None:
        if self._telling.arrays is not None:
            words = (source, target, event, leaf, "0")
            writer.put(*(f"log[logged + {number}] = {word}" for number, word in enumerate(words)))
            writer.put(f"logged += {MOVE}")

    def _write_configuration(self, writer: Writer) -> None:
        width = self._width
        writer.put(f"state = keys[i * {width}] & {_STATE_MASK}")
        writer.put(f"ties = keys[i * {width}] >> {_STATE_BITS}")
        for state, steps in enumerate(self.paths.steps):
            if not steps:
                continue
            with writer.block(f"{'elif' if state else 'if'} state == {state}:"):
                for number, name in enumerate(self.registers, 1):
                    if name in self._live[state]:
                        writer.put(f"{name} = keys[i * {width} + {number}]")
                for step in steps:
                    self._write_step(step, writer)

    def _write_step(self, step: Step, writer: Writer) -> None:
        guards = [f"who & {1 << step.leaf} != 0"]
        if step.apart:
            guards.append(f"ties & {step.apart} == 0")
        code = self._codes[step]
        if code.guard != TRUE:
            guards.append(code.guard)
        goes_on = bool(self.paths.steps[step.target])
        live = self._live[step.target] if goes_on else set()
        with writer.block(f"if {' and '.join(guards)}:"):
            writer.put("ok = True")
            done = _update(code, {name for each in code.checks for name in each.reads}, (), writer)
            for check in code.checks:
                writer.put(*check.lines)
            with writer.block("if ok:"):
                words = self._payload.width
                writer.put(*self._payload.copy("hits", "hit + 1", "have", f"i * {words}"))
                leaf = self.paths.leaves[step.leaf].variable
                writer.put(*self._payload.take(leaf, "hits", "hit + 1"))
                ends = code.ends or ()
                wanted = {name for each in ends for name in each.reads}
                wanted |= {code.now(name) for name in live}
                _update(code, wanted, done, writer)
                if goes_on:
                    self._write_going_on(step, code, live, writer)
                if code.ends is not None:
                    self._write_end(step, code, goes_on=goes_on, writer=writer)

    def _write_end(self, step: Step, code: MoveCode, *, goes_on: bool, writer: Writer) -> None:
        """The run is a match: tell of it."""
        row = 1 + self._payload.width
        start = f"hit - {row} + 1" if goes_on else "hit + 1"
        for check in code.ends or ():
            writer.put(*check.lines)
        with writer.block("if ok:"):
            if not self._keyed:
                writer.put(*self._payload.merge("told", "0", "hits", start))
                return
            self._write_group(code, start, writer)
            self._write_log("name[i]", "-1 - g", "e", str(step.leaf), writer)

    def _write_group(self, code: MoveCode, start: str, writer: Writer) -> None:
        """Add a payload to that of its group."""
        width, words = self._group_width, self._payload.width
        registers = map(self._decisions.key, self._telling.keys)
        values = [code.now(register) for register in registers]
        writer.put(f"gkeys[groups * {width}] = 0")
        writer.put(*(f"gkeys[groups * {width} + {n}] = {v}" for n, v in enumerate(values, 1)))
        writer.put(f"slot = slot_of(gkeys, groups, {width}, ghome, stamp)")
        with writer.block("if ghome[slot] > stamp:"):
            writer.put("g = ghome[slot] - stamp - 1")
        with writer.block("else:"):
            writer.put("g = groups", "ghome[slot] = stamp + groups + 1", "groups += 1")
            writer.put(*self._payload.zero("ghave", f"g * {words}"))
        writer.put(*self._payload.merge("ghave", f"g * {words}", "hits", start))
        if self._telling.arrays is not None:
            writer.put("glast[g] = logged")

    def _write_going_on(self, step: Step, code: MoveCode, live: set[str], writer: Writer) -> None:
        """The run goes on in another configuration, or in the same."""
        bit = 1 << (_STATE_BITS + step.leaf)
        width, words = self._width, self._payload.width
        same = step.source == step.target and not live & set(code.updates)
        same = same and live == self._live[step.source]

        def find() -> None:
            writer.put(
                f"keys[n * {width}] = {step.target}"
                f" | (((ties << {_STATE_BITS}) | {bit}) if tied != 0 else 0)"
            )
            for number, name in enumerate(self.registers, 1):
                initial = str(self._decisions.initial[name])
                value = code.now(name) if name in live else initial
                writer.put(f"keys[n * {width} + {number}] = {value}")
            writer.put(f"slot = slot_of(keys, n, {width}, home, stamp)")
            with writer.block("if home[slot] > stamp:"):
                writer.put("j = home[slot] - stamp - 1")
            with writer.block("else:"):
                writer.put("j = n", "home[slot] = stamp + n + 1")
                if self._telling.arrays is not None:
                    writer.put("name[n] = names", "names += 1")
                writer.put(*self._payload.zero("have", f"n * {words}"), "n += 1")
                writer.put(f"opened |= {self._open(step.target)}")

        if same:
            with writer.block("if tied == 0:"):
                writer.put("j = i")
            with writer.block("else:"):
                find()
        else:
            find()
        self._write_log("name[i]", "name[j]", "e", str(step.leaf), writer)
        writer.put("hits[hit] = j", f"hit += {1 + words}")


def _update(
    code: MoveCode, wanted: Iterable[str], done: Iterable[str], writer: Writer
) -> list[str]:
    """Change the registers whose new values are wanted, save those that have been changed."""
    needed = code.needed(wanted)
    for register in needed:
        if register not in done:
            writer.put(*code.updates[register].lines)
    return [*done, *needed]
