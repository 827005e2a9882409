"""What users call."""

from kleene.api.bad_rows import BadRowsWarning
from kleene.api.explain import explain
from kleene.api.match import match
from kleene.api.match_all import match_all
from kleene.api.options import Options
from kleene.api.why import why
from kleene.explanation.explanation import Explanation
from kleene.verdict.verdict import Verdict

__all__ = [
    "BadRowsWarning",
    "Explanation",
    "Options",
    "Verdict",
    "explain",
    "match",
    "match_all",
    "why",
]
