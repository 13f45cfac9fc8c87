"""One repository at GitHub. Each method is a request, or one for each page.

Who calls it decides about trying again: a worker must not wait for an hour. Here that is done for some seconds only, of
what was just made (`settling`). PyGithub paces what is sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from github import Github
from github.Auth import Token
from github.CheckRun import CheckRun as GithubCheckRun
from github.NamedUser import NamedUser
from github.Organization import Organization
from github.PullRequest import PullRequest as GithubPullRequest

from migrate.forge.faults import Missing, told
from migrate.forge.pacing import Pacer
from migrate.forge.settling import Moment, Settling
from migrate.forge.values import CheckRun, PullRequest, Remark, RepositoryFacts, Signature

_WRITERS = frozenset({"write", "maintain", "admin"})
_GREEN = frozenset({"success", "neutral", "skipped"})
"""Results of check runs that hold nobody up."""
_PAGE = 100


class Forge:
    """The requests. Each raises ForgeError."""

    def __init__(
        self,
        repository: str,
        token: str,
        url: str = "https://api.github.com",
        *,
        pause: float = 1.0,
        minted: bool = False,
        pacer: Pacer | None = None,
    ) -> None:
        """`repository`: `owner/name`; `pause`: seconds between writes, of which GitHub wants one at least; `minted`:
        the token is new; `pacer`: shared with others who write there."""
        self.repository, self._made = repository, Moment()
        if minted:
            self._made.set()
        self._pacer = pacer or Pacer(pause)
        github = Github(
            auth=Token(token),
            base_url=url,
            retry=Settling.after(self._made, pause),
            per_page=_PAGE,
            lazy=True,
            seconds_between_requests=min(pause, 0.25),
            seconds_between_writes=0,
        )
        self._github, self._repository = github, github.get_repo(repository)

    def look_up(self) -> RepositoryFacts:
        """What the repository is now."""
        with told("the repository"):
            found = self._repository.complete()
            return RepositoryFacts(
                found.default_branch,
                found.fork,
                found.archived,
                found.disabled,
                found.is_template,
                frozenset(found.topics or ()),
            )

    # --- pull requests ----------------------------------------------------------------------------------------------

    def pull_requests(self, branch: str) -> list[PullRequest]:
        """All that there ever were of a branch of this repository, not of a fork's, the newest first."""
        owner = self.repository.partition("/")[0]
        with told(f"pull requests of {branch}"):
            found = self._repository.get_pulls(state="all", head=f"{owner}:{branch}", sort="created", direction="desc")
            shown = (self._pull_request(each) for each in found)
            return [each for each in shown if each.branch == branch]

    def pull_request(self, number: int) -> PullRequest:
        """One, whoever's it is. Raises Missing when the number is of an issue."""
        with told(f"pull request {number}"):
            return self._pull_request(self._repository.get_pull(number).complete())

    def open_pull_request(self, branch: str, base: str, title: str, body: str, *, draft: bool) -> PullRequest:
        """Open one from a branch of this repository. Raises Refused when there is one already."""
        with self._writing(f"a pull request of {branch}"):
            made = self._repository.create_pull(base, branch, title=title, body=body, draft=draft)
            self._made.set()
            return self._pull_request(made)

    def write_body(self, number: int, body: str) -> None:
        """Give a pull request another body."""
        with self._writing(f"the body of pull request {number}"):
            self._repository.get_pull(number).edit(body=body)

    def close(self, number: int) -> None:
        """Close a pull request."""
        with self._writing(f"closing pull request {number}"):
            self._repository.get_pull(number).edit(state="closed")

    def merge(self, number: int, head: str, method: str) -> None:
        """Merge a pull request by `merge`, `squash` or `rebase`. Raises Refused when its head is another by now, when
        it conflicts, or when the repository's rules do not let it."""
        with self._writing(f"merging pull request {number}"):
            self._repository.get_pull(number).merge(sha=head, merge_method=method)

    def add_labels(self, number: int, labels: Iterable[str]) -> None:
        """Add labels to those that there are; GitHub makes one that it does not know."""
        with self._writing(f"labels of pull request {number}"):
            self._repository.get_issue(number).add_to_labels(*labels)

    def patches(self, number: int) -> dict[str, str]:
        """The patch of each file of a pull request, by path; a file that is too large has none."""
        with told(f"files of pull request {number}"):
            return {file.filename: file.patch for file in self._repository.get_pull(number).get_files() if file.patch}

    # --- what is said -----------------------------------------------------------------------------------------------

    def comments(self, number: int) -> list[Remark]:
        """The conversation of a pull request, the oldest first."""
        with told(f"comments of {number}"):
            found = self._repository.get_issue(number).get_comments()
            return [Remark(each.body or "", "", _login(each.user), each.created_at) for each in found]

    def comment(self, number: int, body: str) -> None:
        """Say something in the conversation of a pull request."""
        with self._writing(f"a comment on {number}"):
            self._repository.get_issue(number).create_comment(body)

    def react(self, comment: int, content: str) -> None:
        """React to a comment of a conversation: `eyes`, `rocket`, `-1` and others. Once is as good as twice."""
        with self._writing(f"a reaction to comment {comment}"):
            self._repository.get_issue(0).get_comment(comment).create_reaction(content)

    def reviews(self, number: int) -> list[Remark]:
        """The reviews of a pull request, the oldest first."""
        with told(f"reviews of pull request {number}"):
            found = self._repository.get_pull(number).get_reviews()
            return [Remark(each.body or "", each.commit_id or "", _login(each.user)) for each in found]

    def review(self, number: int, head: str, body: str, remarks: Sequence[dict[str, Any]]) -> None:
        """Review a head of a pull request with remarks at its lines; it neither approves nor asks for changes."""
        with self._writing(f"a review of pull request {number}"):
            commit = self._repository.get_commit(head)
            comments: list[Any] = list(remarks)
            self._repository.get_pull(number).create_review(commit, body, "COMMENT", comments)

    # --- commits, checks, people ------------------------------------------------------------------------------------

    def signature(self, commit: str) -> Signature:
        """By whom a commit is."""
        with told(f"commit {commit}"):
            found = self._repository.get_commit(commit).commit
            return Signature(found.author.email, found.committer.email)

    def check_runs(self, commit: str, name: str) -> list[CheckRun]:
        """All runs of the check `name` of a commit, the newest first."""
        with told(f"checks of {commit}"):
            found = self._repository.get_commit(commit).get_check_runs(check_name=name, filter="all")
            return sorted(map(_check_run, found), key=lambda each: -each.id)

    def is_green(self, commit: str) -> bool | None:
        """Whether all checks and statuses of a commit are done and none has failed; None when it has none."""
        with told(f"the checks of {commit}"):
            found = self._repository.get_commit(commit)
            results = [run.status == "completed" and run.conclusion in _GREEN for run in found.get_check_runs()]
            status = found.get_combined_status()
            if status.total_count:
                results.append(status.state == "success")
        return all(results) if results else None

    def start_check(self, commit: str, name: str, external_id: str) -> CheckRun:
        """Begin a check run, without a result."""
        with self._writing(f"a check of {commit}"):
            made = self._repository.create_check_run(name, commit, external_id=external_id, status="in_progress")
            self._made.set()
            return _check_run(made)

    def annotate(self, check: int, title: str, summary: str, annotations: Sequence[dict[str, Any]]) -> None:
        """Add annotations to a check run, at most 50."""
        output = {"title": title, "summary": summary, "annotations": list(annotations)}
        with self._writing(f"annotations of check run {check}"):
            self._repository.get_check_run(check).edit(output=output)

    def conclude(
        self, check: int, title: str, summary: str, conclusion: str, actions: Sequence[dict[str, str]] = ()
    ) -> None:
        """Give a check run its result, and buttons: each a `label`, a `description` and an `identifier`."""
        with self._writing(f"the result of check run {check}"):
            self._repository.get_check_run(check).edit(
                status="completed",
                conclusion=conclusion,
                output={"title": title, "summary": summary},
                actions=list(actions),
            )

    def may_write(self, user: str) -> bool:
        """Whether somebody may push to the repository now."""
        try:
            with told(f"the rights of {user}"):
                return self._repository.get_collaborator_permission(user) in _WRITERS
        except Missing:
            return False

    def number_of(self, user: str) -> int:
        """The number of a user, who may be an App: `name[bot]`."""
        with told(f"user {user}"):
            return self._github.get_user(user).id

    @contextmanager
    def _writing(self, doing: str) -> Iterator[None]:
        self._pacer.wait()
        with told(doing):
            yield

    def _pull_request(self, found: GithubPullRequest) -> PullRequest:
        head = found.head
        is_own = head.repo is not None and head.repo.full_name.lower() == self.repository.lower()
        return PullRequest(
            found.number,
            found.state == "open",
            found.merged_at is not None,
            found.base.ref,
            found.body or "",
            frozenset(label.name for label in found.labels),
            head.ref if is_own else "",
            head.sha,
        )


def _login(user: NamedUser | Organization | None) -> str:
    return user.login if user is not None else ""


def _check_run(found: GithubCheckRun) -> CheckRun:
    return CheckRun(found.id, found.external_id or "", found.status == "completed", found.output.annotations_count or 0)
