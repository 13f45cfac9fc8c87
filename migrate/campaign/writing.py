"""Bringing a proposal about: a branch, and where it is asked for a pull request. It runs in a child, one at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from migrate.bot.git.commits import Author
from migrate.bot.git.remote import GitError, Remote
from migrate.bot.git.store import BranchMoved, Store
from migrate.bot.marker import read_marker
from migrate.bot.plan import Plan, tell_refusal
from migrate.bot.publish import Outcome, Work, publish
from migrate.bot.standing import Wishes
from migrate.campaign.analysis import find_remote
from migrate.campaign.order import Order
from migrate.campaign.proposal import Note, Proposal, read_proposal
from migrate.campaign.record import Record, Stage
from migrate.campaign.sources import Kind
from migrate.campaign.trouble import tell_error, tell_trouble
from migrate.forge.faults import ForgeError
from migrate.forge.github import Forge

_MOST = 3
"""Attempts at a branch that moves."""
_DONE = {
    Outcome.OPENED: Stage.PR,
    Outcome.UPDATED: Stage.PR,
    Outcome.UNCHANGED: Stage.PR,
    Outcome.CLOSED: Stage.CLOSED,
    Outcome.NOTHING: Stage.ANALYSED,
    Outcome.HANDED_OFF: Stage.EDITED,
}


def bring_about(order: Order, record: Record, folder: Path) -> Note:
    """What came of it. Raises Postpone at a limit of the forge."""
    proposal = read_proposal(folder)
    for attempt in range(1, _MOST + 1):
        try:
            work = proposal.work(folder, find_remote(order, record.source), order)
            if order.opens(record.source):
                return _publish(order, record, proposal, work)
            return _push(proposal.plan, work, force=order.request.force)
        except BranchMoved as error:
            if attempt == _MOST:
                return tell_error("moved", str(error), retryable=True)
        except GitError as error:
            return tell_error("git", str(error), retryable=record.source.kind is not Kind.LOCAL)
        except ForgeError as error:
            return tell_trouble(error)
    raise AssertionError("unreachable")


def is_by(author: Author, commit: str, store: Store, remote: Remote) -> bool:
    """Whether a commit of another repository is ours; one that a person has amended has another committer."""
    facts = store.describe(store.fetch(remote, commit))
    return {facts.author.email, facts.committer.email} == {author.email}


def _publish(order: Order, record: Record, proposal: Proposal, work: Work) -> Note:
    forge, plan = order.place(record.source).forge(order.pause), proposal.plan
    request = order.request
    wishes = Wishes(proposal.base, proposal.draft, proposal.labels, request.anew, request.force)
    published = publish(plan, wishes, work, forge)
    known: dict[str, Any] = {"reason": published.reason, "branch": plan.branch}
    if published.outcome is Outcome.SILENT:
        return _find_silenced(order, record, plan, forge, known)
    if published.number is not None:
        known |= {"number": published.number, "url": order.place(record.source).pull_request(published.number)}
    stage = _DONE[published.outcome]
    if stage is Stage.PR:
        known["tip"] = _tip(plan, work)
    return Note(stage.value, known, opened=published.outcome is Outcome.OPENED)


def _find_silenced(order: Order, record: Record, plan: Plan, forge: Forge, known: dict[str, Any]) -> Note:
    """The pull request that says all there is to say: it was closed, or merged."""
    for each in forge.pull_requests(plan.branch):
        marker = read_marker(each.body)
        is_it = marker is not None and marker.changes == plan.marker.changes and not plan.is_empty
        if not each.is_open and (is_it or tell_refusal(each) == plan.held_by):
            stage = Stage.MERGED if each.is_merged else Stage.CLOSED
            url = order.place(record.source).pull_request(each.number)
            return Note(stage.value, {**known, "number": each.number, "url": url})
    return Note(Stage.CLOSED.value, known)


def _push(plan: Plan, work: Work, *, force: bool) -> Note:
    """The branch alone. One that a person has gone on with is left."""
    tip, found = _tip(plan, work), work.store.head(work.remote, plan.branch)
    known = {"branch": plan.branch, "tip": tip}
    if found not in (None, tip) and not force and not is_by(work.author, str(found), work.store, work.remote):
        reason = f"{plan.branch} has commits that are not the bot's"
        return Note(Stage.EDITED.value, {"branch": plan.branch, "reason": reason})
    if found != tip:
        work.store.push(work.remote, plan.branch, tip, expected=found)
    return Note(Stage.PUSHED.value, known)


def _tip(plan: Plan, work: Work) -> str:
    return work.store.write(work.contents, list(work.sources.drafts(plan.steps)), work.author)
