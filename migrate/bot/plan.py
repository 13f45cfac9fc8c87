"""What the forge should look like: branch, commits, pull request and check, made from migrations alone. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from codemods.kit.targets import Launcher, Target
from migrate.batch.digests import digest
from migrate.bot.body import Proposal, write_body
from migrate.bot.checks import MOST, Annotation, annotate
from migrate.bot.marker import Marker
from migrate.bot.refused import Offer, hold_back
from migrate.bot.sections import LARGEST, size
from migrate.bot.steps import TITLE, Step, split
from migrate.forge.values import PullRequest
from migrate.migration import Migration, Status
from migrate.render.blocks import find_blocks
from migrate.render.diff import find_hunks
from migrate.render.report import closing_line, count


@dataclass(frozen=True)
class Plan:
    """The state to bring about. The same migrations always give the same plan."""

    marker: Marker
    branch: str
    title: str
    body: str
    steps: tuple[Step, ...]
    annotations: tuple[Annotation, ...]
    conclusion: str
    """Of the check run: `success` when there is nothing to do, else `neutral`: nobody's merge is held up."""
    summary: str
    """Of the check run."""
    held: int = 0
    """Edits that are held back, since somebody has closed the pull request that had them."""
    held_by: str = ""
    """Which that is, and what was done with it."""

    @property
    def is_empty(self) -> bool:
        """Whether there is no edit to propose."""
        return not self.steps


def make_plan(migrations: Mapping[str, Migration], proposal: Proposal) -> Plan:
    """The plan for the files of a whole repository, by path."""
    recipe = name_recipe(proposal.target)
    offer = hold_back(migrations, proposal.refused, proposal.left_out)
    held_by = tell_refusal(offer.by) if offer.by is not None else ""
    changes, left_out = digest_changes(offer.migrations), tuple(proposal.left_out)
    marker = Marker(recipe, proposal.origin.commit, proposal.version, changes, left_out, offer.edits)
    first = str(marker)
    held = _held(offer, held_by)
    body = write_body(offer.migrations, replace(proposal, held=held), LARGEST - size(first))
    annotations = annotate(migrations)
    return Plan(
        marker,
        f"tc-migrate/{recipe}",
        title_of(proposal.target),
        first + body,
        split(offer.migrations, proposal.version),
        annotations,
        "neutral" if annotations or any(each.status is Status.MIGRATED for each in migrations.values()) else "success",
        _summary(migrations, len(annotations)) + (f"\n{held}" if held else ""),
        offer.held,
        held_by,
    )


def name_recipe(target: Target) -> str:
    """What a target is called in the name of a branch: `smtc`, `smtc-1.12`, `torch-xla-2.9`."""
    return re.sub(r"[^a-z0-9.]+", "-", target.name)


def title_of(target: Target) -> str:
    """Of the pull request."""
    version = ".".join(map(str, target.version))
    name = "SageMaker Training Compiler" if target.launcher is Launcher.SAGEMAKER else f"torch_xla {version}"
    return f"{TITLE} ({name})"


def digest_changes(migrations: Mapping[str, Migration]) -> str:
    """The same for the same edits of the same lines, wherever in the file these have gone meanwhile."""
    parts: list[str] = []
    for path, migration in sorted(migrations.items()):
        if migration.status is Status.MIGRATED:
            parts += ["file", path]
            for block in find_blocks(find_hunks(migration.source, migration.result)):
                parts += ["block", "".join(block.old), "".join(block.new)]
    return digest(*parts).hex()


def tell_refusal(found: PullRequest) -> str:
    """What was done with a pull request: `closed as pull request 7`."""
    return f"{'merged' if found.is_merged else 'closed'} as pull request {found.number}"


def _held(offer: Offer, held_by: str) -> str:
    if not offer.held or not held_by:
        return ""
    count = f"{offer.held} edit{'s' * (offer.held != 1)}"
    return (
        f"{count} held back: the same, or what they cannot do without, was {held_by}. `/tc-migrate run` (or "
        "`tc-migrate pr --again`) proposes them again.\n"
    )


def _summary(migrations: Mapping[str, Migration], annotations: int) -> str:
    said = f"**{closing_line(count(list(migrations.values())), 'to be migrated')}**\n"
    more = f"\n{annotations - MOST} more remarks are not shown at their lines.\n" if annotations > MOST else ""
    return said + more
