"""The bot's job at the GitHub of `emulate`: fetch, plan, publish, report."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from migrate.bot.body import Proposal
from migrate.bot.git.remote import Remote
from migrate.bot.git.store import Store
from migrate.bot.origin import Origin
from migrate.bot.plan import Plan, make_plan
from migrate.bot.publish import Outcome, Work, publish
from migrate.bot.report_check import report_check
from migrate.bot.settings import Settings
from migrate.bot.sources import read_sources
from migrate.bot.standing import Wishes
from migrate.forge.github import Forge
from migrate.forge.tokens import PUBLISH
from migrate.migration import Migration
from tests.bot import githttp
from tests.bot.emulate import INSTALLATION, EmulatedRepository
from tests.bot.migrations import SOURCE, proposal
from tests.bot.repositories import commit_files, git
from tests.bot.site import BOT, BRANCH, ONE

FILES = {"train.py": SOURCE.encode(), "README.md": b"# One\n"}


class TellingServer(githttp.GitServer):
    """The repository at `/owner/name.git` for any token; the emulated GitHub hears of what is pushed."""

    def __init__(self, root: Path, repository: EmulatedRepository, branch: str) -> None:
        super().__init__(root, "")
        self.RequestHandlerClass = _TellingHandler
        self.repository, self.branch = repository, branch


class _TellingHandler(githttp.GitHandler):
    server: TellingServer

    def do_GET(self) -> None:
        self.path = self.path.replace(f"/{self.server.repository.name}.git", f"/{self.server.repository.bare.name}", 1)
        answered = self._run_backend(self._body())
        if self.path.endswith("/git-receive-pack"):
            self.server.repository.tell(self.server.branch)
        self._answer(*answered)

    do_POST = do_GET


@contextmanager
def serve_git(repository: EmulatedRepository, branch: str) -> Iterator[str]:
    """Its address, without a slash at the end, for the time of the block."""
    git(repository.bare, "config", "http.receivepack", "true")
    with TellingServer(repository.bare.parent, repository, branch) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield server.url
        finally:
            server.shutdown()


class TellingStore(Store):
    """A store whose pushes the emulated GitHub hears of."""

    def __init__(self, folder: Path, repository: EmulatedRepository) -> None:
        super().__init__(folder)
        self._repository = repository

    def push(self, remote: Remote, branch: str, commit: str, expected: str | None) -> None:
        super().push(remote, branch, commit, expected)
        self._repository.tell(branch)


class EmulatedSite:
    """A repository with one script, and the bot there."""

    def __init__(self, repository: EmulatedRepository, folder: Path) -> None:
        self.repository, self.folder = repository, folder
        self.base = self.commit("main", FILES)
        self.forge = self.enter(PUBLISH)
        self._runs = 0

    def commit(self, branch: str, files: Mapping[str, bytes]) -> str:
        """Somebody pushes these files."""
        made = commit_files(self.repository.bare, dict(files), branch)
        self.repository.tell(branch)
        return made

    def enter(self, rights: Mapping[str, str]) -> Forge:
        """As a job does: with a token for this repository and these rights."""
        server, name = self.repository.server, self.repository.name
        return Forge(name, server.app.mint(INSTALLATION, name, rights).text, server.url, pause=0)

    def run(self, migrations: Mapping[str, Migration] = ONE) -> Outcome:
        """A whole job: fetch, plan, branch and pull request, check run. Without labels: see test_labels."""
        plan, work = self.plan(migrations)
        done = publish(plan, Wishes("main"), work, self.forge)
        report_check(plan, self.forge)
        return done.outcome

    def plan(self, migrations: Mapping[str, Migration]) -> tuple[Plan, Work]:
        """What is to be published, from a fresh copy of the base."""
        self._runs += 1
        store = TellingStore(self.folder / f"store{self._runs}", self.repository)
        remote = Remote(str(self.repository.bare))
        contents = store.read(store.fetch(remote, "main"))
        origin = Origin(self.repository.name, contents.commit)
        plan = make_plan(migrations, Proposal(origin, proposal().target, "0.1.0"))
        return plan, Work(store, remote, contents, read_sources(contents, Settings()), BOT)

    @property
    def tip(self) -> str:
        """Of the bot's branch."""
        return git(self.repository.bare, "rev-parse", BRANCH).decode()
