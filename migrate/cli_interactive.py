"""`--interactive`: a person takes or leaves each hunk, and what is taken is written."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

import click

from codemods.kit.rules import Change
from migrate.cli_output import Outcome
from migrate.files import Unwritable, write
from migrate.migration import Status
from migrate.notebooks.views import with_cells
from migrate.partial import find_trouble
from migrate.programs import code
from migrate.render.diff import Hunk, apply_hunks, find_hunks
from migrate.unseen import visible

HELP = """\
y  take this hunk
n  leave it
a  take it and all that follow in this file
d  leave it and all that follow in this file
q  stop here: leave it and all that follow; what was taken so far in this file is written
?  show this
"""
# Smaller than a patch's: what stands three lines away is a question of its own.
CONTEXT = 1


class Answer(Enum):
    """What the person says to a hunk."""

    TAKE = "y"
    LEAVE = "n"
    TAKE_REST = "a"
    LEAVE_REST = "d"
    STOP = "q"


@dataclass
class Review:
    """A person's way through the files of a run."""

    backup: bool = False
    """Keep each file as it was beside it."""
    stopped: bool = False
    """They have had enough; no further file is to be shown."""

    def choose(self, outcome: Outcome, root: Path) -> Outcome:
        """Ask about each hunk of a file and write what is taken. The outcome tells what became of the file."""
        assert outcome.file is not None
        source = outcome.file.text
        cells = {cell.name: cell.migration.source for cell in outcome.entry.cells}
        hunks = [
            hunk
            for cell in outcome.entry.cells
            for hunk in find_hunks(cell.migration.source, cell.result, CONTEXT, cell.name)
        ] or find_hunks(source, outcome.final, CONTEXT)
        click.echo()
        click.secho(outcome.entry.header, bold=True, nl=False)
        taken = self._ask(hunks, outcome)
        result = _taken(source, cells, taken)
        if len(taken) < len(hunks):
            path = outcome.migration.path
            trouble = find_trouble(*(code(path, text) for text in (source, outcome.final, result)))
            if trouble:
                return outcome.failed(f"not written: the hunks taken {trouble}")
        try:
            if result != source:
                write(outcome.file, result, root, backup=self.backup)
        except Unwritable as error:
            return outcome.failed(f"not written: {error}")
        return _partly(outcome, result, taken)

    def _ask(self, hunks: Sequence[Hunk], outcome: Outcome) -> list[Hunk]:
        """The hunks that are taken."""
        taken: list[Hunk] = []
        for number, hunk in enumerate(hunks, 1):
            _show(hunk, outcome)
            answer = _answer(f"take hunk {number} of {len(hunks)}?")
            if answer is Answer.TAKE:
                taken.append(hunk)
            elif answer is Answer.TAKE_REST:
                return [*taken, *hunks[number - 1 :]]
            elif answer in (Answer.LEAVE_REST, Answer.STOP):
                self.stopped = answer is Answer.STOP
                return taken
        return taken


def _taken(source: str, cells: dict[str, str], hunks: Sequence[Hunk]) -> str:
    """The source with these hunks applied; `cells` are the texts of a notebook's cells by their titles."""
    if not cells:
        return apply_hunks(source, hunks)
    of_cell = {name: [hunk for hunk in hunks if hunk.cell == name] for name in cells}
    return with_cells(source, {name: apply_hunks(cells[name], some) for name, some in of_cell.items() if some})


def _shows(hunk: Hunk, change: Change) -> bool:
    """Whether a change is made in a hunk."""
    if change.place is not None:
        return hunk.cell == change.place.cell_title and hunk.shows(change.place.line)
    return hunk.shows(change.line)


def _answer(question: str) -> Answer:
    """Ask until one of the answers is given. The end of the input stops, as Ctrl-C does: nothing more is written."""
    while True:
        reply = click.prompt(
            click.style(f"{question} [y,n,a,d,q,?]", bold=True), prompt_suffix=" ", default="?", show_default=False
        )
        try:
            return Answer(reply.strip().lower()[:1])
        except ValueError:
            click.echo(HELP, nl=False)


def _show(hunk: Hunk, outcome: Outcome) -> None:
    """The hunk, and under it why it is proposed."""
    if sys.stdout.isatty():
        from rich.console import Console

        from migrate.render.terminal import hunk_text

        Console(highlight=False).print(hunk_text(hunk), soft_wrap=True, end="")
    else:
        click.echo(f"{hunk.header}\n{hunk.body}", nl=False)
    for change in outcome.migration.changes:
        if _shows(hunk, change):
            click.secho(f"  {change.rule} {change.safety.value}: {change.message}", dim=True)
            if change.evidence:
                click.secho(f"    because {' -> '.join(map(visible, change.evidence))}", dim=True)


def _partly(outcome: Outcome, result: str, taken: Sequence[Hunk]) -> Outcome:
    """The outcome when only these hunks were written."""
    changed = outcome.file is not None and result != outcome.file.text
    made = tuple(change for change in outcome.migration.changes if any(_shows(hunk, change) for hunk in taken))
    status = Status.MIGRATED if changed else Status.UNCHANGED
    return Outcome(replace(outcome.migration, status=status, result=result, changes=made), outcome.file, result)
