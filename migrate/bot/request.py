"""What a person asks for by hand, and what is found out for it. Nothing is written here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from codemods.kit.targets import Target
from migrate.bot.git.commits import Author
from migrate.bot.git.remote import Remote
from migrate.bot.git.store import Store
from migrate.bot.left_out import leave_out, remember
from migrate.bot.plan import name_recipe
from migrate.bot.publish import Work
from migrate.bot.refused import Known, remember_edits
from migrate.bot.settings import Settings, read_settings
from migrate.bot.standing import Wishes
from migrate.bot.survey import Survey, survey
from migrate.forge.github import Forge
from migrate.migration import MigrateError
from migrate.registry import Selection


class Unwanted(MigrateError):
    """There is nothing to do in a repository, and no fault in that. The message says why."""


@dataclass(frozen=True)
class Request:
    """What is asked for. It goes before what the repository's own settings say, but for `enabled: false`."""

    base: str = ""
    """The branch to migrate; none: the one that the repository shows first."""
    target: Target | None = None
    selection: Selection | None = None
    exclude: Sequence[str] = ()
    """Besides what the repository excludes."""
    labels: tuple[str, ...] | None = None
    draft: bool = False
    anew: bool = False
    """Also what was closed before."""
    force: bool = False
    """Commits of others on the branch are dropped."""

    def over(self, settings: Settings) -> Settings:
        """The settings of a repository, and what is asked for."""
        return replace(
            settings,
            target=self.target or settings.target,
            selection=self.selection or settings.selection,
            exclude=(*settings.exclude, *self.exclude),
            labels=settings.labels if self.labels is None else self.labels,
            draft=settings.draft or self.draft,
        )

    def wishes(self, answer: Answer) -> Wishes:
        """How what was found is to be proposed."""
        settings = answer.survey.settings
        return Wishes(answer.base, settings.draft, settings.labels, self.anew, self.force)


@dataclass(frozen=True)
class Answer:
    """What was found: a branch, read and migrated."""

    base: str
    store: Store
    remote: Remote
    survey: Survey

    def work(self, author: Author) -> Work:
        """What a branch is made of."""
        return Work(self.store, self.remote, self.survey.contents, self.survey.sources, author)


def answer(
    request: Request, store: Store, remote: Remote, forge: Forge | None = None, *, jobs: int = 1, seconds: float = 60.0
) -> Answer:
    """Fetch and migrate. `jobs` and `seconds` as in `survey`. With a `forge` what somebody has asked the bot there to
    leave out is left out, and what was refused is held back. Raises Unwanted, SettingsError, GitError, ForgeError."""
    base = request.base or store.default_branch(remote)
    if not base:
        raise Unwanted("it has no commit")
    commit = store.fetch(remote, base)
    settings = read_settings(store, commit)
    if not settings.enabled:
        raise Unwanted("its .github/tc-migrate.yml says `enabled: false`")
    settings = request.over(settings)
    refused: Known = {}
    if forge is not None:
        recipe = name_recipe(settings.target)
        pull_requests = forge.pull_requests(f"tc-migrate/{recipe}")
        settings = leave_out(settings, remember(pull_requests, recipe))
        refused = {} if request.anew else remember_edits(pull_requests, recipe)
    found = survey(store, commit, settings, jobs=jobs, seconds=seconds)
    return Answer(base, store, remote, replace(found, refused=refused))
