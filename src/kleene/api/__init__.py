"""What users call."""

from kleene.api.bad_rows import BadRowsWarning
from kleene.api.explain import explain
from kleene.api.match import match
from kleene.api.options import Options
from kleene.explanation.explanation import Explanation

__all__ = ["BadRowsWarning", "Explanation", "Options", "explain", "match"]
