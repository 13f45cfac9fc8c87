"""A hub where the App is installed, and its jobs there: each is what a worker does, in this process."""

from __future__ import annotations

import copy
from functools import cache
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from migrate import migrate
from migrate.bot.app_work import AppConfig, AppWork
from migrate.bot.events import read_event
from migrate.bot.jobs import Claim, Job, Outcome
from tests.bot import payloads
from tests.bot.hub import Hub
from tests.bot.repositories import commit_files, git, make_bare, make_tree
from tests.bot.test_survey import SCRIPT

NAME = "octo/train"
BRANCH = "tc-migrate/smtc"
SETTINGS = ".github/tc-migrate.yml"
PR = {SETTINGS: b"mode: pr\n"}
FILES = {"train.py": SCRIPT, "README.md": b"# One\n"}
BOT_MAIL = "4711+tc-migrate[bot]@users.noreply.127.0.0.1"


@cache
def make_key() -> tuple[str, bytes]:
    """A private key as PEM text, and the public one."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return private.decode(), public


def migrated(source: bytes = SCRIPT, target: str = "smtc") -> bytes:
    """What the tool makes of a script given by itself."""
    return migrate(source.decode(), target=target).result.encode()


class AppSite:
    """One repository where the App is installed, and whoever works there."""

    def __init__(self, hub: Hub, folder: Path) -> None:
        private, public = make_key()
        hub.apps[7] = public
        hub.state.repositories.append(NAME)
        hub.state.permissions = {"alice": "write", "mallory": "read"}
        self.hub, self.folder = hub, folder
        self.bare = make_bare(hub.root / f"{NAME}.git")
        self.config = AppConfig(
            app_id=7, key=private, name="tc-migrate", api=hub.url, web=hub.url, folder=folder / "work", pause=0
        )
        self.work = AppWork(self.config)

    def commit(self, files: dict[str, bytes], branch: str = "main") -> str:
        """The whole of a commit, the first of its branch."""
        return commit_files(self.bare, files, branch)

    def do(self, event: str, payload: dict[str, Any]) -> Outcome:
        """What a delivery asks for."""
        (job,) = read_event(event, payload).jobs
        return self.do_job(job)

    def do_job(self, job: Job) -> Outcome:
        return self.work(Claim(1, job, 1, "lease"))

    def push(self, **more: Any) -> Outcome:
        """Somebody has pushed to the default branch."""
        return self.do("push", payloads.push(NAME, **more))

    def say(self, words: str, number: int = 1, login: str = "alice", id: int = 99) -> Outcome:
        """Somebody comments."""
        return self.do("issue_comment", payloads.comment(f"/tc-migrate {words}", NAME, number, login, id))

    def press(self, commit: str, login: str = "alice") -> Outcome:
        """Somebody presses the button of the check."""
        asked = {"action": "requested_action", "requested_action": {"identifier": "open-pr"}}
        run = {"check_run": {"name": "tc-migrate", "head_sha": commit}}
        sender = {**payloads.PERSON, "login": login}
        return self.do("check_run", {**payloads.payload(NAME, sender), **asked, **run})

    def close(self, number: int = 1) -> Outcome:
        """Somebody has closed or merged a pull request of the bot's."""
        payload = payloads.closed(NAME, self.hub.state.pulls[number]["head"], NAME)
        return self.do("pull_request", {**payload, "number": number})

    def open_pull(self, files: dict[str, bytes], *, fork: bool = False, number: int = 50) -> str:
        """Somebody's pull request, and its head."""
        head = self.commit(files, "feature")
        git(self.bare, "update-ref", f"refs/pull/{number}/head", head)
        where = NAME
        if fork:
            git(self.bare, "update-ref", "-d", "refs/heads/feature")
            where = "mallory/train"
        self.hub.state.pulls[number] = {
            "number": number, "state": "open", "merged_at": None, "labels": [], "draft": False, "title": "Mine",
            "body": "mine", "head": "feature", "base": "main", "repository": NAME, "head_repository": where,
            "sha": head,
        }  # fmt: skip
        added = b"".join(b"+" + line + b"\n" for line in files["train.py"].splitlines()).decode()
        patch = f"@@ -0,0 +1,{files['train.py'].count(10)} @@\n{added}"
        self.hub.state.files[number] = [{"filename": "train.py", "patch": patch}]
        return head

    def push_as_person(self) -> str:
        """Somebody adds a commit to the bot's branch."""
        tree = make_tree(self.bare, [("100644", "train.py", b"mine = 1\n")])
        commit = git(self.bare, "commit-tree", "-p", BRANCH, "-m", "mine", tree).decode()
        git(self.bare, "update-ref", f"refs/heads/{BRANCH}", commit)
        return commit

    def merge(self, number: int = 1) -> None:
        """Somebody merges the bot's pull request."""
        pull = self.hub.state.pulls[number]
        git(self.bare, "update-ref", "refs/heads/main", self.tip)
        pull.update(state="closed", merged_at="2026-01-01T00:00:00Z")

    def held(self, path: str = "train.py", branch: str = BRANCH) -> bytes:
        """The bytes of a file of a branch."""
        return git(self.bare, "cat-file", "blob", f"{branch}:{path}") + b"\n"

    @property
    def tip(self) -> str:
        """Of the bot's branch."""
        return self.hub.state.tip(NAME, BRANCH)

    @property
    def standing(self) -> dict[str, Any]:
        """All that anybody can see."""
        state = self.hub.state
        return {"tip": self.tip, "pulls": state.pulls, "comments": state.comments, "checks": state.checks,
                "reviews": state.reviews, "reactions": state.reactions}  # fmt: skip


class Snapshot:
    """What anybody can see at a moment, to go back to."""

    def __init__(self, app: AppSite) -> None:
        self.app, self._standing = app, copy.deepcopy(app.standing)

    def restore(self) -> None:
        """As if nothing had happened since."""
        standing = copy.deepcopy(self._standing)
        tip = standing.pop("tip")
        git(self.app.bare, "update-ref", *([f"refs/heads/{BRANCH}", tip] if tip else ["-d", f"refs/heads/{BRANCH}"]))
        for name, value in standing.items():
            setattr(self.app.hub.state, name, value)
