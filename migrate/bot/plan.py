"""What the forge should look like: branch, commits, pull request and check, made from migrations alone. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from codemods.kit.targets import Launcher, Target
from migrate.batch.digests import digest
from migrate.bot.body import Proposal, write_body
from migrate.bot.checks import MOST, Annotation, annotate
from migrate.bot.marker import Marker
from migrate.bot.sections import LARGEST, size
from migrate.bot.steps import TITLE, Step, split
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

    @property
    def is_empty(self) -> bool:
        """Whether there is no edit to propose."""
        return not self.steps


def make_plan(migrations: Mapping[str, Migration], proposal: Proposal) -> Plan:
    """The plan for the files of a whole repository, by path."""
    recipe = name_recipe(proposal.target)
    changes, left_out = digest_changes(migrations), tuple(proposal.left_out)
    marker = Marker(recipe, proposal.origin.commit, proposal.version, changes, left_out)
    first = str(marker)
    body = write_body(migrations, proposal, LARGEST - size(first))
    annotations = annotate(migrations)
    return Plan(
        marker,
        f"tc-migrate/{recipe}",
        title_of(proposal.target),
        first + body,
        split(migrations, proposal.version),
        annotations,
        "neutral" if annotations or any(each.status is Status.MIGRATED for each in migrations.values()) else "success",
        _summary(migrations, len(annotations)),
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


def _summary(migrations: Mapping[str, Migration], annotations: int) -> str:
    said = f"**{closing_line(count(list(migrations.values())), 'to be migrated')}**\n"
    more = f"\n{annotations - MOST} more remarks are not shown at their lines.\n" if annotations > MOST else ""
    return said + more
