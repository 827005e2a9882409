"""Experiments: what Kleene costs, and what others cost for the same answer."""
