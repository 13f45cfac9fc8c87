"""What comes out of a migration: plain frozen values, nothing that still works."""

from __future__ import annotations

import difflib
import re
from dataclasses import asdict, dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

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
    """One script, migrated for one target: what became of its text, each edit and note, and what was shown of it."""

    path: str
    """As the user named it; `-` for standard input."""
    target: str
    """The full name of the target: `smtc==1.13`, `torch-xla==2.9`."""
    status: Status
    """How it ended."""
    source: str
    """The text as it was given."""
    result: str
    """Equal to `source` unless `status` is MIGRATED."""
    changes: tuple[Change, ...] = ()
    """The edits, by line: rule, line of the source, safety, message and evidence."""
    notes: tuple[Note, ...] = ()
    """What a person must know, by line: rule, line of the source, severity, message, advice and evidence."""
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

    @property
    def diff(self) -> str:
        """The patch from source to result, as `git apply` takes it; empty where nothing changed."""
        old, new = (list(re.findall(r"[^\n]*\n|[^\n]+", text)) for text in (self.source, self.result))
        lines = difflib.unified_diff(old, new, f"a/{self.path}", f"b/{self.path}")
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)

    def to_dict(self) -> dict[str, Any]:
        """All of it in the types of JSON."""
        return {**_plain(asdict(self)), "diff": self.diff}


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, dict):
        return {str(_plain(key)): _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple | set | frozenset) else value


class MigrateError(Exception):
    """The world's trouble: git, network, disk. Raised at a door, printed by the cli."""
