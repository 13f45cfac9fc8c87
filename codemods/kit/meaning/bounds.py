"""How much of a program is followed. What hits one of these bounds is said, at its line."""

from __future__ import annotations

MAX_STEPS = 700_000
"""Expressions and statements one entry point may take; more is not followed, and said."""
MAX_ALL = 2_400_000
"""What all entries of a program may take together; what is left after that is little."""
BEGINNING = 60_000
"""What an entry may take after that, if they are few: its models are made, and moved, by then."""
SHARES = 4
"""The part of what is left of that which a network may take: a fourth, and one inside another a half."""
KEPT = 4
"""The part of an entry's work that is kept from networks: a fourth."""
MAX_BOUNDED = 10_000
"""What the `step` of an optimizer of the program's own may take: that it steps is known before."""
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
