"""How much of a program is followed. What hits one of these bounds is said, at its line."""

from __future__ import annotations

MAX_STEPS = 700_000
"""Expressions and statements one entry point may take; more is not followed, and said."""
MAX_ALL = 2_400_000
"""What all entries of a program may take together; what is left after that is little."""
REPEATS = 10_000
"""Steps after which a network that runs again on the like of what it was given is not followed once more."""
WORTH = 100
"""Steps that such a network takes at least."""
MAX_UNCALLED = 12_000
"""What a function may take that nobody calls: what it is given is a guess."""
ALL_UNCALLED = 60_000
"""What all of those may take together."""
FORK = 5
"""What a fork costs, in expressions."""
MAX_DEPTH = 80
"""Calls inside calls, those of models included."""
MAX_RECURSION = 2
"""How often one function may be in progress on one object."""
MAX_NESTED = 8
"""How often one function may be in progress at all: modules inside modules of the same class."""
