"""The words that the language keeps for itself."""

from __future__ import annotations

CLAUSES = ("DEFINE", "WHERE", "PARTITION", "STRATEGY", "WITHIN", "CONFIDENCE", "AFTER", "RETURN")

PATTERN_WORDS = frozenset(
    ("PATTERN", *CLAUSES, "SEQ", "AND", "OR", "NOT", "KL", "ANY", "EXISTS", "UNION")
)
"""Words that cannot name a type without backticks."""

_OPERATORS = ("AND", "OR", "NOT", "IN", "BETWEEN", "LIKE", "RLIKE", "ESCAPE", "IS", "DIV")
_FORMS = ("EXISTS", "AS", "TRUE", "FALSE", "NULL", "CASE", "WHEN", "THEN", "ELSE", "END")
EXPRESSION_WORDS = frozenset(("PATTERN", *CLAUSES, *_OPERATORS, *_FORMS))
"""Words that cannot name a variable without backticks."""

RESERVED = (PATTERN_WORDS | EXPRESSION_WORDS) - {"AND", "OR", "NOT", "IN", "IS", "AS", "LIKE"}
"""Words that could be meant as names where they make no sense: not those that are everywhere."""

UNCALLED_WORDS = (EXPRESSION_WORDS - {"LIKE", "RLIKE"}) | {"CAST"}
"""Words that cannot name a function without backticks."""

BEHIND_RETURN = ("GROUP", "HAVING")
"""Words that go on behind what RETURN lists, and may be names everywhere."""

QUOTE_WORDS = frozenset(("DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "INTERVAL"))
"""Words that a string may follow at once."""
