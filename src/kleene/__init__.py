"""Event pattern matching for Apache Spark."""

from kleene.api import (
    BadRowsWarning,
    Explanation,
    Options,
    Verdict,
    explain,
    match,
    match_all,
    why,
)
from kleene.errors import KleeneError
from kleene.language.parser import parse
from kleene.language.syntax import Query
from kleene.language.user_aggregates import UserAggregate

__all__ = [
    "BadRowsWarning",
    "Explanation",
    "KleeneError",
    "Options",
    "Query",
    "UserAggregate",
    "Verdict",
    "explain",
    "match",
    "match_all",
    "parse",
    "why",
]
