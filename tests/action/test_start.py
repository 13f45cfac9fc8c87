"""How tc-migrate gets into a job: `start.py`, which is run by whatever Python the job has."""

from __future__ import annotations

import ast
import importlib.util
import subprocess
import sys
import venv
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.action.conftest import ACTION, HOUSE, SCRIPT, Checkout


@pytest.fixture
def start() -> ModuleType:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("start", ACTION / "start.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_is_installed_once_for_a_job(start: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[list[str], dict[str, str]]] = []

    def run(words: list[Any], check: bool, env: dict[str, str]) -> None:
        asked.append(([str(word) for word in words], env))
        if "fails" in asked[-1][0][-1]:
            raise subprocess.CalledProcessError(1, words)

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(venv, "create", lambda folder, clear, with_pip: folder.mkdir(exist_ok=True))
    monkeypatch.setenv("RUNNER_TEMP", str(tmp_path))
    monkeypatch.setenv("INPUT_TOKEN", "secret")
    monkeypatch.setenv("PIP_INDEX_URL", "https://index.example")
    assert start.install("tc-migrate==1") == start.install("tc-migrate==1")
    assert start.install("tc-migrate==2").parent != start.install("tc-migrate==1").parent
    (words, variables), _ = asked
    assert words[1:5] == ["-I", "-m", "pip", "install"]
    assert words[-1] == "tc-migrate==1"
    assert "secret" not in variables.values(), "what is installed may run code"
    assert variables["PIP_INDEX_URL"] == "https://index.example"
    for _ in range(2):
        with pytest.raises(subprocess.CalledProcessError):
            start.install("fails")
    assert len(asked) == 4, "what failed is not taken for installed"


def test_the_action_belongs_to_this_project(start: ModuleType) -> None:
    assert start.ROOT == HOUSE


def test_what_cannot_be_installed_is_said(checkout: Checkout) -> None:
    checkout.commit({"train.py": SCRIPT})
    done = checkout.step(version="999.0", variables={"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": ""})
    assert done.code == 2
    assert [each.data for each in done.log.annotations("error")] == ["it could not be installed: see the lines above"]
    assert any("999.0" in line for line in done.log.lines)


def test_any_python_can_read_it() -> None:
    """An old one has to get as far as saying that it is too old."""
    text = (ACTION / "start.py").read_text()
    ast.parse(text, feature_version=(3, 7))
    imported = [node for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.Import, ast.ImportFrom))]
    names = {alias.name for node in imported if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in imported if isinstance(node, ast.ImportFrom)}
    assert names <= sys.stdlib_module_names
