"""Merged runs: matches under skip-till-any are counted as paths, without finding them one by one.

A match is a path of an automaton over the events in their total order, in which a run may also pass
over any event. Two runs whose *configurations* agree, in all that later decisions look at, have the
same future: they are one run, with a multiplicity (the ideas of GRETA and COGRA, on the automaton).
"""
