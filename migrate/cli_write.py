"""`--write`: nothing is written before every file is migrated, and nothing that git could not give back unasked."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from migrate.cli_output import Outcome
from migrate.files import Unwritable, sweep, write
from migrate.migration import MigrateError
from migrate.render.report import in_one_line
from migrate.repos import unsaved

SHOWN = 5
"""Files that are named in the question; of more only the number is said."""


def write_all(
    outcomes: Sequence[tuple[Outcome, Path | None]], *, backup: bool = False, force: bool = False
) -> Iterator[Outcome]:
    """Write what changed, each file whole or not at all, and give back what became of each.

    `outcomes` each with the folder that its file must lie in; None for what is no file and only printed. Raises
    MigrateError, before anything is written, when a file holds what git could not give back and the person at the
    terminal does not want it written; `force` and `backup` are consent.
    """
    paths = [outcome.file.path for outcome, root in outcomes if outcome.file and outcome.changes and root]
    if not (backup or force):
        _ask(paths)
    for folder in {outcome.file.path.parent for outcome, root in outcomes if outcome.file and root}:
        sweep(folder)
    for outcome, root in outcomes:
        yield _write(outcome, root, backup) if outcome.changes and root is not None else outcome


def _ask(paths: Sequence[Path]) -> None:
    """Raise MigrateError when git could not give back what some of the files hold, and nobody says to go on."""
    try:
        lost = unsaved(paths)
    except MigrateError as error:
        raise MigrateError(f"nothing was written: {error}; --backup or --force writes all the same") from error
    if not lost:
        return
    names = ", ".join(in_one_line(str(path)) for path in lost[:SHOWN]) + (", ..." if len(lost) > SHOWN else "")
    what = f"{len(lost)} of {len(paths)} files to write" if len(paths) > 1 else "the file to write"
    hold = "hold" if len(lost) > 1 else "holds"
    state = f"{what} {hold} changes that are neither committed nor staged ({names})"
    if sys.stdin.isatty() and sys.stderr.isatty() and click.confirm(f"{state}. Write all the same?", err=True):
        return
    raise MigrateError(f"nothing was written: {state}; commit or stage them, or use --backup or --force")


def _write(outcome: Outcome, root: Path, backup: bool) -> Outcome:
    assert outcome.file is not None
    try:
        write(outcome.file, outcome.final, root, backup=backup)
    except Unwritable as error:
        return outcome.failed(f"not written: {error}")
    return outcome
