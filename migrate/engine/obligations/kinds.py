"""What a migration owes its original, by the name a finding gives it."""

from __future__ import annotations

SHARE = "each process has its share of the data, in another order each epoch"
REACHED = "what trained still trains"
FOLLOWED = "all that trains was followed"
ALONE = "what one process did, one process does"
ENDS = "nothing waits when the program ends"
KEYS = "checkpoints keep their keys"
RUNS = "what is written runs on torch_xla"
