"""Runs a migrated script on several real devices of torch_xla: threads of one process, one for each device of the CPU.

What the ranks compute, reduce, broadcast and wait for is then judged by XLA itself. XLA's CPU client lets collectives
meet only within one compiled module, and two threads that compile one graph at one time get two modules. So one rank
runs Python at a time (`turns`), and everything that executes a graph goes through a gate (`gates`) where its turn may
pass on. `belongings` gives each rank the state that a process of its own would have; `watch` finds ranks that stand at
different graphs; `start` takes the place of torch_xla's own launcher.
"""

from __future__ import annotations

import sys
from typing import Any

from . import turns

table: turns.Turns | None = None
"""The ranks of this process; None before they were launched."""


def install(torch_xla: Any, order: dict[str, Any]) -> None:
    """Let torch_xla start its ranks as threads; it has just been imported."""
    from . import gates, start

    gates.install(sys.modules["torch"], torch_xla)
    start.install(order)


def running() -> bool:
    """Whether ranks have been launched in this process."""
    return table is not None


def rank() -> int:
    """The rank whose turn it is; 0 before any was launched."""
    return table.owner.number if table is not None and table.owner is not None else 0


def note_collective() -> None:
    """The rank whose turn it is has put a collective into its graph."""
    if table is not None and table.owner is not None:
        table.owner.pending = True
