"""What a backward went through, and whether that is another thing in each process."""

from __future__ import annotations

from typing import NamedTuple

from codemods.kit.meaning.graph import loops_started
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.values import DIFFERS, FRESH, Site, Taints


class Backward(NamedTuple):
    """What a backward went through."""

    reached: frozenset[Site]
    """Where the parameters were made that have a gradient of it."""
    shares: frozenset[tuple[str, int]]
    """The loaders whose batches are in its loss."""
    differs: Taints
    """What else of its loss is another in each process."""
    drawn_in: int
    """In how many of the loops around it, from the outermost on, each process drew anew what is in its loss."""
    several: bool


def of_loss(machine: Machine, taints: Taints) -> tuple[Taints, int]:
    """What differs between the processes in a loss of these taints, and in how many loops it was drawn anew."""
    last = max((one[1] for one in taints if isinstance(one, tuple) and one[0] == FRESH), default=0)
    return taints & DIFFERS, sum(one <= last for one in loops_started(machine))
