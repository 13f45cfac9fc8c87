"""The words every rewrite reports in: stages, safety, severities, rules and examples."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum


class Stage(IntEnum):
    """When a codemod's edits apply to a node that several codemods edit; also the reading order of docs."""

    PROCESSES = 1
    DEVICE = 2
    DATA = 3
    PRECISION = 4
    STEP = 5
    LOGGING = 6
    SAVE = 7
    LAUNCH = 8
    TIDY = 9
    JOB = 10


class Safety(Enum):
    """How far to trust an edit."""

    EXACT = "exact"
    """The migrated line does what the original did, on the XLA device."""
    REVIEW = "review"
    """Right by the evidence found, but a person should read it: something the source does not say decides."""
    NOTE = "note"
    """Nothing is edited; the rule only says something."""


class Severity(Enum):
    """How much an unedited finding matters."""

    INFO = "info"
    """Worth knowing; the script runs and trains the same."""
    WARNING = "warning"
    """Costs compilations, host syncs or speed, or needs a decision."""
    ERROR = "error"
    """The migrated script will not run, or not train the same, until a person acts. `--check` and exit code 1."""


@dataclass(frozen=True)
class Rule:
    """One thing a codemod does or says. `TC1xx` device, `2xx` data, `3xx` precision, `4xx` step, `5xx` processes,
    `6xx` save, `7xx` launch, `9xx` cannot. Of a SageMaker launcher: `SM0xx` what is wrong in it, `LCxx` other edits."""

    id: str
    summary: str
    safety: Safety
    severity: Severity = Severity.INFO
    advice: str = ""
    """What the reader should do; empty for edits that need nothing."""
    document: str = ""
    """Where this is established: vendor document and section, or torch_xla file and version."""


@dataclass(frozen=True)
class Example:
    """A documented before/after of a codemod. With no `smtc` and no `xla` the text must come back unchanged."""

    before: str
    smtc: str | None = None
    xla: str | None = None


@dataclass(frozen=True)
class Place:
    """Where something is in a notebook."""

    cell: int
    """1-based, all kinds of cells counted, as an editor shows them."""
    ran: int | None
    """The number in `In [7]:`; None when the cell did not run."""
    line: int = 1
    """1-based line in the cell."""

    @property
    def cell_title(self) -> str:
        """`cell 3 [In 7]`."""
        return f"cell {self.cell}" + (f" [In {self.ran}]" if self.ran is not None else "")

    def __str__(self) -> str:
        return f"{self.cell_title}:{self.line}"


@dataclass(frozen=True)
class Change:
    """One edit that was made."""

    rule: str
    line: int
    """1-based line in the source."""
    safety: Safety
    message: str
    codemod: str
    evidence: tuple[str, ...] = ()
    place: Place | None = None
    """In a notebook, where `line` means the line of the file."""


@dataclass(frozen=True)
class Note:
    """Something a person must know: a finding that was not edited, or the cost of what stays."""

    rule: str
    line: int
    """1-based line in the source."""
    severity: Severity
    message: str
    advice: str
    document: str
    codemod: str
    evidence: tuple[str, ...] = ()
    place: Place | None = None
    """In a notebook, where `line` means the line of the file."""
