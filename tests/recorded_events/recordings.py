"""Runs programs, and keeps what their lines did: a run takes half a minute, a change of the engine needs none."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from migrate.smoke.child.deeds import FORM
from migrate.smoke.environments import Environment, cache_folder
from migrate.smoke.record import Deed, Run, Side
from migrate.smoke.run import Job, Limits, run
from tests.recorded_events.programs import Program

SECONDS = 300.0


@dataclass(frozen=True)
class Recording:
    """What one run left."""

    deeds: tuple[Deed, ...]
    lines: Mapping[str, frozenset[int]]
    ending: str

    @property
    def failed_at(self) -> tuple[str, int] | None:
        """The line that raised: what stands behind that in it was not done."""
        found = re.search(r", at (\S+):(\d+) in ", self.ending)
        return (found[1], int(found[2])) if found else None

    @property
    def trained(self) -> bool:
        """Whether there was a backward."""
        return any(one.kind == "backward" for one in self.deeds)


def recorded(
    program: Program,
    side: Side,
    texts: Mapping[str, str],
    environment: Environment,
    folder: Path | None = None,
    kept: bool = False,
) -> Recording | None:
    """A run of a program whose files have these texts; from `folder`, by default the user's cache, if it ran before,
    which it must where only those are wanted that were `kept`."""
    held = json.dumps([FORM, side.value, program.entry, sorted(texts.items()), environment.version])
    path = (folder or cache_folder().parent / "recorded-events") / f"{hashlib.sha256(held.encode()).hexdigest()}.json"
    if not path.exists() and kept:
        return None
    if not path.exists():
        changed = {Path(name): text for name, text in texts.items() if text != program.sources[name]}
        job = Job(
            program.folder / program.entry,
            side,
            environment,
            root=program.folder,
            replaced=changed,
            by_line=True,
            limits=Limits(seconds=SECONDS),
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(written(program, run(job))), encoding="utf-8")
    return read(json.loads(path.read_text(encoding="utf-8")))


def written(program: Program, ran: Run) -> dict[str, object]:
    """A run as JSON."""
    return {
        "program": program.name,
        "side": ran.side.value,
        "ending": f"{ran.ending.value} {ran.reason}".strip(),
        "deeds": [[one.kind, one.path, one.line, one.count, sorted(one.facts)] for one in ran.deeds],
        "lines": {path: sorted(lines) for path, lines in ran.lines.items()},
    }


def read(found: dict[str, object]) -> Recording:
    """A run from its JSON."""
    deeds, lines = found["deeds"], found["lines"]
    assert isinstance(deeds, list)
    assert isinstance(lines, dict)
    return Recording(
        tuple(Deed(kind, path, line, count, frozenset(facts)) for kind, path, line, count, facts in deeds),
        {path: frozenset(ran) for path, ran in lines.items()},
        str(found["ending"]),
    )
