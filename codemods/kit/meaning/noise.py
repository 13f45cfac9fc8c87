"""Noise: random numbers that a training loop draws in another file than its own."""

from __future__ import annotations

from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.record import Record
from codemods.kit.meaning.values import Site

_APART = frozenset(("forward", "__getitem__", "__iter__", "__next__"))
"""Methods of networks and of data sets: what they draw each GPU, or each worker, drew for itself."""


def note_drawn(machine: Machine) -> None:
    """Random numbers are drawn in a loop, and not by a network that runs, nor for a data set."""
    running = any(one.function is not None and one.function.name in _APART for one in machine.frames)
    if machine.cuda and not running and machine.loops():
        machine.happen("drawn")


def noise_of(record: Record) -> dict[Site, Site]:
    """The outermost loops that train and make no network, and where each draws random numbers in another file."""
    trains, makes = record.loops_with("backward"), record.loops_with("capture")
    found: dict[Site, Site] = {}
    for event in record.of("drawn"):
        loop = next((one for one in event.loops if one in trains and one not in makes), None)
        if loop is not None and loop.path != event.site.path:
            found.setdefault(loop, event.site)
    return found
