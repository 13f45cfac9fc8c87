"""The files of the Action and the workflows of its page, by GitHub's schemas and by zizmor."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from migrate.action.inputs import read_inputs
from tests.action.conftest import ACTION, HOUSE
from tests.action.documented import workflows

DEFINITION = yaml.safe_load((ACTION / "action.yml").read_text())
Tool = Callable[[str], str]


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """The workflows, where GitHub looks for them."""
    folder = tmp_path / ".github" / "workflows"
    folder.mkdir(parents=True)
    for name, text in workflows().items():
        (folder / f"{name}.yml").write_text(text)
    return folder


def check(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True)


def test_the_action_is_as_github_wants_it(tool: Tool, tmp_path: Path) -> None:
    words = (tool("check-jsonschema"), "--builtin-schema", "vendor.github-actions")
    done = check(*words, ACTION / "action.yml")
    assert done.returncode == 0, done.stdout
    (tmp_path / "action.yml").write_text((ACTION / "action.yml").read_text().replace("composite", "shell"))
    assert check(*words, tmp_path / "action.yml").returncode != 0


def test_the_workflows_are_as_github_wants_them(tool: Tool, written: Path) -> None:
    words = (tool("check-jsonschema"), "--builtin-schema", "vendor.github-workflows")
    assert len(list(written.iterdir())) == 3
    done = check(*words, *written.iterdir())
    assert done.returncode == 0, done.stdout


def test_zizmor_finds_nothing(tool: Tool, written: Path) -> None:
    words = (tool("zizmor"), "--offline", "--no-config", "--no-progress")
    done = check(*words, "--strict-collection", ACTION, written.parents[1])
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr.count("completed") == 4
    bad = (ACTION / "action.yml").read_text().replace('"$GITHUB_ACTION_PATH/start.py"', "${{ inputs.paths }}")
    (written.parents[1] / "action.yml").write_text(bad)
    assert "template-injection" in check(*words, written.parents[1]).stdout


def test_no_expression_is_put_into_a_shell() -> None:
    for step in DEFINITION["runs"]["steps"]:
        assert "${{" not in step["run"]
    for text in workflows().values():
        assert not re.search(r"run:.*\$\{\{", text)


def test_every_input_is_handed_on_and_read() -> None:
    (step,) = DEFINITION["runs"]["steps"]
    names = {name: f"INPUT_{name.upper().replace('-', '_')}" for name in DEFINITION["inputs"]}
    assert set(step["env"]) == set(names.values())
    for name, variable in names.items():
        assert f"inputs.{name}" in step["env"][variable]
    asked: set[str] = set()

    class Asked(dict[str, str]):
        def get(self, name: str, default: str = "") -> str:  # type: ignore[override]
            asked.add(name)
            return "exact" if name == "INPUT_SAFETY" else default

    read_inputs(Asked())
    assert asked == set(names.values()) - {"INPUT_VERSION"}
    assert "INPUT_VERSION" in (ACTION / "start.py").read_text()


def test_the_page_has_every_input_and_output() -> None:
    page = (HOUSE / "docs" / "action.md").read_text(encoding="utf-8")
    rows = {
        name for row in re.findall(r"^\| (`.*?) \|", page, flags=re.MULTILINE) for name in re.findall("`(.*?)`", row)
    }
    assert set(DEFINITION["inputs"]) <= rows
    for name in DEFINITION["outputs"]:
        assert f"`{name}`" in page


def test_defaults_are_those_of_the_action() -> None:
    given = {f"INPUT_{name.upper().replace('-', '_')}": each["default"] for name, each in DEFINITION["inputs"].items()}
    inputs = read_inputs(given | {"INPUT_TOKEN": ""})
    assert (inputs.mode, inputs.paths, inputs.folder, inputs.fail_on) == ("check", (".",), ".", "any")
    assert (inputs.target, inputs.select, inputs.ignore, inputs.safety, inputs.base) == (None, (), (), None, "")


def test_only_one_mode_has_a_token() -> None:
    (step,) = DEFINITION["runs"]["steps"]
    assert step["env"]["INPUT_TOKEN"] == "${{ inputs.mode == 'pr' && inputs.token || '' }}"
    assert "token" not in re.sub("INPUT_TOKEN|inputs.token", "", str(step))
