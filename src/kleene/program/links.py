"""Elements as nodes of a graph: which may come next, and how many may follow.

Conditions on an element and the one before it are decided once for each two candidates, not in each
subset anew. Then, from the last candidate back, those are kept of which an end can be reached, and
links to those. A subset that meets the conditions is a path, and no step of it is in vain. Names of
variable 3, beside those of `gather`:

- `succ3`: candidates that links lead to, where they are drawn as candidates come: `links3` of them,
  between the first `tied3`. Those of candidate u are found from `from3[u]` on, and behind each the
  next one in `then3`; `upto3[u]` is the last;
- `next3`: links between candidates that are chosen, from `head3[u]` to `tail3[u]`;
- `spot3`: where a candidate stands among those that are chosen;
- `reach3`: the most elements of a path that begins with a candidate; 0 if it comes to no end;
- `wide3`: whether there are too many links to be kept, so that they are decided in each subset.
"""

from __future__ import annotations

from kleene.program.gather import Repetition
from kleene.program.loop import WIDE
from kleene.program.source import Writer

MOST_LINKS = 1 << 20
"""Links that are kept for a variable."""


def declare_links(unit: Repetition) -> None:
    """The variables and buffers of a repetition."""
    machine, v = unit.machine, unit.v
    if unit.elements.links:
        machine.keep(f"wide{v}")
    if unit.graph and not unit.known:
        machine.buffer(f"reach{v}", f"spot{v}")
    if unit.elements.links and not unit.known:
        machine.buffer(f"head{v}", f"tail{v}")
        machine.grow(f"next{v}")
    if unit.links_early:
        machine.keep(f"tied{v}", f"links{v}")
        machine.buffer(f"from{v}", f"upto{v}")
        machine.grow(f"succ{v}")
        machine.grow(f"then{v}")


def forget_links(unit: Repetition, writer: Writer) -> None:
    """Other candidates come."""
    v = unit.v
    writer.put(f"tied{v} = 0", f"links{v} = 0", f"wide{v} = 0")


def link_gathered(unit: Repetition, writer: Writer) -> None:
    """Draw the links to candidates that have come since."""
    v = unit.v
    with writer.block(f"while tied{v} < have{v} and wide{v} == 0:"):
        writer.put(f"k = tied{v}")
        with writer.block(f"if links{v} + k > len(succ{v}):"):
            writer.put(f"wide{v} = 1 if len(succ{v}) >= {MOST_LINKS} else 2", "break")
        writer.put(f"tied{v} = k + 1", f"from{v}[k] = FAR", f"upto{v}[k] = FAR")
        with writer.block("for u in range(k):"):
            _decide_link(unit, writer)
            with writer.block("if ok:"):
                writer.put(f"succ{v}[links{v}] = k", f"then{v}[links{v}] = FAR")
                with writer.block(f"if upto{v}[u] == FAR:"):
                    writer.put(f"from{v}[u] = links{v}")
                with writer.block("else:"):
                    writer.put(f"then{v}[upto{v}[u]] = links{v}")
                writer.put(f"upto{v}[u] = links{v}", f"links{v} += 1")
    _grow(unit, writer)


def link_chosen(unit: Repetition, writer: Writer) -> None:
    """From the last candidate back: which of them come to an end, and by which links."""
    v, links = unit.v, unit.elements.links
    writer.put("size = 0", "best = 0")
    if links and not unit.links_early:
        writer.put(f"wide{v} = 0")
    with writer.block(f"for u in range(have{v}):"):
        writer.put(f"reach{v}[u] = 0")
    with writer.block(f"for at in range(used{v} - 1, -1, -1):"):
        writer.put(f"u = use{v}[at]", "longest = best")
        if links:
            with writer.block(f"if wide{v} == 0:"):
                _follow(unit, writer)
                with writer.block(f"if wide{v} != 0:"):
                    writer.put("longest = best")
        _decide_end(unit, writer)
        with writer.block("if ok or longest > 0:"):
            writer.put(f"reach{v}[u] = longest + 1", "best = max(best, longest + 1)")
    if links:
        _grow(unit, writer)
    writer.put("size = 0")
    with writer.block(f"for at in range(used{v}):"):
        writer.put(f"u = use{v}[at]")
        with writer.block(f"if reach{v}[u] > 0:"):
            writer.put(f"use{v}[size] = u", f"spot{v}[u] = size", "size += 1")
    writer.put(f"used{v} = size")


def _follow(unit: Repetition, writer: Writer) -> None:
    """Add the links of a candidate, with the most elements that may follow it."""
    v = unit.v
    writer.put("longest = 0", f"head{v}[u] = size")
    if unit.links_early:
        writer.put(f"e = from{v}[u]")
        with writer.block("while e != FAR:"):
            writer.put(f"k = succ{v}[e]", f"e = then{v}[e]")
            with writer.block(f"if reach{v}[k] > 0:"):
                _add_live_link(unit, writer)
    else:
        with writer.block(f"for e in range(at + 1, used{v}):"):
            writer.put(f"k = use{v}[e]")
            with writer.block(f"if reach{v}[k] > 0:"):
                _decide_link(unit, writer)
                with writer.block("if ok:"):
                    _add_live_link(unit, writer)
    writer.put(f"tail{v}[u] = size")


def _add_live_link(unit: Repetition, writer: Writer) -> None:
    writer.put(f"longest = max(longest, reach{unit.v}[k])")
    with writer.block(f"if size == len(next{unit.v}):"):
        writer.put(f"wide{unit.v} = 1 if size >= {MOST_LINKS} else 2", "break")
    writer.put(f"next{unit.v}[size] = k", "size += 1")


def _decide_link(unit: Repetition, writer: Writer) -> None:
    """Whether candidate k may come next behind candidate u."""
    v = unit.v
    writer.put(f"b{v}[0] = cand{v}[u]", f"b{v}[1] = cand{v}[k]")
    writer.put(f"ok = rank[b{v}[1]] > rank[b{v}[0]]")
    unit.machine.check(unit.elements.links, unit.current("1"), writer, unit.slot)


def _grow(unit: Repetition, writer: Writer) -> None:
    """Come back to this state with more room, if that helps."""
    with writer.block(f"if wide{unit.v} == 2:"):
        writer.put(f"wide{unit.v} = 0", f"answer = {WIDE}", "break")


def _decide_end(unit: Repetition, writer: Writer) -> None:
    """Whether candidate u may be the last element."""
    v, ends = unit.v, unit.elements.ends
    writer.put("ok = True")
    if ends:
        writer.put(f"b{v}[0] = cand{v}[u]", f"n{v} = 1")
        unit.machine.check(ends, unit.side.current, writer)
        with writer.block("if ok:"):
            writer.put(f"safe{v}[u] |= {END}")


END = 1 << 61
"""The bit of what may be the last element."""
