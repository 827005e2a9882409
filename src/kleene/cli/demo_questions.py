"""What the demo asks of an event log: the four queries."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kleene.language.parser import parse
from kleene.language.syntax import Query


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the idea that answers it, and the query."""

    text: str
    idea: str
    query: str

    def whole(self) -> Query:
        """The query that gives back whole events, which are what is drawn."""
        return replace(parse(self.query), returns=())


QUESTIONS = (
    Question(
        "Which tasks failed, and how far into their stage?",
        "SEQ: one event after the other",
        """\
PATTERN SEQ(StageSubmitted s, TaskFailed f, StageCompleted c)
WHERE [log] AND [stage] AND [stage_attempt]
RETURN f.stage, f.partition, f.attempt, f.time - s.time AS failed_after,
       c.time - s.time AS stage_took, f.message""",
    ),
    Question(
        "How often was each of them retried, and what did that cost?",
        "skip-till-next: from the first attempt on, take every event that fits",
        """\
PATTERN SEQ(TaskStart s, TaskFailed+ f[], TaskEnd e)
WHERE [log] AND [stage] AND [partition] AND s.attempt = 0
STRATEGY skip_till_next_match
RETURN e.stage, e.partition, count(f[]) AS failures,
       sum(f[].duration_ms) AS lost_ms, e.time - s.time AS start_to_success""",
    ),
    Question(
        "Which tasks took twice as long as those before them on average?",
        "Kleene with an aggregate: any number of events, taken together",
        """\
PATTERN SEQ(StageSubmitted s, TaskEnd+ done[], TaskEnd slow)
WHERE [log] AND [stage] AND [stage_attempt]
  AND count(done[]) >= 2 AND slow.duration_ms > 2 * avg(done[].duration_ms)
STRATEGY skip_till_next_match
RETURN slow.stage, slow.partition, slow.duration_ms, count(done[]) AS before,
       round(avg(done[].duration_ms)) AS before_ms""",
    ),
    Question(
        "When did a stage wait over a second for one task to end?",
        "negation: what did not happen in between",
        """\
PATTERN SEQ(TaskEnd a, !TaskEnd x, TaskEnd b)
WHERE [log] AND [stage] AND [stage_attempt] AND b.time - a.time > 1 second
RETURN a.stage, b.partition AS waited_for, b.time - a.time AS waited""",
    ),
)
