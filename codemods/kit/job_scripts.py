"""A launcher and the scripts it starts: what each file says of itself, and what the launcher is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a run that finds nothing changed does without LibCST
    from codemods.kit.command_line import CommandLine


@dataclass(frozen=True)
class Started:
    """A script that a launcher names: of a training job, an endpoint, or a processing job."""

    number: int
    """The call that starts it: its place in the order of the file's nodes."""
    line: int
    script: str
    """The path as the launcher gives it, with its `source_dir`."""
    folder: str = ""
    """The `source_dir`; empty when there is none."""
    native: str = ""
    """Why there is no torch_xla where it is run; empty when there is one, or it is not known."""


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
    left: bool = False
    """Whether it is left as it is, as whatever starts it has no torch_xla."""
    serves: bool = False
    """Whether it has functions that an endpoint calls."""
    moves: bool = False
    """Whether it asks for an accelerator, or what it imports does."""

    @property
    def is_single(self) -> bool:
        """Whether it is written for one process, and is not refused."""
        return not (self.enters or self.starts or self.stays)


@dataclass(frozen=True)
class JobScript:
    """The training script of a job, with all that it imports."""

    file: str
    role: JobRole
    command_line: CommandLine
    package: str = ""
    """The setup.py in its `source_dir`, which makes a package of it; empty when there is none."""
