"""Pictures of matches: for the terminal, and as PNG."""

from kleene.visual.timeline import Timeline, timeline

__all__ = ["Timeline", "timeline"]
