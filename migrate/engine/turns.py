"""The user's loops in an execution, iteration by iteration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from codemods.kit.meaning.record import Event
from codemods.kit.meaning.values import Site


@dataclass
class Turns:
    """What happened in a loop of the user's, iteration by iteration."""

    site: Site
    events: list[Event] = field(default_factory=list)
    turns: list[list[Event]] = field(default_factory=list)
    marked: list[tuple[int, int]] = field(default_factory=list)
    """The marks and the steps that were made for certain, at the start of each iteration and at the end."""


def loops_of(events: Sequence[Event]) -> dict[Site, Turns]:
    """The loops in which something happened that training sees."""
    found: dict[Site, Turns] = {}
    running: list[Turns] = []
    for event in events:
        if event.kind == "loop":
            running.append(found.setdefault(event.site, Turns(event.site)))
        elif event.kind == "turn" and running:
            owner = next((one for one in reversed(running) if one.site == event.site), running[-1])
            owner.turns.append([])
            owner.marked.append(event.about)
        elif event.kind == "loop end":
            while running:
                last = running.pop()
                last.marked.append(event.about)
                if last.site == event.site:
                    break
        else:
            for one in running:
                one.events.append(event)
                if one.turns:
                    one.turns[-1].append(event)
            if event.kind == "spent":  # what runs next is another entry
                running.clear()
    return found


def cut_short(turns: Turns, every: dict[Site, Turns]) -> bool:
    """Whether a loop, or one around it, was not followed to its end: what would execute it may come later."""
    around = {site for event in turns.events for site in event.loops} | {turns.site}
    return any(one.kind == "spent" for site in around if site in every for one in every[site].events)


def innermost(turns: Turns, kind: str) -> list[Event]:
    """The events of a kind whose innermost loop this is."""
    return [one for one in turns.events if one.kind == kind and one.loops and one.loops[-1] == turns.site]


def on_accelerator(turns: Turns) -> bool:
    """Whether anything that a loop's own iterations run is not known to run on the host."""
    ran = [one for kind in ("forward", "backward") for one in innermost(turns, kind)]
    return len(innermost(turns, "on host")) < len(ran) or not ran


def is_part(turns: Turns, every: dict[Site, Turns]) -> bool:
    """Whether a loop neither goes through data nor steps, inside of one whose iterations are executed."""
    if innermost(turns, "fetch") or innermost(turns, "step"):
        return False
    around = {site for event in turns.events for site in event.loops if site != turns.site}
    return any(
        later[0] > sooner[0]
        for site in around
        if site in every
        for sooner, later in zip(every[site].marked, every[site].marked[1:], strict=False)
    )
