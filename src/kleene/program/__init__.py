"""From algebra to kernels: generated Python that finds the matches of one query."""
