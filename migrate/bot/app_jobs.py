"""The kinds of jobs of the App, and what each does in its repository."""

from __future__ import annotations

from migrate.bot.command_jobs import obey
from migrate.bot.jobs import GiveUp, Outcome
from migrate.bot.proposing import delete_branch, open_base, propose, tell
from migrate.bot.reading import is_own, read
from migrate.bot.report_check import BUTTON, report_check
from migrate.bot.retiring import retire
from migrate.bot.visit import Rights, Unwelcome, Visit


def do(visit: Visit) -> Outcome:
    """The job. Raises Unwelcome, GiveUp, GitError and ForgeError."""
    job = _JOBS.get(visit.job.kind)
    if job is None:
        raise GiveUp(f"there is no job {visit.job.kind!r}")
    visit.check_welcome()
    return job(visit)


def _look(visit: Visit) -> Outcome:
    """The default branch as it is now: of several pushes the last one counts."""
    base = open_base(visit)
    retire(visit, base)
    reading = read(visit, base)
    if base.settings.mode == "pr" or base.is_proposed:
        return tell(visit, propose(visit, reading))
    report_check(reading.plan, visit.forge(Rights.REPORT), button=base.offers(base.commit))
    return Outcome(f"checked {base.commit[:12]}")


def _check(visit: Visit) -> Outcome:
    """Somebody wants the check again, or has pressed its button."""
    commit, button = str(visit.job.details["commit"]), visit.job.details.get("button")
    if button and button != BUTTON:
        return Outcome(f"no button is called {button}")
    if button and not visit.forge(Rights.LOOK).may_write(visit.job.sender):
        raise Unwelcome(f"{visit.job.sender} may not write there")
    base = open_base(visit)
    if button:
        return tell(visit, propose(visit, read(visit, base, anew=True), anew=True))
    reading = read(visit, base, commit)
    report_check(reading.plan, visit.forge(Rights.REPORT), button=base.offers(commit), again=True)
    return Outcome(f"checked {commit[:12]}")


def _closed(visit: Visit) -> Outcome:
    """A pull request of the bot's is closed. Its branch is of no more use once it is merged."""
    pull = visit.forge(Rights.LOOK).pull_request(int(visit.job.details["number"] or 0))
    url = visit.place(Rights.LOOK).pull_request(pull.number)
    if pull.is_open or not is_own(pull):
        return Outcome(f"pull request {pull.number} is open again, or no more the bot's", url)
    if not pull.is_merged:
        return Outcome(f"pull request {pull.number} was closed: its edits are not proposed again", url)
    is_gone = delete_branch(visit, pull.branch, pull.head)
    return Outcome(f"pull request {pull.number} was merged{', its branch is deleted' if is_gone else ''}", url)


_JOBS = {"push": _look, "installed": _look, "check": _check, "closed": _closed, "command": obey}
