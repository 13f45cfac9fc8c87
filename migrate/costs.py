"""What a finding costs at run time on XLA: waiting for the device, or compiling once more. Estimates, not measurements.

A synchronisation is a place where the host waits for a value of the step; each executes the pending graph, or at
least waits for it. The numbers behind them are in the documents of the rules (`tc-migrate explain TC432`).
"""

from __future__ import annotations

from enum import Enum


class Cost(Enum):
    """What a finding costs."""

    SYNC = "the host waits in every step"
    SELDOM = "the host waits now and then"
    COMPILATION = "one more compilation"
    COMPILATIONS = "compiled again for each new shape or value"


COSTS = {
    "TC153": (Cost.SELDOM,),
    "TC208": (Cost.COMPILATION,),
    "TC405": (Cost.SYNC,),
    "TC432": (Cost.SYNC,),
    "TC433": (Cost.SYNC,),
    "TC434": (Cost.SELDOM,),
    "TC443": (Cost.SYNC,),
    "TC914": (Cost.SYNC, Cost.COMPILATIONS),
    "TC915": (Cost.SYNC,),
    "TC917": (Cost.COMPILATIONS,),
    "TC918": (Cost.COMPILATIONS,),
    "TC919": (Cost.SYNC,),
}
"""By rule. Every other rule costs nothing that is known."""
