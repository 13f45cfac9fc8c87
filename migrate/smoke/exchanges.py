"""A rule over several ranks: the graphs that hold a collective have to be the same on all of them, one after the other.

A rank that reads what was computed from a pending collective, and no other rank does, executes a graph that the others
never come to. Real replicas stand still there (`replicas`); on the stand-in each rank notes what it would execute.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from migrate.smoke.finding import Finding
from migrate.smoke.record import Event, Run

CALLS = {"exchange-read": "read", "exchange-mark": "mark"}


def find_in_exchanges(migrated: Run) -> Iterator[Finding]:
    """The first graph with a collective that a rank executes where rank 0 executes another one, or none."""
    if any(worker.events_dropped for worker in migrated.workers):
        return
    first, *others = [exchanges(worker.events) for worker in migrated.workers] or [[]]
    for rank, other in enumerate(others, 1):
        for left, right in zip_longest(first, other):
            if left is None or right is None or left.kind != right.kind:
                yield Finding(
                    "ranks-apart",
                    True,
                    f"the ranks run different graphs with a collective: {tell(0, left)}, {tell(rank, right)}",
                    min(filter(None, (left, right)), key=lambda event: event.kind == "exchange-mark").site,
                )
                return


def exchanges(events: tuple[Event, ...]) -> list[Event]:
    """What executes a collective."""
    return [event for event in events if event.kind in CALLS]


def tell(rank: int, event: Event | None) -> str:
    """`rank 0 at train.py:33 (read)`."""
    return f"rank {rank} at {event.site} ({CALLS[event.kind]})" if event is not None else f"rank {rank} has none"
