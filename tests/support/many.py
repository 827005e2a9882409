"""Several random queries over one stream."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from kleene.errors import DuplicateNameError, KleeneError, OutputError, TypeMismatchError
from kleene.language.syntax import EventPattern, walk_patterns
from kleene.logical.output import OutputForm, output_schema
from kleene.runtime.joined import Output, joined
from support.generators import Profile, Sample, sample_of
from support.generators.work import work

_TRIED = 12
_MOST = 4


def many_of(seed: int, profile: Profile, form: OutputForm) -> dict[str, Sample]:
    """Queries by name, about one stream, whose columns go together in a form of output."""
    first = sample_of(seed, profile)
    found: dict[str, Sample] = {}
    outputs: list[Output] = []
    for number in range(_TRIED):
        query = sample_of(seed + 10_000 * number, profile).query
        sample = first.asking(query)
        try:
            output = Output(f"q{number}", sample.logical, output_schema(sample.logical, form))
            joined([*outputs, output])
        except (TypeMismatchError, DuplicateNameError, OutputError):
            continue
        except KleeneError:
            continue  # it is about other columns
        if _much(sample) > profile.max_work:
            continue
        outputs.append(output)
        found[output.name] = sample
        if len(found) == _MOST:
            break
    return found


def _much(sample: Sample) -> int:
    kinds = Counter(row["type"] for row in sample.rows)
    named = {
        node.type.text
        for node in walk_patterns(sample.query.pattern)
        if isinstance(node, EventPattern) and node.type is not None
    }
    defined = {definition.name.text for definition in sample.query.definitions}
    every = len(sample.rows)
    rows_of: dict[str | None, int] = {kind: kinds[kind] for kind in named}
    rows_of.update(dict.fromkeys(defined, every))
    rows_of[None] = every
    return work(sample.query.pattern, rows_of)


def roles_of(sample: Sample) -> dict[str, Any]:
    """The columns of a sample as a call names them."""
    roles = sample.roles
    return {
        "time": roles.time if len(roles.time) > 1 else roles.time[0],
        "type": roles.type,
        "id": roles.id,
        "order_by": roles.order_by,
        "partition_by": roles.partition_by,
    }


def rows_together(apart: Mapping[str, list[dict[str, object]]], names: list[str]) -> Counter[str]:
    """The rows that several queries find one by one, as rows of all."""
    found: Counter[str] = Counter()
    for name, rows in apart.items():
        for row in rows:
            by_key = {key.casefold(): value for key, value in row.items()}
            whole = {key: by_key.get(key.casefold()) for key in names}
            found[repr({**whole, "query": name})] += 1
    return found
