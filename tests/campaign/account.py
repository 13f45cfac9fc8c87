"""An account at the fake forge, and campaigns over its repositories."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.bot.hub import Hub
from tests.bot.repositories import commit_files, git, make_bare, make_tree
from tests.campaign.fleet import BRANCH, SCRIPT

OWNER = "octo"
TOKEN = "ghs_" + "s3cret" * 6
PULLS = "POST /repos/{owner}/{repo}/pulls"


class Account:
    """Repositories `octo/r0`, `octo/r1` and so on, and a token for all of them."""

    def __init__(self, hub: Hub, folder: Path, size: int) -> None:
        self.hub, self.folder = hub, folder / "work"
        self.folder.mkdir()
        self.names = [f"{OWNER}/r{number}" for number in range(size)]
        for name in self.names:
            self.add(name)
        hub.allow(TOKEN, f"{OWNER}/*", contents="write", pull_requests="write", checks="read", statuses="read")

    def add(self, name: str, **facts: Any) -> None:
        """One more repository."""
        make_bare(self.hub.root / f"{name}.git")
        self.commit(name)
        self.hub.state.repositories.append(name)
        self.hub.state.facts[name] = facts

    def commit(self, name: str, more: str = "") -> None:
        """Somebody changes its script."""
        text = SCRIPT.replace("lr=0.1", f"lr=0.{name.rpartition('r')[2]}1") + more
        commit_files(self.bare(name), {"train.py": text.encode(), "README.md": b"# One\n"})

    def bare(self, name: str) -> Path:
        """Where a repository is."""
        return self.hub.root / f"{name}.git"

    def push_as_person(self, name: str) -> str:
        """Somebody adds a commit to our branch."""
        tree = make_tree(self.bare(name), [("100644", "train.py", b"mine = 1\n")])
        commit = git(self.bare(name), "commit-tree", "-p", BRANCH, "-m", "mine", tree).decode()
        git(self.bare(name), "update-ref", f"refs/heads/{BRANCH}", commit)
        return commit

    def start(self, *words: str) -> subprocess.Popen[str]:
        """The command `campaign`, with the token in its environment."""
        known = {"GITHUB_TOKEN": TOKEN, "GITHUB_API_URL": self.hub.url, "GITHUB_SERVER_URL": self.hub.url}
        environment = {name: text for name, text in os.environ.items() if not name.startswith(("GITHUB_", "GH_"))}
        return subprocess.Popen(
            [sys.executable, "-m", "migrate.cli", "campaign", *words],
            cwd=self.folder,
            env={**environment, **known, "PYTHONPATH": str(Path(__file__).parents[2])},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def call(self, *words: str, code: int = 0, given: str = "") -> dict[str, dict[str, Any]]:
        """Run it to the end. The repositories by name, as the JSON report has them."""
        process = self.start(*words, "--format", "json")
        said, self.told = process.communicate(given, timeout=300)
        assert process.returncode == code, self.told
        assert TOKEN not in said + self.told
        return {row["name"]: row for row in json.loads(said)["repositories"]}

    def run(self, *words: str, code: int = 0) -> dict[str, dict[str, Any]]:
        """A run without pauses between writes."""
        return self.call("xla", *words, "--pause", "0", code=code)

    @property
    def pulls(self) -> dict[str, list[dict[str, Any]]]:
        """Pull requests at the forge, by repository."""
        found: dict[str, list[dict[str, Any]]] = {}
        for pull in self.hub.state.pulls.values():
            found.setdefault(pull["repository"], []).append(pull)
        return found
