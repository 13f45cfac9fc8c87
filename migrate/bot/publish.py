"""Making the forge equal to a plan. It may end anywhere and be run again: the next run does what is left, once.

Each write is looked for before it is made, and leaves something that the next run finds: first the branch, which says
nothing to anybody; then the pull request, found by the branch and the hidden marker of its body; then its labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from migrate.bot.git.commits import Author
from migrate.bot.git.contents import Contents
from migrate.bot.git.remote import Remote
from migrate.bot.git.store import Store
from migrate.bot.plan import Plan
from migrate.bot.sources import Sources
from migrate.bot.standing import Move, Standing, Wishes, judge
from migrate.forge.faults import Refused
from migrate.forge.github import Forge
from migrate.forge.values import PullRequest

_HANDED_OFF = "<!-- tc-migrate:v1 said=handed-off -->\n"
_YOURS = """\
The branch has a commit now that is not mine, so it is yours: I do not touch it any more. The text above may no longer \
say what the branch holds.
"""


class Outcome(Enum):
    """What came of it."""

    OPENED = "opened"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    CLOSED = "closed"
    """Our own pull request: nothing is left to propose."""
    NOTHING = "nothing to propose"
    SILENT = "silent"
    """The same was closed before."""
    HANDED_OFF = "handed off"
    """A person has taken the branch or the pull request over."""


@dataclass(frozen=True)
class Published:
    """What came of it, with which pull request, and why nothing more."""

    outcome: Outcome
    number: int | None = None
    reason: str = ""
    theirs: str = ""
    """The last commit of a branch that was left for it."""


@dataclass(frozen=True)
class Work:
    """What the branch is made of, and where it goes."""

    store: Store
    remote: Remote
    contents: Contents
    sources: Sources
    author: Author
    """The bot. A commit at the end of the branch that says otherwise is a person's."""


def publish(plan: Plan, wishes: Wishes, work: Work, forge: Forge) -> Published:
    """Branch and pull request. Raises ForgeError and GitError, BranchMoved among them: then run it again."""
    found = work.store.head(work.remote, plan.branch)
    tip = "" if plan.is_empty else work.store.write(work.contents, list(work.sources.drafts(plan.steps)), work.author)
    agreed = found is not None and wishes.drops != "" and found.startswith(wishes.drops)
    is_ours = found is None or found == tip or agreed or is_by(work.author, found, forge)
    verdict = judge(plan, Standing(forge.pull_requests(plan.branch), is_ours), wishes)
    number = verdict.open.number if verdict.open is not None else None
    if verdict.move is Move.PROPOSE:
        if found != tip:
            work.store.push(work.remote, plan.branch, tip, expected=found)
        return _propose(plan, wishes, verdict.open, found != tip, forge)
    if verdict.move is Move.CLOSE and verdict.open is not None:
        # The body first: its marker no longer names the edits, so they may be proposed again if they come back.
        forge.write_body(verdict.open.number, plan.body)
        forge.close(verdict.open.number)
        return Published(Outcome.CLOSED, number)
    if verdict.move is Move.HAND_OFF and verdict.open is not None:
        say_once(forge, verdict.open.number, _HANDED_OFF, _YOURS)
    return Published(_OUTCOMES[verdict.move], number, verdict.reason, "" if is_ours or found is None else found)


def say_once(forge: Forge, number: int, marker: str, text: str) -> None:
    """Comment on a pull request, unless a comment there begins with the marker. Raises ForgeError."""
    if not any(_plain(remark.body).startswith(_plain(marker)) for remark in forge.comments(number)):
        forge.comment(number, marker + text)


_OUTCOMES = {
    Move.NOTHING: Outcome.NOTHING,
    Move.STAY_SILENT: Outcome.SILENT,
    Move.HAND_OFF: Outcome.HANDED_OFF,
}


def _propose(plan: Plan, wishes: Wishes, found: PullRequest | None, moved: bool, forge: Forge) -> Published:
    outcome = Outcome.UPDATED if moved else Outcome.UNCHANGED
    if found is None:
        found, is_new = _open(plan, wishes, forge)
        outcome = Outcome.OPENED if is_new else outcome
    if _plain(found.body) != _plain(plan.body):
        forge.write_body(found.number, plan.body)
        outcome = Outcome.UPDATED
    known = {label.lower() for label in found.labels}
    missing = [label for label in wishes.labels if label.lower() not in known]
    if missing:
        forge.add_labels(found.number, missing)
    return Published(outcome, found.number)


def _open(plan: Plan, wishes: Wishes, forge: Forge) -> tuple[PullRequest, bool]:
    """The pull request, and whether it is new: another run may have opened it since we looked."""
    try:
        return forge.open_pull_request(plan.branch, wishes.base, plan.title, plan.body, draft=wishes.draft), True
    except Refused:
        standing = Standing(forge.pull_requests(plan.branch), is_ours=True)
        verdict = judge(plan, standing, wishes)
        if verdict.open is None:
            raise
        return verdict.open, False


def is_by(author: Author, commit: str, forge: Forge) -> bool:
    """Whether a commit is the bot's; one that a person has amended has another committer. Raises ForgeError."""
    signature = forge.signature(commit)
    return {signature.author, signature.committer} == {author.email}


def _plain(text: str) -> str:
    """As a text comes back that went through a form."""
    return text.replace("\r\n", "\n").rstrip()
