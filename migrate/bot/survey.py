"""What the bot finds out about a commit: its scripts, migrated. One engine for the App, the Action and campaigns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from migrate import __version__
from migrate.batch.run import Order, migrate_files
from migrate.batch.scan import Script
from migrate.bot.body import Proposal
from migrate.bot.confined import start_confined
from migrate.bot.git.contents import Contents
from migrate.bot.git.store import Store
from migrate.bot.origin import Origin
from migrate.bot.plan import Plan, make_plan
from migrate.bot.refused import Known
from migrate.bot.settings import Settings
from migrate.bot.sources import Sources, read_sources
from migrate.migration import Migration

_TOP = Path()
"""The folder that paths of a repository are relative to. Nothing is ever looked up there."""


@dataclass(frozen=True)
class Survey:
    """A commit that was read and migrated, and by which settings."""

    settings: Settings
    contents: Contents
    sources: Sources
    migrations: Mapping[str, Migration]
    """By path. What could not be read has none: `sources.skipped` says why."""
    refused: Known = field(default_factory=dict)
    """What is known of edits that were proposed before."""

    def plan(self, origin: Origin, *, evidence: Sequence[str] = (), answers: bool = True) -> Plan:
        """What to propose to the repository."""
        skipped, left_out = self.sources.skipped, self.settings.left_out
        target, refused = self.settings.target, self.refused
        proposal = Proposal(origin, target, __version__, evidence, skipped, answers, left_out, refused)
        return make_plan(self.migrations, proposal)


def survey(store: Store, commit: str, settings: Settings, *, jobs: int = 1, seconds: float = 60.0) -> Survey:
    """Read and migrate the scripts of a commit that is in the store.

    The settings are not read from it: the commit may be the head of a stranger's pull request. `jobs`: processes at
    once; `seconds`: for one file, which is then left out with its reason. Raises GitError.
    """
    contents = store.read(commit)
    sources = read_sources(contents, settings)
    scripts = [
        Script.held(path, _TOP, contents.files[path].data, file) for path, file in sorted(sources.scripts.items())
    ]
    order = Order(
        settings.target, lambda script: settings.select(script.name), jobs, seconds=seconds, verify=settings.verify,
        understand=True, start=start_confined,
    )  # fmt: skip
    return Survey(settings, contents, sources, {each.name: done for each, done in migrate_files(scripts, order)})
