"""Deciding a conjunct on a binding (semantics 2, Conditions)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from kleene.language.expressions import Aggregate, Attribute, Expression, IndexKind
from kleene.language.indices import RANGES
from kleene.language.traversal import walk
from kleene.language.user_aggregates import UserAggregate
from kleene.logical.aggregates import aggregate_values
from kleene.logical.binding import Binding, Open, Pending, Value
from kleene.logical.history import HistoryEvent, field
from kleene.logical.values import evaluate

_RUNNING = frozenset({IndexKind.EACH, IndexKind.PREVIOUS, IndexKind.BEFORE, IndexKind.UP_TO})
_NOT_FOR_THE_FIRST = frozenset({IndexKind.PREVIOUS, IndexKind.BEFORE})


class Undecided(Exception):  # noqa: N818 - a signal, not an error
    """A run has not bound yet what the condition asks about."""


class NotApplicable(Exception):  # noqa: N818 - a signal, not an error
    """The condition names something that the match leaves unbound: it does not apply."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What conditions are decided on: the events, and the loops around each variable."""

    events: Sequence[HistoryEvent]
    loops: Mapping[str, tuple[int, ...]]
    aggregates: Mapping[str, UserAggregate]


def holds(
    condition: Expression,
    binding: Binding,
    ground: Ground,
    given: Mapping[int, int] = MappingProxyType({}),
) -> bool:
    """Whether a complete binding meets a conjunct, in the iterations given for some loops."""
    return decide(condition, binding, ground, given) is True


def decide(
    condition: Expression,
    binding: Binding,
    ground: Ground,
    given: Mapping[int, int] = MappingProxyType({}),
) -> bool | None:
    """Whether a conjunct holds for every choice of its indices; None while that is open."""
    attributes = [node for node in walk(condition) if isinstance(node, Attribute)]
    undecided = False
    for indices in _choices(attributes, dict(given), binding, ground):
        verdict = _decide_instance(condition, attributes, indices, binding, ground)
        if verdict is False:
            return False
        undecided |= verdict is None
    return None if undecided else True


def failing(condition: Expression, binding: Binding, ground: Ground) -> dict[int, int] | None:
    """The first choice of indices, by loop, for which a complete binding fails a conjunct."""
    attributes = [node for node in walk(condition) if isinstance(node, Attribute)]
    for indices in _choices(attributes, {}, binding, ground):
        if _decide_instance(condition, attributes, indices, binding, ground) is False:
            return indices
    return None


def _choices(
    attributes: list[Attribute], chosen: dict[int, int], binding: Binding, ground: Ground
) -> Iterator[dict[int, int]]:
    """Every choice of an iteration for each loop whose index runs in the condition.

    Variables of one group share the iteration, because they share the loop; `b[i]` and `d[i]` of
    different loops range over all pairs.
    """
    for attribute in attributes:
        for level, kind in enumerate(attribute.indices):
            loop = ground.loops[attribute.variable][level]
            if kind not in _RUNNING or loop in chosen:
                continue
            outer = [chosen[around] for around in ground.loops[attribute.variable][:level]]
            for index in range(_length(binding[attribute.variable], outer)):
                yield from _choices(attributes, {**chosen, loop: index}, binding, ground)
            return
    yield chosen


def _length(value: Value, outer: list[int]) -> int:
    """How many elements an array has, after the iterations of the loops around it."""
    for index in outer:
        items = _items(value)
        value = items[index] if index < len(items) else None
    return len(_items(value))


def _items(value: Value) -> tuple[Value, ...]:
    match value:
        case tuple():
            return value
        case Open():
            return value.items
        case _:
            return ()


def _decide_instance(
    condition: Expression,
    attributes: list[Attribute],
    indices: dict[int, int],
    binding: Binding,
    ground: Ground,
) -> bool | None:
    """The conjunct for one choice of indices, unless it does not speak of the first element."""
    for attribute in attributes:
        loops = ground.loops[attribute.variable]
        for loop, kind in zip(loops, attribute.indices, strict=True):
            if kind in _NOT_FOR_THE_FIRST and indices[loop] == 0:
                return True
    reader = Reader(binding, ground, indices)
    try:
        reader.require(attributes)
        return evaluate(condition, reader.attribute, reader.aggregate) is True
    except NotApplicable:
        return True
    except Undecided:
        return None


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the attributes of the events that a binding gives, at one choice of indices."""

    binding: Binding
    ground: Ground
    indices: Mapping[int, int]

    def require(self, attributes: list[Attribute]) -> None:
        """Signal what keeps the condition from being decided: unbound goes before pending."""
        pending = False
        for attribute in attributes:
            try:
                self.elements(attribute)
            except Undecided:
                pending = True
        if pending:
            raise Undecided

    def attribute(self, node: Attribute) -> object:
        """The value of an attribute of a single event."""
        return self._value(node, self.elements(node)[0])

    def aggregate(self, node: Aggregate) -> object:
        """The aggregate of its argument over the elements of its range."""
        ranged = next(
            found
            for found in walk(node.argument)
            if isinstance(found, Attribute) and not RANGES.isdisjoint(found.indices)
        )
        picked = (ranged.variable, ranged.indices)

        def argument(event: int) -> object:
            def attribute(inner: Attribute) -> object:
                if (inner.variable, inner.indices) == picked:
                    return self._value(inner, event)
                return self.attribute(inner)

            return evaluate(node.argument, attribute, self.aggregate)

        values = [argument(event) for event in self.elements(ranged)]
        return aggregated(node.name, values, self.ground.aggregates)

    def elements(self, node: Attribute) -> list[int]:
        """The events that a reference means: one, or those of its range."""
        loops = self.ground.loops.get(node.variable, ())
        found = [self.binding[node.variable]]
        ranged = False
        for loop, kind in zip(loops, node.indices, strict=True):
            # A range passes over the iterations that leave the variable unbound.
            within = [outer for outer in found if outer is not None or not ranged]
            found = [value for outer in within for value in self._picked(outer, kind, loop)]
            ranged |= kind in RANGES
        return [_event(value) for value in found if value is not None or not ranged]

    def _picked(self, value: Value, kind: IndexKind, loop: int) -> tuple[Value, ...]:
        if value is None:
            raise NotApplicable
        if isinstance(value, Pending):
            raise Undecided
        items = _items(value)
        match kind:
            case IndexKind.EACH:
                return (items[self.indices[loop]],)
            case IndexKind.PREVIOUS:
                return (items[self.indices[loop] - 1],)
            case IndexKind.BEFORE:
                return items[: self.indices[loop]]
            case IndexKind.UP_TO:
                return items[: self.indices[loop] + 1]
            case IndexKind.FIRST if items:
                return items[:1]
            case IndexKind.FIRST | IndexKind.ALL if isinstance(value, Open):
                raise Undecided
            case IndexKind.FIRST:
                raise NotApplicable
            case IndexKind.ALL:
                return items

    def _value(self, node: Attribute, event: int) -> object:
        return field(self.ground.events[event].row, node.path)


def aggregated(name: str, values: list[object], own: Mapping[str, UserAggregate]) -> object:
    """The aggregate of that name, the user's or a built-in one."""
    return own[name].of(values) if name in own else aggregate_values(name, values)


def _event(value: Value) -> int:
    match value:
        case int():
            return value
        case None:
            raise NotApplicable
        case _:
            raise Undecided
