"""What an abstract execution leaves behind: events in program order, and what was found wrong or not followed."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

from codemods.kit.meaning.values import NO_TAINTS, Site, Taints

LATEST = "an optimizer's parameters are those of its module"
AVERAGED = "gradients are averaged once a step, before they are clipped or stepped"
ONCE = "each iteration's graph is executed, once"
TOGETHER = "no collective under a condition that can differ between the processes"
MEETING = "host and accelerator tensors never meet"
BOUND = "every name is bound where it is used"
HAS = "what is asked of a value exists"
READ = "checkpoints keep their keys"
COST = "cost"
COMPILED = "one compilation serves all iterations"


class Verdict(Enum):
    """How an obligation stands at a place."""

    VIOLATED = "violated"
    OPEN = "open"
    COST = "cost"


class Part(NamedTuple):
    """A part of a program that has a share of the work: the making of a network, a run of it, a step."""

    what: str
    time: int
    """The how many-th of that name it is."""


class Event(NamedTuple):
    """Something that happened, as training sees it."""

    kind: str
    site: Site
    chain: tuple[Site, ...] = ()
    loops: tuple[Site, ...] = ()
    """The loops it is in, outermost first."""
    about: Any = None
    taints: Taints = NO_TAINTS
    """Of the conditions it stands under."""


@dataclass(frozen=True)
class Finding:
    """An obligation that does not hold, or was not shown."""

    obligation: str
    verdict: Verdict
    site: Site
    message: str
    cause: Site | None = None
    """Where what is wrong was made, if elsewhere."""
    chain: tuple[Site, ...] = field(default=(), compare=False)


Known = tuple[str, Site, Site | None]
"""An obligation, the place where it does not hold, and the cause."""


@dataclass
class Record:
    """All events and findings of an execution."""

    events: list[Event] = field(default_factory=list)
    findings: dict[Known, Finding] = field(default_factory=dict)
    stuck: dict[Any, Known] = field(default_factory=dict)
    """What was pending where some processes stood still, and the first finding of that."""
    echoes: dict[Known, tuple[Known, ...]] = field(default_factory=dict)
    """Findings that only follow from others, as long as those hold."""

    def add(self, finding: Finding) -> None:
        """Note a finding, once for its place and cause."""
        self.findings.setdefault((finding.obligation, finding.site, finding.cause), finding)

    def spoken(self) -> list[Finding]:
        """The findings but for echoes."""
        findings = self.findings
        return [
            one for key, one in findings.items() if not any(first in findings for first in self.echoes.get(key, ()))
        ]

    def of(self, kind: str) -> list[Event]:
        """The events of one kind."""
        return [event for event in self.events if event.kind == kind]

    def loops_with(self, *kinds: str) -> set[Site]:
        """The loops in which an event of these kinds is."""
        return {loop for event in self.events if event.kind in kinds for loop in event.loops}
