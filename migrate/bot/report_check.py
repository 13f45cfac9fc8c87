"""A check run of a commit: begun once, and gone on with where another run was ended."""

from __future__ import annotations

from dataclasses import dataclass

from migrate.batch.digests import digest
from migrate.bot.checks import MOST, Annotation, portions
from migrate.bot.plan import Plan
from migrate.forge.github import Forge

NAME = "tc-migrate"
BUTTON = "open-pr"
"""What the forge calls the button when somebody has pressed it."""
_BUTTON = {"label": "Open a pull request", "description": "with these edits, to read and to merge"}


@dataclass(frozen=True)
class Report:
    """What the check run says."""

    commit: str
    title: str
    summary: str
    """Markdown."""
    conclusion: str
    annotations: tuple[Annotation, ...] = ()
    button: bool = False
    """Whether it offers a pull request."""


def report_check(plan: Plan, forge: Forge, *, button: bool = False, again: bool = False) -> None:
    """Say what there is to do. `button`: offer a pull request, when there is something to propose. As `report`."""
    offered = button and (not plan.is_empty or plan.held > 0)
    said = Report(plan.marker.base, plan.title, plan.summary, plan.conclusion, plan.annotations, offered)
    report(said, forge, again=again)


def report(said: Report, forge: Forge, *, again: bool = False) -> None:
    """Bring the check run about. It has a result only when all annotations are there. Raises ForgeError.

    `again`: somebody wants it anew. The forge takes it for unfinished until it is told a result, be it the same.
    """
    id = identify(said)
    runs = forge.check_runs(said.commit, NAME)
    run = next((each for each in runs if each.external_id == id), None) or forge.start_check(said.commit, NAME, id)
    if run.is_complete and not again:
        return
    # GitHub adds the annotations of each request to those before, so their number says where to go on.
    for portion in portions(said.annotations[:MOST][run.annotations :]):
        forge.annotate(run.id, said.title, said.summary, portion)
    buttons = [{**_BUTTON, "identifier": BUTTON}] if said.button else []
    forge.conclude(run.id, said.title, said.summary, said.conclusion, buttons)


def identify(said: Report) -> str:
    """By which the run is found again: the same for the same result, whoever reports it."""
    words = [str(part) for each in said.annotations for part in each.payload().values()]
    return digest("check", said.conclusion, said.title, said.summary, str(said.button), *words).hex()
