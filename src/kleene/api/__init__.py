"""What users call."""

from kleene.api.match import BadRowsWarning, match
from kleene.api.options import Options

__all__ = ["BadRowsWarning", "Options", "match"]
