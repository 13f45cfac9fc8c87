"""A repository at the hub, and the bot's job there as far as a pull request: fetch, plan, publish."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from migrate.bot.body import Proposal
from migrate.bot.git.commits import Author
from migrate.bot.git.remote import Remote
from migrate.bot.git.store import Store
from migrate.bot.origin import Origin
from migrate.bot.plan import Plan, make_plan
from migrate.bot.publish import Published, Work, publish
from migrate.bot.report_check import report_check
from migrate.bot.settings import Settings
from migrate.bot.sources import read_sources
from migrate.bot.standing import Wishes
from migrate.forge.github import Forge
from migrate.migration import Migration, Status
from tests.bot.hub import Hub
from tests.bot.migrations import NOTE, RESULT, SOURCE, left, proposal, train
from tests.bot.repositories import commit_files, git, make_bare, make_tree

BOT = Author("tc-migrate[bot]", "1+tc-migrate[bot]@users.noreply.github.com")
NAME = "owner/name"
BRANCH = "tc-migrate/smtc"
TOKEN = "ghs_" + "s3cret" * 6
ONE = {"train.py": train()}
_NOTES = tuple(replace(NOTE, message=f"kernel {number}") for number in range(119))
MANY = {"train.py": train(notes=_NOTES)}
OTHER = {"train.py": replace(train(), result=RESULT + "done = True\n")}
NOTHING = {"train.py": left("train.py", Status.UNCHANGED, "")}


class Site:
    """The repository, and runs of the bot, each with nothing left of the one before."""

    def __init__(self, hub: Hub, folder: Path) -> None:
        self.hub, self.folder = hub, folder
        self.bare = make_bare(hub.root / f"{NAME}.git")
        self.reset_base()
        hub.state.repositories.append(NAME)
        hub.allow(TOKEN, NAME, contents="write", pull_requests="write", checks="write")
        self.forge = Forge(NAME, TOKEN, hub.url, pause=0)
        self._runs = 0

    def run(self, migrations: Mapping[str, Migration] = ONE, **wishes: Any) -> Published:
        """A whole job."""
        plan, work = self.plan(migrations)
        published = publish(plan, Wishes("main", labels=("tc-migrate",), **wishes), work, self.forge)
        report_check(plan, self.forge)
        return published

    def plan(self, migrations: Mapping[str, Migration] = ONE) -> tuple[Plan, Work]:
        """What is to be published, from a fresh copy of the base."""
        self._runs += 1
        store, remote = Store(self.folder / f"store{self._runs}"), Remote(self.hub.git(NAME), TOKEN)
        contents = store.read(store.fetch(remote, "main"))
        plan = make_plan(migrations, Proposal(Origin(NAME, contents.commit), proposal().target, "0.1.0"))
        return plan, Work(store, remote, contents, read_sources(contents, Settings()), BOT)

    def reset_base(self) -> None:
        """The base as it was at first."""
        commit_files(self.bare, {"train.py": SOURCE.encode(), "README.md": b"# One\n"})

    def move_base(self) -> str:
        """Somebody merges something else."""
        return commit_files(self.bare, {"train.py": SOURCE.encode(), "README.md": b"# Two\n"})

    def push_as_person(self, **variables: str) -> str:
        """Somebody adds a commit to the bot's branch."""
        tree = make_tree(self.bare, [("100644", "train.py", b"mine = 1\n")])
        commit = git(self.bare, "commit-tree", "-p", BRANCH, "-m", "mine", tree, **variables).decode()
        git(self.bare, "update-ref", f"refs/heads/{BRANCH}", commit)
        return commit

    @property
    def tip(self) -> str:
        """Of the bot's branch."""
        return self.hub.state.tip(NAME, BRANCH)

    @property
    def standing(self) -> dict[str, Any]:
        """All that anybody can see."""
        state = self.hub.state
        return {"tip": self.tip, "pulls": state.pulls, "comments": state.comments, "checks": state.checks,
                "reviews": state.reviews}  # fmt: skip
