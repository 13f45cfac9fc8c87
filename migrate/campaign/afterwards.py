"""What is done with branches and pull requests that are there: looked at again, merged, closed.

Nothing is migrated here. All of it may be ended anywhere and done again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from migrate.bot.events import BRANCHES
from migrate.bot.git.store import BranchMoved, Store
from migrate.bot.marker import read_marker
from migrate.bot.patience import Patience
from migrate.bot.steps import is_signed
from migrate.campaign.analysis import find_remote
from migrate.campaign.order import Order
from migrate.campaign.record import Record, Stage
from migrate.campaign.sources import Kind
from migrate.campaign.writing import is_by
from migrate.forge.github import Forge
from migrate.forge.values import PullRequest
from migrate.migration import MigrateError

T = TypeVar("T")
_GONE = "its branch is gone"
_THEIRS = "somebody has pushed to its branch"


@dataclass(frozen=True)
class Desk:
    """Where it is done. Each method gives the repository as it is then, and raises ForgeError, GitError, Unwanted."""

    order: Order
    folder: Path
    """For a store; an empty one."""
    patience: Patience

    def refresh(self, record: Record) -> Record:
        """What has become of a repository's branch and pull request. One that nothing was proposed to stays."""
        if not record.proposed:
            return record
        if record.source.kind is not Kind.FORGE or record.number is None:
            return self._refresh_branch(record)
        found = self._find(record)
        if found is None:
            return self._refresh_branch(record)
        known: dict[str, Any] = {
            "number": found.number,
            "url": self.order.place(record.source).pull_request(found.number),
        }
        if not found.is_open:
            return record.reached(Stage.MERGED if found.is_merged else Stage.CLOSED, **known)
        is_ours = found.head == record.tip or self._is_ours(record, found.head)
        return record.reached(Stage.PR if is_ours else Stage.EDITED, "" if is_ours else _THEIRS, **known)

    def merge(self, record: Record, method: str, *, unchecked: bool) -> Record:
        """Merge an open pull request of ours whose checks are green, and delete its branch. `unchecked`: also one that
        has no checks. Of one that is left the reason says why."""
        record = self.refresh(record)
        found = self._find(record) if record.stage is Stage.PR else None
        if found is None:
            return record
        forge = self._forge(record)
        is_green = self._ask(partial(forge.is_green, found.head))
        if not (is_green or (is_green is None and unchecked)):
            reason = "its checks are not green" if is_green is False else "it has no checks: --unchecked merges it"
            return record.reached(Stage.PR, reason)
        self._ask(partial(forge.merge, found.number, found.head, method))
        self._delete(record, found.head)
        return record.reached(Stage.MERGED)

    def close(self, record: Record) -> Record:
        """Close a pull request of ours and delete its branch, or the branch alone. What is a person's is left."""
        record = self.refresh(record)
        if record.stage is Stage.PR and record.number is not None:
            self._ask(partial(self._forge(record).close, record.number))
        elif record.stage not in (Stage.PUSHED, Stage.CLOSED):
            return record
        head = self._head(record)
        if head is not None and (head == record.tip or self._is_ours(record, head)):
            self._delete(record, head)
        return record.reached(Stage.CLOSED)

    def _refresh_branch(self, record: Record) -> Record:
        head = self._head(record)
        if head is None:
            return record.reached(Stage.CLOSED, _GONE)
        if head == record.tip or self._is_ours(record, head):
            return record.reached(Stage.PUSHED)
        return record.reached(Stage.EDITED, _THEIRS)

    def _find(self, record: Record) -> PullRequest | None:
        """Our newest, an open one before all others."""
        found = self._ask(partial(self._forge(record).pull_requests, record.branch))
        ours = [each for each in found if read_marker(each.body) is not None]
        return next((each for each in ours if each.is_open), ours[0] if ours else None)

    def _head(self, record: Record) -> str | None:
        return Store(self.folder).head(find_remote(self.order, record.source), record.branch)

    def _is_ours(self, record: Record, commit: str) -> bool:
        return is_by(self.order.author, commit, Store(self.folder), find_remote(self.order, record.source))

    def _delete(self, record: Record, head: str) -> None:
        """The branch, where it still is: the forge may have deleted it, and a person gone on with it.

        Raises MigrateError for one that no run has made, whatever the state says of it.
        """
        if self._head(record) != head:
            return
        store, remote = Store(self.folder), find_remote(self.order, record.source)
        is_made = is_signed(store.describe(store.fetch(remote, head)).message)
        if not (record.branch.startswith(BRANCHES) and is_made):
            raise MigrateError(f"{record.branch} is no branch that tc-migrate has made: it is not deleted")
        try:
            store.delete(remote, record.branch, head)
        except BranchMoved:
            return

    def _forge(self, record: Record) -> Forge:
        return self.order.place(record.source).forge(self.order.pause)

    def _ask(self, work: Callable[[], T]) -> T:
        return self.patience.do(work)
