"""Two executions side by side: an original's and its result's, with their places matched."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

from codemods.kit.meaning.execution import Execution
from codemods.kit.meaning.record import Event
from codemods.kit.meaning.steps import Step
from codemods.kit.meaning.values import Site
from migrate.engine.certificate import Finding, Standing
from migrate.engine.correspondence import Lines

_PLACE = re.compile(r"([^\s:]+\.py):(\d+)\b")
"""A line of a file in a message."""
Place = tuple[str, int]
Made = tuple[str, int, str]
"""Where a parameter was made: path, line of the original, function or argument."""


class Comparison:
    """What the judge compares."""

    def __init__(
        self, before: Execution | None, after: Execution, lines: Lines, version: tuple[int, int] = (2, 9)
    ) -> None:
        self.before = before
        self.after = after
        self.lines = lines
        self.version = version
        """Of the torch_xla that the migrated program is for."""

    def finding(
        self,
        obligation: str,
        standing: Standing,
        site: Site,
        message: str,
        cause: Site | None = None,
        chain: Iterable[Site] = (),
    ) -> Finding:
        """A finding at a place of the migrated program."""
        _, line = self.lines.source(site)
        calls = tuple(str(one) for one in chain if one != site)
        where = str(cause) if cause is not None and cause.path else ""
        noted = _PLACE.sub(self._of_original, message)
        return Finding(obligation, standing, site.path, site.line, message, line, where, calls, noted=noted)

    def _of_original(self, place: re.Match[str]) -> str:
        line = self.lines.source_line(place[1], int(place[2]))
        return f"{place[1]}:{line}" if line else place[0]

    def before_at(self, kind: str) -> dict[Place, list[Event]]:
        """The original's events of a kind, by where they were."""
        found: dict[Place, list[Event]] = {}
        for event in self.before.record.of(kind) if self.before else ():
            found.setdefault((event.site.path, event.site.line), []).append(event)
        return found

    def said_before(self, kind: str) -> set[Place]:
        """Where the original had events of a kind."""
        return set(self.before_at(kind))

    def was_there(self, event: Event) -> bool:
        """Whether the original had an event of the same kind at the same place."""
        return self.lines.source(event.site) in self.said_before(event.kind)

    def came_to(self, place: Place, kind: str) -> bool:
        """Whether the original was followed as far as a place; of one that ran in one process it does not matter."""
        before = self.before
        return not (before and before.spent and before.several) or place in self.said_before(kind)

    def nearest(self, place: Place) -> int:
        """The line of the migrated file that stands where the original's line stood."""
        best = 1
        for line in range(1, place[1] + 400):
            source = self.lines.source_line(place[0], line)
            if source and source <= place[1]:
                best = line
            if source > place[1]:
                break
        return best

    def made(self, site: Site) -> Made:
        """Where a parameter of the migrated program was made in the original; perhaps in no function there."""
        path, line = self.lines.source(site)
        own = (path, line, site.function)
        return own if own in self.gradients_before else (path, line, "")

    @cached_property
    def gradients_before(self) -> dict[Made, set[str]]:
        """How the gradient of each parameter of the original was when it was stepped: by where it was made."""
        found: dict[Made, set[str]] = {}
        for event in self.before.record.of("step") if self.before else ():
            if isinstance(event.about, Step):
                for site, gradient in event.about.gradients:
                    found.setdefault((site.path, site.line, site.function), set()).update(gradient.split("/"))
        return found
