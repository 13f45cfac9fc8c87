"""A launcher and the training script it starts: what each file says of itself, and what the launcher is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a run that finds nothing changed does without LibCST
    from codemods.kit.command_line import CommandLine


@dataclass(frozen=True)
class Started:
    """A training script that a launcher names."""

    number: int
    """The call that makes the estimator: its place in the order of the file's nodes."""
    script: str
    """The path as the launcher gives it, with its `source_dir`."""
    folder: str = ""
    """The `source_dir`; empty when there is none."""


@dataclass(frozen=True)
class JobRole:
    """What a file would be to a job that starts it."""

    enters: bool
    """Whether it has an `_mp_fn(index)`, or gets one when it is migrated."""
    ranked: bool
    """Whether it asks which of several processes it is, itself or through a library."""
    starts: bool
    """Whether it starts processes itself."""
    stays: str = ""
    """The library for which it is not migrated; empty when there is none."""


@dataclass(frozen=True)
class JobScript:
    """The training script of a job, with all that it imports."""

    file: str
    role: JobRole
    command_line: CommandLine
    package: str = ""
    """The setup.py in its `source_dir`, which makes a package of it; empty when there is none."""
