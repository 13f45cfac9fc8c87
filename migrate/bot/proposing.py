"""What several kinds of jobs do: begin with the settings, propose, tidy up."""

from __future__ import annotations

from migrate.bot.checks import Annotation
from migrate.bot.jobs import Outcome
from migrate.bot.publish import Published, publish
from migrate.bot.reading import AccountSettingsError, Base, Reading, find_base, find_tip
from migrate.bot.report_check import Report, report, report_check
from migrate.bot.settings import PATH, SettingsError
from migrate.bot.standing import Wishes
from migrate.bot.visit import Rights, Unwelcome, Visit
from migrate.render.markdown import code, escape

_WRONG = "The settings cannot be followed"


def open_base(visit: Visit) -> Base:
    """The branch that is migrated, and its settings; wrong ones are told to their owners by a check run.

    Raises Unwelcome when they are wrong or say that the bot is off, GitError and ForgeError.
    """
    branch, commit = find_tip(visit)
    try:
        base = find_base(visit, branch, commit)
    except SettingsError as error:
        said = f"{code(f'{PATH}:{error.line}')} {escape(error.message)}\n"
        annotation = Annotation(PATH, error.line, "failure", _WRONG, error.message)
        _report_trouble(visit, Report(commit, _WRONG, said, "failure", (annotation,)))
        raise Unwelcome(f"its settings cannot be followed: {error}") from error
    except AccountSettingsError as error:
        said = f"They are those of the account: {escape(str(error))}\n"
        _report_trouble(visit, Report(commit, _WRONG, said, "failure"))
        raise Unwelcome(f"the account's settings cannot be followed: {error}") from error
    if not base.settings.enabled:
        raise Unwelcome(f"`enabled: false` in {PATH}")
    if visit.facts.is_fork and not base.settings.fork:
        raise Unwelcome(f"the repository is a fork: it is migrated where it came from, or says `fork: true` in {PATH}")
    return base


def propose(visit: Visit, reading: Reading, *, anew: bool = False, drops: str = "") -> Published:
    """A pull request and a check run. As `Wishes`. Raises GitError, BranchMoved among them, and ForgeError."""
    settings, forge = reading.base.settings, visit.forge(Rights.PUBLISH)
    wishes = Wishes(reading.base.branch, settings.draft, settings.labels, anew, drops=drops)
    published = publish(reading.plan, wishes, reading.work(visit), forge)
    report_check(reading.plan, forge)
    return published


def tell(visit: Visit, published: Published) -> Outcome:
    """For the operator."""
    note = f"{published.outcome.value}: {published.reason}" if published.reason else published.outcome.value
    if published.number is None:
        return Outcome(note)
    return Outcome(note, visit.place(Rights.PUBLISH).pull_request(published.number))


def delete_branch(visit: Visit, branch: str, commit: str) -> bool:
    """Delete a branch if it is at a commit. Whether it is gone. Raises GitError, BranchMoved among them, ForgeError."""
    found = visit.store.head(visit.remote, branch)
    if found == commit:
        visit.store.delete(visit.place(Rights.PUSH).remote, branch, commit)
    return found in (commit, None)


def _report_trouble(visit: Visit, said: Report) -> None:
    report(said, visit.forge(Rights.REPORT))
