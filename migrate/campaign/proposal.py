"""What the analysis of one repository leaves in a folder for others: a note of what came of it, a commit, a plan."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from migrate.bot.git.remote import Remote
from migrate.bot.git.store import Store
from migrate.bot.marker import Marker
from migrate.bot.plan import Plan
from migrate.bot.publish import Work
from migrate.bot.settings import Settings
from migrate.bot.sources import read_sources
from migrate.bot.steps import Step
from migrate.campaign.order import Order
from migrate.migration import MigrateError

_NOTE, _PLAN, _STORE = "note.json", "plan.json", "store"


@dataclass(frozen=True)
class Note:
    """What came of one piece of work."""

    what: str
    """`unchanged`, `clean`, `changes`, `skipped` or `error` of an analysis; a `Stage` of a write."""
    known: Mapping[str, Any] = field(default_factory=dict)
    """What the record of the repository takes over."""
    opened: bool = False
    """Whether a pull request is new."""

    def write(self, folder: Path) -> None:
        """Into the folder."""
        (folder / _NOTE).write_text(json.dumps(asdict(self)), encoding="utf-8")


def read_note(folder: Path) -> Note:
    """What was written last. Raises OSError or ValueError when there is none."""
    return Note(**json.loads((folder / _NOTE).read_text(encoding="utf-8")))


@dataclass(frozen=True)
class Proposal:
    """The desired state of one repository."""

    plan: Plan
    """Without annotations."""
    base: str
    labels: tuple[str, ...]
    draft: bool
    exclude: tuple[str, ...]
    """What the repository's settings leave out."""

    def write(self, folder: Path) -> None:
        """Into the folder, which has the store already."""
        known = asdict(replace(self, plan=replace(self.plan, annotations=())))
        (folder / _PLAN).write_text(json.dumps(known), encoding="utf-8")

    def work(self, folder: Path, remote: Remote, order: Order) -> Work:
        """What a branch is made of. Nothing is parsed: the plan has the new texts, the store the old ones."""
        store = open_store(folder)
        contents = store.read(self.plan.marker.base)
        return Work(store, remote, contents, read_sources(contents, Settings(exclude=self.exclude)), order.author)


def read_proposal(folder: Path) -> Proposal:
    """What was written. Raises OSError or ValueError when the analysis did not come so far."""
    known = json.loads((folder / _PLAN).read_text(encoding="utf-8"))
    plan = known.pop("plan")
    plan["marker"] = Marker(**plan["marker"] | {"left_out": tuple(plan["marker"]["left_out"])})
    plan["steps"] = tuple(Step(**step) for step in plan["steps"])
    plan["annotations"] = ()
    return Proposal(Plan(**plan), known["base"], tuple(known["labels"]), known["draft"], tuple(known["exclude"]))


def open_store(folder: Path) -> Store:
    """The bare repository of the folder."""
    return Store(folder / _STORE)


def make_folder(inside: Path) -> Path:
    """A new one, of a name that none had before: what an earlier run has left may still be written to. Raises
    MigrateError."""
    try:
        inside.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(dir=inside))
    except OSError as error:
        raise MigrateError(f"{inside}: {error.strerror}") from error


def clear(folder: Path) -> None:
    """Remove it. What a process that is just being ended still writes there is removed by the next run."""
    shutil.rmtree(folder, ignore_errors=True)
