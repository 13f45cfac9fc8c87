"""What comes out of a migration: plain frozen values, nothing that still works."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from codemods.kit.rules import Change, Note, Severity

if TYPE_CHECKING:
    from migrate.engine.certificate import Certificate


class Status(Enum):
    """How a file ended."""

    UNCHANGED = "unchanged"
    """Nothing to do: no CUDA use, or already migrated."""
    MIGRATED = "migrated"
    """`result` differs from `source`."""
    REFUSED = "refused"
    """The script builds on something that cannot be migrated file by file (FSDP, DeepSpeed, ...); notes say what."""
    SKIPPED = "skipped"
    """The script's trouble: unreadable, undecodable, does not parse, too deep, too large. `reason` says which."""
    FAILED = "failed"
    """Our trouble: a codemod raised, or its result does not compile. The file stays as it was."""


@dataclass(frozen=True)
class Migration:
    """One script, migrated for one target."""

    path: str
    """As the user named it; `-` for standard input."""
    target: str
    status: Status
    source: str
    result: str
    """Equal to `source` unless `status` is MIGRATED."""
    changes: tuple[Change, ...] = ()
    notes: tuple[Note, ...] = ()
    reason: str = ""
    """Why SKIPPED, REFUSED or FAILED, in one line."""
    traceback: str = ""
    """For FAILED: the codemod's traceback, shown with `--debug`."""
    certificate: Certificate | None = None
    """What the judge says of the program it is a file of, the same for all its files that have a part in training; None
    when he was not asked."""

    @property
    def has_errors(self) -> bool:
        """True when a note of error severity remains."""
        return any(note.severity is Severity.ERROR for note in self.notes)


class MigrateError(Exception):
    """The world's trouble: git, network, disk. Raised at a door, printed by the cli."""
