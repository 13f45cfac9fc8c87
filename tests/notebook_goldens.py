"""The golden notebooks: `x.ipynb`, `x.smtc.ipynb` and `x.xla.ipynb`, and in `x.notes` what is said.

A missing output means the notebook must come back unchanged. `.notes` begins with the status where it is neither
unchanged nor migrated.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from migrate.migration import Migration, Status
from migrate.notebooks.prepared import prepare
from tests.goldens import ROOT, TARGETS, read_text, write_text

FOLDER = ROOT / "notebooks"
_TOLD = (Status.MIGRATED, Status.UNCHANGED)


@dataclass(frozen=True)
class NotebookCase:
    """One golden notebook."""

    path: Path

    @property
    def id(self) -> str:
        return self.path.stem

    @property
    def notes(self) -> Path:
        return self.path.with_suffix(".notes")

    def output(self, target: str) -> Path:
        return self.path.with_suffix(f".{target}.ipynb")

    def expected(self, target: str) -> str:
        output = self.output(target)
        return read_text(output if output.exists() else self.path)

    def migrated(self, target: str) -> Migration:
        return _migrated(self.path, target)


@cache
def _migrated(path: Path, target: str) -> Migration:
    return prepare(path.name, read_text(path)).migrate(path=path.name, target=TARGETS[target])


def notebook_cases() -> list[NotebookCase]:
    """Every golden source."""
    outputs = tuple(f".{target}.ipynb" for target in TARGETS)
    return [NotebookCase(path) for path in sorted(FOLDER.glob("*.ipynb")) if not path.name.endswith(outputs)]


def notebook_notes(case: NotebookCase) -> str:
    """The `.notes` file a case should have: `targets:cell 3 [In 7]:2: severity rule message`, one note a line."""
    said: dict[str, list[str]] = {}
    for target in TARGETS:
        migration = case.migrated(target)
        if migration.status not in _TOLD:
            said.setdefault(f"{migration.status.value}: {migration.reason}", []).append(target)
        for note in migration.notes:
            text = f"{note.place}: {note.severity.value} {note.rule} {note.message}"
            said.setdefault(text, []).append(target)
    return "".join(f"{','.join(targets)}:{text}\n" for text, targets in said.items())


def bless_notebook(case: NotebookCase) -> None:
    """Write what the tool does now as what it should do."""
    for target in TARGETS:
        migration = case.migrated(target)
        if migration.result != migration.source:
            write_text(case.output(target), migration.result)
        else:
            case.output(target).unlink(missing_ok=True)
    notes = notebook_notes(case)
    if notes:
        write_text(case.notes, notes)
    else:
        case.notes.unlink(missing_ok=True)
