"""Random queries, with random events that they often match: for tests that compare evaluations.

`samples(profile)` is the strategy that tests draw from. A failure is shown as the text of the
smallest query and stream found, in the notation of the cases of meaning.
"""

from support.generators.profile import (
    BATCH,
    EVERYTHING,
    FLAT,
    GROUPED,
    IMPRECISE,
    POSITIVE,
    PRECISE,
    PURE,
    Operator,
    Profile,
)
from support.generators.queries import queries
from support.generators.samples import Sample, sample_of, samples
from support.generators.streams import streams

__all__ = [
    "BATCH",
    "EVERYTHING",
    "FLAT",
    "GROUPED",
    "IMPRECISE",
    "POSITIVE",
    "PRECISE",
    "PURE",
    "Operator",
    "Profile",
    "Sample",
    "queries",
    "sample_of",
    "samples",
    "streams",
]
