"""What comes of a file of a run: when there is nothing to say, and what is kept of it."""

from __future__ import annotations

from typing import NamedTuple

from codemods.kit.targets import Target
from migrate.batch.scan import Script
from migrate.migration import Migration, Status


class Kept(NamedTuple):
    """What has come of a file, and what the cache has it by."""

    script: Script
    path: str
    """In its program."""
    key: bytes
    """Of its result in the cache."""
    links: bytes
    """The digest of the links that the result is of."""
    certificate: bytes
    """The key of its program's certificate in the cache; empty for none."""
    bare: Migration


def is_silent(bare: Migration) -> bool:
    """Whether there is nothing to say of a file, so that its text need not be read."""
    return bare.status is Status.UNCHANGED and not (bare.notes or bare.reason)


def left_alone(script: Script, target: Target) -> Migration:
    """A file that no program is made of: it cannot be read, or shows nothing of training."""
    status = Status.SKIPPED if script.trouble else Status.UNCHANGED
    text = script.file.text if script.file is not None else ""
    return Migration(script.name, target.name, status, text, text, reason=script.trouble)
