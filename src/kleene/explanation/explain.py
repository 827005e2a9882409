"""A query explained from its plan; of events at most a few windows are read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

import pyarrow as pa

from kleene.explanation.explanation import Explanation, Facts
from kleene.explanation.forms import level_tree
from kleene.explanation.tree import pattern_tree
from kleene.language.expressions import Duration
from kleene.language.print_query import print_after_match
from kleene.language.printer import print_duration, print_expression, print_path
from kleene.language.resolved import ResolvedQuery
from kleene.language.schema import EventShape
from kleene.language.syntax import Strategy
from kleene.logical.algebra import LogicalQuery
from kleene.logical.output import OutputForm, output_schema
from kleene.optimizer.complexity import descriptive_class, runtime_class
from kleene.optimizer.estimate import estimate, formula
from kleene.optimizer.growth import Growth, growth
from kleene.optimizer.methods import Method
from kleene.program.columns import Unsupported
from kleene.program.kernel import Kernel, plan_kernel
from kleene.program.merging.enumerates import Enumerates
from kleene.program.merging.plan import plan_merged
from kleene.program.order import AS_WRITTEN
from kleene.runtime.run import SMALL


def explanation(  # noqa: PLR0913 - a call in all its parts
    query: LogicalQuery,
    form: OutputForm,
    *,
    definition: bool,
    method: Method | None = None,
    source: bool,
    where: Facts = (),
    events: pa.Table | None = None,
) -> Explanation:
    """What is told about a query.

    `definition`: the call asks for the definition itself, not for a kernel; `method`: for that one.
    `source`: the kernel is shown. `where`: what is known of the place where it runs. `events`: if
    they are at hand.
    """
    kernel = "the option evaluation asks for it" if definition else _kernel(query, method)
    early = isinstance(kernel, Kernel) or query.resolved.strategy is Strategy.NEXT
    order = kernel.order if isinstance(kernel, Kernel) else AS_WRITTEN
    grown = growth(query)
    telling = _telling(query, form, kernel) if method is None else ()
    return Explanation(
        query=str(query.resolved.source),
        stages=tuple(_stages(query, form)),
        pattern=pattern_tree(query, order, early=early),
        levels=level_tree(query),
        evaluation=(*_evaluation(kernel), *_asked(kernel), *telling, *where),
        complexity=tuple(_complexity(query, grown, events)),
        growth=grown,
        warnings=tuple(_warnings(query, grown, kernel)),
        kernel=kernel.source if source and isinstance(kernel, Kernel) else None,
    )


def _kernel(query: LogicalQuery, method: Method | None) -> Kernel | str:
    """The kernel of a query, or why there is none; Unsupported if there is none of a method."""
    try:
        return plan_kernel(query, method)
    except Unsupported as reason:
        if method is not None:
            raise
        return f"there is no kernel for {reason}"


def _evaluation(kernel: Kernel | str) -> Iterator[tuple[str, str]]:
    if isinstance(kernel, str):
        yield "method", f"the definition, executed as it stands: {kernel}"
        return
    yield "method", f"{kernel.choice.method}: {_how(kernel.choice.method)}"
    yield "because", kernel.choice.reason
    if kernel.wide:
        yield "program", f"a kernel in plain Python: {kernel.wide} are too many for machine code"
    else:
        yield "program", f"a kernel, compiled for more than {SMALL:,} events and plain Python below"


def _how(method: Method) -> str:
    match method:
        case Method.NFA:
            return "a run for every partial match, tried with each event that it could take"
        case Method.POSTPONING:
            return "repetitions are bound when the rest of a match is there"
        case Method.EARLY_FILTERS:
            return (
                "repetitions are bound when the rest of a match is there; their candidates are"
                " gathered and filtered before"
            )
        case Method.PATHS:
            return (
                "repetitions are bound when the rest of a match is there, as paths through their"
                " candidates that lead to a match"
            )
        case _:
            assert_never(method)


def _asked(kernel: Kernel | str) -> Iterator[tuple[str, str]]:
    """The conditions that machine code leaves to Python, and why."""
    if isinstance(kernel, Kernel):
        for question in kernel.columns.questions:
            text = print_expression(question.condition)
            yield "asks Python", f"{text}, some microseconds each time: {question.reason}"


def _telling(query: LogicalQuery, form: OutputForm, kernel: Kernel | str) -> Facts:
    """Whether matches are told of without being found, where the output does not show them."""
    shown = form is OutputForm.MATCHES and query.resolved.grouping is None
    if isinstance(kernel, str) or shown:
        return ()
    try:
        merged = plan_merged(query, kernel, form)
    except Enumerates as reason:
        return (("telling", f"every match is found: {reason}"),)
    agree = ", ".join(("how far they are", *merged.remembers))
    return (("telling", f"no match is found by itself: runs are one that agree in {agree}"),)


def _complexity(
    query: LogicalQuery, grown: Growth, events: pa.Table | None
) -> Iterator[tuple[str, str]]:
    window = "" if grown.degree == 0 else ", w of them in one window"
    yield "deciding", str(descriptive_class(query))
    yield "finding all", str(runtime_class(query))
    yield "at most", f"{grown} matches from N events{window}"
    if events is not None and events.num_rows:
        yield "estimate", str(estimate(query, events))
    elif query.resolved.strategy is Strategy.ANY:
        yield "estimate", formula(query)


def _stages(query: LogicalQuery, form: OutputForm) -> Iterator[tuple[str, str]]:
    resolved = query.resolved
    yield "time", _time(resolved.shape)
    yield "types", _types(resolved)
    yield "partitions", _partitions(resolved)
    yield "window", _window(resolved)
    yield "strategy", f"{resolved.strategy}: {_gloss(resolved.strategy)}"
    if resolved.after_match is not None:
        yield "after match", print_after_match(resolved.after_match)
    if resolved.confidence is not None:
        yield "confidence", f"at least {resolved.confidence:f}"
    if resolved.grouping is not None:
        yield "groups", _groups(resolved)
    columns = (f"{field.name} {_type(field.type)}" for field in output_schema(query, form))
    rows = form if resolved.grouping is None else "a row a group"
    yield "output", f"{rows}: {', '.join(columns)}"


def _time(shape: EventShape) -> str:
    if shape.imprecise:
        weights = f"weighted by {shape.probabilities}" if shape.probabilities else "equally likely"
        return f"any point from {shape.time[0]} to {shape.time[1]}, {weights}"
    ties = ", then ".join(shape.order_by)
    then = f", then {ties}" if ties else "; events of one time are not ordered"
    return f"{shape.time[0]} ({_type(shape.time_type)}){then}"


def _types(resolved: ResolvedQuery) -> str:
    defined = [definition.name for definition in resolved.definitions]
    column = [] if resolved.shape.type is None else [f"the column {resolved.shape.type}"]
    parts = column + ([f"definitions of {', '.join(defined)}"] if defined else [])
    return " and ".join(parts) or "none: ANY finds every event"


def _partitions(resolved: ResolvedQuery) -> str:
    if not resolved.partition_by:
        return "none: any events may be in one match"
    keys = ", ".join(map(print_path, resolved.partition_by))
    return f"by {keys}: all events of a match agree in them"


def _window(resolved: ResolvedQuery) -> str:
    match resolved.window:
        case None:
            return "none: the events of a match may be any time apart"
        case Duration() as length:
            text = print_duration(length)
        case number:
            text = f"{number:f}" if not isinstance(number, int) else str(number)
    return f"the last event is less than {text} after the first"


def _gloss(strategy: Strategy) -> str:
    match strategy:
        case Strategy.ANY:
            return "every choice of events"
        case Strategy.NEXT:
            return "from each start, what comes next and fits"
        case Strategy.STRICT:
            return "neighbours in the whole input"
        case Strategy.PARTITION:
            return "neighbours in their partition"
        case _:
            assert_never(strategy)


def _groups(resolved: ResolvedQuery) -> str:
    clause = resolved.source.group_by
    assert clause is not None, "groups are asked for by GROUP BY"
    if not clause.keys:
        return "one of all matches, also where there is none"
    return f"by {', '.join(map(print_expression, clause.keys))}: all matches of a group are one row"


def _type(kind: pa.DataType) -> str:
    """A type in short: a whole event has many columns."""
    if pa.types.is_list(kind):
        return f"array of {_type(kind.value_type)}"
    if pa.types.is_struct(kind):
        return "struct"
    if pa.types.is_timestamp(kind):
        return "timestamp" if kind.tz else "timestamp_ntz"
    if pa.types.is_decimal(kind):
        return f"decimal({kind.precision}, {kind.scale})"
    if pa.types.is_null(kind):
        return "as Spark says"
    return str(kind)


def _warnings(query: LogicalQuery, grown: Growth, kernel: Kernel | str) -> Iterator[str]:
    resolved = query.resolved
    if grown.exponential:
        yield (
            "the number of matches can be exponential in the events of a window: repetitions take"
            f" any choice of events; {_instead(resolved.strategy)}"
        )
    elif grown.degree is not None and grown.degree > 1:
        yield f"the number of matches can grow like w^{grown.degree} in the events of a window"
    if resolved.window is None and (grown.exponential or grown.degree):
        part = "partition" if resolved.partition_by else "input"
        yield f"there is no WITHIN, so the whole {part} is one window"
    if isinstance(kernel, str):
        yield "the definition is slow: it is meant for some hundred events"


def _instead(strategy: Strategy) -> str:
    if strategy is Strategy.ANY:
        return "bounds such as {1,5} or STRATEGY skip_till_next_match keep them few"
    return "bounds such as {1,5} keep them few"
