"""Importing this module lets code that Numba compiles call the functions of `support`.

They stay plain Python functions, so that one text of a kernel is both run as it is and compiled.
It is a module of its own because Numba takes long to import, and small inputs do without it.
"""

from __future__ import annotations

from numba.extending import register_jitable

from kleene.program.support import FUNCTIONS

for _function in FUNCTIONS:
    register_jitable(_function)
