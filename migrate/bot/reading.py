"""What a job reads: the repository's settings, then its branch or somebody's head, migrated by them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from migrate.bot.events import BRANCHES
from migrate.bot.git.store import Store
from migrate.bot.left_out import leave_out, remember
from migrate.bot.marker import read_marker
from migrate.bot.plan import Plan, name_recipe
from migrate.bot.publish import Work
from migrate.bot.refused import Known, remember_edits
from migrate.bot.settings import PATH, Settings, SettingsError, find_settings
from migrate.bot.survey import Survey, survey
from migrate.bot.visit import Rights, Unwelcome, Visit
from migrate.forge.values import PullRequest
from migrate.migration import MigrateError


class AccountSettingsError(MigrateError):
    """The settings of the account cannot be followed; they are in a repository that not everybody may read."""


@dataclass(frozen=True)
class Base:
    """The branch that is migrated, and what its owners want."""

    branch: str
    commit: str
    settings: Settings
    is_proposed: bool
    """Whether a pull request of the bot's is open."""
    refused: Known = field(default_factory=dict)
    """What is known of edits that were proposed before."""

    @property
    def bot_branch(self) -> str:
        """Where the migration is proposed."""
        return f"{BRANCHES}{name_recipe(self.settings.target)}"

    def offers(self, commit: str) -> bool:
        """Whether the check of a commit has a button for a pull request."""
        return commit == self.commit and self.settings.mode == "check" and not self.is_proposed


@dataclass(frozen=True)
class Reading:
    """A commit, migrated, and what to propose."""

    base: Base
    survey: Survey
    plan: Plan

    def work(self, visit: Visit) -> Work:
        """What the branch is made of. Raises ForgeError."""
        found = self.survey
        return Work(visit.store, visit.place(Rights.PUBLISH).remote, found.contents, found.sources, visit.author)


def find_tip(visit: Visit) -> tuple[str, str]:
    """The default branch and its commit, fetched. Raises Unwelcome when there is none, GitError and ForgeError."""
    branch = visit.facts.default_branch
    if visit.store.head(visit.remote, branch) is None:
        raise Unwelcome(f"the repository has no commit on {branch}")
    return branch, visit.store.fetch(visit.remote, branch)


def find_base(visit: Visit, branch: str, commit: str) -> Base:
    """The settings that hold for a tip. Raises SettingsError, AccountSettingsError, GitError and ForgeError."""
    settings = find_settings(visit.store, commit) or _settings_of_account(visit) or Settings()
    recipe = name_recipe(settings.target)
    pull_requests = visit.forge(Rights.LOOK).pull_requests(f"{BRANCHES}{recipe}")
    is_proposed = any(each.is_open and is_own(each) for each in pull_requests)
    settings = leave_out(settings, remember(pull_requests, recipe))
    return Base(branch, commit, settings, is_proposed, remember_edits(pull_requests, recipe))


def read(visit: Visit, base: Base, commit: str = "", *, anew: bool = False) -> Reading:
    """Migrate a commit by the settings of the base; without one, the base itself. `anew`: what was refused is wanted.

    Raises GitError and ForgeError."""
    if commit and commit != base.commit:
        visit.store.fetch(visit.remote, commit)
    found = survey(visit.store, commit or base.commit, base.settings, jobs=visit.config.jobs)
    found = found if anew else replace(found, refused=base.refused)
    return Reading(base, found, found.plan(visit.place(Rights.LOOK).origin(found.contents.commit)))


def is_own(found: PullRequest) -> bool:
    """Whether a pull request is one of the bot's that nobody has taken over."""
    marker = read_marker(found.body)
    return marker is not None and found.branch == f"{BRANCHES}{marker.recipe}"


def _settings_of_account(visit: Visit) -> Settings | None:
    """Of its repository `.github`, if the App may read that."""
    repository = f"{visit.job.repository.partition('/')[0]}/.github"
    if visit.job.repository.lower() == repository.lower():
        return None
    try:
        remote = visit.enter(repository, Rights.LOOK).remote
    except Unwelcome:
        return None
    store = Store(visit.folder / "account")
    branch = store.default_branch(remote)
    if branch is None:
        return None
    try:
        return find_settings(store, store.fetch(remote, branch))
    except SettingsError as error:
        raise AccountSettingsError(f"{repository}: {PATH}, line {error.line}") from error
