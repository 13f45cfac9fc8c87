"""A checkout in which the Action's step runs, and the hub of the bot's tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.action import runner
from tests.bot.conftest import hub, site

__all__ = ["hub", "site"]
HOUSE = Path(__file__).parents[2]
ACTION = HOUSE / ".github" / "actions" / "tc-migrate"
SCRIPT = "import torch\n\nmodel = torch.nn.Linear(3, 3).cuda()\n"


@dataclass(frozen=True)
class Done:
    """What came of a step."""

    code: int
    log: runner.Log
    outputs: dict[str, str]
    summary: str


class Checkout:
    """A repository as `actions/checkout` leaves it, and the runner's files beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "work"
        self.temporary = folder / "temp"
        for each in (self.folder, self.temporary):
            each.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *words: str) -> str:
        """git in the checkout, of nobody in particular."""
        who = ("-c", "user.name=someone", "-c", "user.email=someone@example.com")
        done = subprocess.run(["git", *who, *words], cwd=self.folder, check=True, capture_output=True, text=True)
        return done.stdout

    def commit(self, files: Mapping[str, str | bytes]) -> None:
        """Commit these files."""
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "made")

    def step(self, *, variables: Mapping[str, str] = {}, **inputs: str) -> Done:
        """The Action's step as the runner starts it, with the tc-migrate that is installed here."""
        output, summary = self.temporary / "output", self.temporary / "summary"
        for file in (output, summary):
            file.write_text("")
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.temporary),
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(self.folder),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(summary),
            "RUNNER_TEMP": str(self.temporary),
            "INPUT_VERSION": "installed",
            **{f"INPUT_{name.upper()}": value for name, value in inputs.items()},
            **variables,
        }
        words = [sys.executable, "-I", str(ACTION / "start.py")]
        # Two pipes, as the runner has them.
        done = subprocess.run(words, cwd=self.folder, env=environment, capture_output=True)
        assert done.stderr == b""
        log = runner.read(done.stdout)
        assert not log.is_stopped
        return Done(done.returncode, log, runner.read_outputs(output.read_text()), summary.read_text())


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """An empty repository."""
    return Checkout(tmp_path)


@pytest.fixture(scope="session")
def tool() -> Callable[[str], str]:
    """Where a program is that the `test` extra installs. Without it a test is skipped, but never in CI."""

    def find(name: str) -> str:
        found = shutil.which(name, path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
        if found is None and os.environ.get("CI"):
            pytest.fail(f"{name} is missing")
        return found or pytest.skip(f"{name} is missing: pip install -e '.[test]'")

    return find
