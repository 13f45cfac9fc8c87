"""The Action in a runner: `act`, which reads workflows and actions as GitHub does and runs steps on this machine."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import jsonschema
import pytest

from migrate import migrate
from tests.action.conftest import HOUSE, SCRIPT, Checkout
from tests.action.documented import REVISION, others, workflows
from tests.action.test_step import SCHEMA
from tests.bot.hub import Hub
from tests.bot.repositories import commit_files, git
from tests.bot.site import BRANCH, NAME, TOKEN, Site

STUB = """\
name: Copy
inputs: {sarif_file: {}, path: {}, name: {}}
runs:
  using: composite
  steps:
    - shell: bash
      run: cp "$COPIED" "$COPIES/"
      env: {COPIED: "${{ inputs.sarif_file || inputs.path }}"}
"""
"""In place of what uploads a file: it is kept."""


class Act:
    """Runs one workflow of a checkout."""

    def __init__(self, program: str, folder: Path) -> None:
        self.program, self.folder = program, folder
        self.copies = folder / "copies"
        self.copies.mkdir()
        self.house = folder / "house"
        # What the action needs of its repository. act copies it twice for a run.
        for name in (".github", "migrate", "codemods"):
            shutil.copytree(HOUSE / name, self.house / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("pyproject.toml", "README.md"):
            shutil.copy(HOUSE / name, self.house)

    def run(
        self, checkout: Checkout, workflow: str, event: str, payload: Mapping[str, object], **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a workflow for an event. `variables`: of every step."""
        checkout.commit({".github/workflows/one.yml": workflow})
        checkout.git("remote", "add", "origin", f"https://github.com/{NAME}")
        (self.folder / "event.json").write_text(json.dumps(payload))
        local = {"owner/tc-migrate": (REVISION, self.house)}
        for action, revision in others(workflow).items():
            owner, name, *inside = action.split("/")
            stub = self.folder / "stubs" / name
            (stub / "/".join(inside)).mkdir(parents=True)
            (stub / "/".join(inside) / "action.yml").write_text(STUB)
            local[f"{owner}/{name}"] = (revision, stub)
        variables |= {"COPIES": str(self.copies)}
        variables |= {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        words = [
            self.program, event, "--eventpath", str(self.folder / "event.json"), "--defaultbranch", "main",
            "--platform", "ubuntu-latest=-self-hosted", "--no-cache-server", "--action-offline-mode", "--json",
            "--secret", f"GITHUB_TOKEN={TOKEN}",
            *(f"--local-repository={name}@{revision}={path}" for name, (revision, path) in local.items()),
            *(f"--env={name}={value}" for name, value in variables.items()),
        ]  # fmt: skip
        # `python3` in a step is the one that runs this test.
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        home = {"HOME": str(self.folder / "home"), "PATH": path}
        return subprocess.run(words, cwd=checkout.folder, env=home, capture_output=True, text=True, timeout=600)


@pytest.fixture
def act(tool: Callable[[str], str], tmp_path: Path) -> Act:
    """The runner."""
    (tmp_path / "home").mkdir()
    return Act(tool("act"), tmp_path)


def put(workflow: str, changes: Mapping[str, str]) -> str:
    """Replace parts of a workflow, each of which must be there."""
    for old, new in changes.items():
        assert old in workflow
        workflow = workflow.replace(old, new)
    return workflow


def pull_request(repository: str) -> dict[str, object]:
    head = {"ref": "theirs", "repo": {"full_name": repository, "fork": repository != NAME}}
    return {"number": 7, "pull_request": {"number": 7, "head": head, "base": {"ref": "main"}}}


def test_check_as_documented(act: Act, checkout: Checkout) -> None:
    """Nothing is replaced: tc-migrate is installed from the action's own repository."""
    checkout.commit({"train.py": SCRIPT})
    done = act.run(checkout, workflows()["check"], "pull_request", pull_request(NAME))
    assert done.returncode == 1, done.stdout + done.stderr
    assert "::error title=tc-migrate::1 file would be migrated; 1 edit" in done.stdout
    log = json.loads((act.copies / "tc-migrate.sarif").read_text())
    jsonschema.validators.validator_for(SCHEMA)(SCHEMA).validate(log)
    assert log["runs"][0]["properties"]["target"] == "torch-xla==2.9"
    assert len(log["runs"][0]["results"]) == 1


def test_check_passes_where_there_is_nothing_to_do(act: Act, checkout: Checkout) -> None:
    checkout.commit({"train.py": migrate(SCRIPT, target="torch-xla==2.9").result})
    workflow = put(workflows()["check"], {"  target:": "  version: installed\n          target:"})
    done = act.run(checkout, workflow, "pull_request", pull_request("fork/name"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert list(act.copies.iterdir()) == [], "a fork's token cannot upload"


def test_fix_as_documented(act: Act, checkout: Checkout) -> None:
    checkout.commit({"train.py": SCRIPT})
    workflow = put(workflows()["patch"], {"mode: fix\n": "mode: fix\n          version: installed\n"})
    done = act.run(checkout, workflow, "workflow_dispatch", {})
    assert done.returncode == 0, done.stdout + done.stderr
    assert (checkout.folder / "train.py").read_text() == SCRIPT, "act works on a copy"
    checkout.git("apply", str(act.copies / "xla.patch"))
    assert (checkout.folder / "train.py").read_text() == migrate(SCRIPT, target="smtc").result


def test_pr_as_documented(act: Act, checkout: Checkout, site: Site, hub: Hub) -> None:
    commit_files(site.bare, {"train.py": SCRIPT.encode(), "README.md": b"# One\n"})
    workflow = put(workflows()["propose"], {"mode: pr\n": "mode: pr\n          version: installed\n"})
    hubs = {"GITHUB_API_URL": hub.url, "GITHUB_SERVER_URL": hub.url}
    done = act.run(checkout, workflow, "schedule", {}, **hubs)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"opened {hub.url}/{NAME}/pull/1" in done.stdout
    (pull,) = hub.state.pulls.values()
    assert (pull["head"], pull["base"], pull["state"]) == (BRANCH, "main", "open")
    migrated = git(site.bare, "cat-file", "blob", f"{BRANCH}:train.py").decode()
    assert migrated + "\n" == migrate(SCRIPT, target="smtc").result
    assert TOKEN not in done.stdout + done.stderr
