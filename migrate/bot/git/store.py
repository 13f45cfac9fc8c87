"""A bare repository of the bot's own: commits are fetched into it, read, added to, and pushed from it.

Files never touch the disk as files, so links, hooks, filters, submodules and odd names have nothing to act on. git is
run by `process`: GitPython hands the bot's whole environment on to each git that it runs, and its own reader of objects
is deprecated for its security. So it only judges addresses, in `remote`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from migrate.bot.git.commits import Author, CommitFacts, Draft, stream
from migrate.bot.git.contents import Contents, Entry, File, Limits, choose, is_script, parse_listing
from migrate.bot.git.process import run_git
from migrate.bot.git.remote import GitError, Remote

_FETCHED = "refs/tc-migrate/fetched"
_WRITTEN = "refs/tc-migrate/written"
_ODD = re.compile(r"[<>\x00-\x1f]")
_ID = re.compile(r"[0-9a-f]{40}")
# Of a repository on this machine its own programs are not run either: the owner did not ask for that.
_TAME = "git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c core.alternateRefsCommand=true -c gc.auto=0"
_UPLOAD = f"--upload-pack={_TAME} upload-pack"
# Nor is a working tree touched, whatever its owner has set for pushes.
_RECEIVE = f"--receive-pack={_TAME} -c receive.denyCurrentBranch=refuse -c receive.autogc=false receive-pack"


class BranchMoved(GitError):
    """A branch is not where it was when it was looked at. Nothing was pushed."""


class Store:
    """The repository. One process works on it at a time. One that is killed may leave locks: then make another."""

    def __init__(self, folder: Path, limits: Limits | None = None) -> None:
        """Make it in `folder`, or go on with the one that is there. Raises GitError."""
        self.folder = folder.absolute()
        self.limits = limits or Limits()
        if not (self.folder / "HEAD").exists():
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise GitError(f"{folder}: {error.strerror}") from error
            self._git("init", "--bare", "--quiet", "--template=")

    # --- from and to other repositories -----------------------------------------------------------------------------

    def fetch(self, remote: Remote, what: str) -> str:
        """Bring one commit here, without its history, and give its id. `what`: a branch, or a commit's id."""
        source = what if _ID.fullmatch(what) else self._ref(what)
        words = ["--depth=1", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--no-auto-maintenance"]
        local = [_UPLOAD] if remote.protocol == "file" else []
        self._git("fetch", "--quiet", *words, *local, "--", remote.url, f"+{source}:{_FETCHED}", remote=remote)
        return self._commit(_FETCHED)

    def head(self, remote: Remote, branch: str) -> str | None:
        """The commit a branch of another repository is at; None when there is no such branch."""
        ref = self._ref(branch)
        local = [_UPLOAD] if remote.protocol == "file" else []
        said = self._git("ls-remote", "--quiet", *local, "--", remote.url, ref, remote=remote)
        for line in said.decode("utf-8", "replace").splitlines():
            id, _, name = line.partition("\t")
            if name == ref and _ID.fullmatch(id):
                return id
        return None

    def heads(self, remote: Remote, prefix: str) -> dict[str, str]:
        """The branches of another repository whose names begin so, and the commits they are at."""
        local = [_UPLOAD] if remote.protocol == "file" else []
        pattern = f"{self._ref(prefix.rstrip('/'))}/*"
        said = self._git("ls-remote", "--quiet", *local, "--", remote.url, pattern, remote=remote)
        rows = (line.partition("\t") for line in said.decode("utf-8", "replace").splitlines())
        return {name.removeprefix("refs/heads/"): id for id, _, name in rows if _ID.fullmatch(id)}

    def default_branch(self, remote: Remote) -> str | None:
        """The branch that a repository shows first; None when it has no commit there. Raises GitError for a `HEAD`
        that is no branch."""
        local = [_UPLOAD] if remote.protocol == "file" else []
        said = self._git("ls-remote", "--quiet", "--symref", *local, "--", remote.url, "HEAD", remote=remote)
        lines = said.decode("utf-8", "replace").splitlines()
        if not lines:
            return None
        named = re.fullmatch(r"ref: refs/heads/(.+)\tHEAD", lines[0])
        if named is None:
            raise GitError("its HEAD is no branch")
        return named[1]

    def push(self, remote: Remote, branch: str, commit: str, expected: str | None) -> None:
        """Put a branch of another repository at `commit`, if it still is at `expected` (None: if there is none).

        Raises BranchMoved when it is elsewhere.
        """
        self._push(remote, branch, commit, expected or "")

    def delete(self, remote: Remote, branch: str, expected: str) -> None:
        """Delete a branch of another repository, if it still is at `expected`. Raises BranchMoved."""
        self._push(remote, branch, "", expected)

    # --- what a commit holds ----------------------------------------------------------------------------------------

    def read(self, commit: str, wanted: Callable[[str], bool] = is_script) -> Contents:
        """The scripts of a commit that was fetched. `wanted` is asked the path of each file."""
        listing = self._git("ls-tree", "-r", "-z", "-l", "--full-tree", commit, largest=self.limits.list_bytes)
        chosen, skipped = choose(parse_listing(listing), self.limits, wanted)
        files = {entry.path: File(entry.path, entry.mode, data) for entry, data in self._blobs(chosen)}
        return Contents(commit, files, skipped)

    def read_file(self, commit: str, path: str) -> bytes | None:
        """One regular file of a commit, by its path; None when there is none. Raises GitError when it is too large."""
        listing = self._git("ls-tree", "-r", "-z", "-l", "--full-tree", commit, "--", path)
        chosen, skipped = choose(parse_listing(listing), self.limits, lambda name: name == path)
        if path in skipped:
            raise GitError(f"{path}: {skipped[path]}")
        return next((data for _, data in self._blobs(chosen)), None)

    def describe(self, commit: str) -> CommitFacts:
        """Who a commit is by and what it says."""
        form = "--format=%an%x00%ae%x00%cn%x00%ce%x00%ct%x00%P%x00%B"
        said = self._git("log", "--max-count=1", form, "--end-of-options", commit)
        *people, seconds, parents, message = said.decode("utf-8", "replace").split("\0", 6)
        names = [_ODD.sub("?", text) or "?" for text in people]
        author, committer = Author(*names[:2]), Author(*names[2:])
        return CommitFacts(author, committer, message.rstrip("\n"), int(seconds or 0), tuple(parents.split()))

    # --- commits of our own -----------------------------------------------------------------------------------------

    def write(self, base: Contents, drafts: Sequence[Draft], author: Author) -> str:
        """Make the commits, the first on `base`, and give the id of the last.

        They have the date of the base: the same drafts on the same base are the same commits, whenever and wherever
        they are made. Raises ValueError for a file that is not in `base`.
        """
        given = stream(_WRITTEN, base, self.describe(base.commit).seconds, drafts, author)
        self._git("fast-import", "--quiet", "--force", "--done", given=given)
        return self._commit(_WRITTEN)

    # --- how --------------------------------------------------------------------------------------------------------

    def _blobs(self, entries: Sequence[Entry]) -> list[tuple[Entry, bytes]]:
        if not entries:
            return []
        asked = "".join(f"{entry.id}\n" for entry in entries).encode()
        room = self.limits.total_bytes + 100 * (len(entries) + 1)
        said = self._git("cat-file", "--batch", "--buffer", given=asked, largest=room)
        found: list[tuple[Entry, bytes]] = []
        start = 0
        for entry in entries:
            answer = b"%b blob %d\n" % (entry.id.encode(), entry.size)
            end = start + len(answer) + entry.size
            if not said.startswith(answer, start) or not said.startswith(b"\n", end):
                raise GitError(f"git cat-file: {entry.path!r} is not what the list of files says")
            found.append((entry, said[start + len(answer) : end]))
            start = end + 1
        return found

    def _push(self, remote: Remote, branch: str, commit: str, expected: str) -> None:
        ref = self._ref(branch)
        words = ["--porcelain", "--no-verify", "--no-recurse-submodules", f"--force-with-lease={ref}:{expected}"]
        local = [_RECEIVE] if remote.protocol == "file" else []
        try:
            self._git("push", *words, *local, "--", remote.url, f"{commit}:{ref}", remote=remote)
        except GitError as error:
            if "(stale info)" in str(error):
                raise BranchMoved(f"{branch} has moved since it was looked at") from error
            raise

    def _commit(self, ref: str) -> str:
        return self._git("rev-parse", "--verify", "--end-of-options", f"{ref}^{{commit}}").decode().strip()

    def _ref(self, branch: str) -> str:
        ref = f"refs/heads/{branch}"
        try:
            self._git("check-ref-format", ref)
        except (GitError, ValueError) as error:
            raise GitError(f"{branch!r} is no name of a branch") from error
        return ref

    def _git(self, *words: str, remote: Remote | None = None, given: bytes = b"", largest: int | None = None) -> bytes:
        limits = self.limits
        largest = limits.fetch_bytes if largest is None else largest
        return run_git(words, self.folder, remote=remote, given=given, seconds=limits.seconds, largest=largest)
