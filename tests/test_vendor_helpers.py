"""The vendor's helpers as they are and as they come out, both run: what they lost is no longer lost."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.goldens import ROOT, Case

KEYS = Case(ROOT / "key_prefix/guide.py")
COPY = Case(ROOT / "exit_status/copy_waited_for.py")
LAUNCHER = Case(ROOT / "exit_status/launcher.py")
STATE = {"model.weight": 1, "bias": 2, "scale": 3, "head.model.weight": 4}


def loaded(source: str) -> Any:
    """What the line that cuts the keys makes of a checkpoint."""
    cut = next(node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.DictComp))
    return eval(ast.unparse(cut), {"state_dict": STATE})


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for stand-ins of commands, first in the path."""
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    return tmp_path


def put(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)


def sync(source: str) -> None:
    space: dict[str, Any] = {}
    exec(source, space)
    space["sync"]("here", "there")


@pytest.mark.parametrize("target", ["smtc", "xla"])
def test_no_key_of_a_checkpoint_is_lost(target: str) -> None:
    assert loaded(KEYS.source) == {"weight": 4, "": 3}
    assert loaded(KEYS.migrated(target).result) == {"weight": 1, "bias": 2, "scale": 3, "head.model.weight": 4}


def test_a_copy_that_fails_is_noticed(commands: Path) -> None:
    put(commands, "aws", "exit 1")
    sync(COPY.source)
    with pytest.raises(subprocess.CalledProcessError):
        sync(COPY.migrated("smtc").result)


def test_a_copy_that_says_much_comes_to_an_end(commands: Path, capfd: pytest.CaptureFixture[str]) -> None:
    put(commands, "aws", "yes copied | head -c 300000; exit 0")
    sync(COPY.migrated("smtc").result)
    assert len(capfd.readouterr().out) > 300_000


def test_arguments_with_spaces_reach_the_training(commands: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The original gives them to a shell, which takes them apart."""
    put(commands, "python", 'for word in "$@"; do echo "[$word]"; done > "$RECORD"')
    record = commands / "record"
    monkeypatch.setenv("RECORD", str(record))
    monkeypatch.setattr("sys.argv", ["launcher.py", "--name", "a b"])
    monkeypatch.setattr("sys.executable", str(commands / "python"))
    exec(LAUNCHER.source, {"__name__": "__main__"})
    assert record.read_text().splitlines()[-3:] == ["[--name]", "[a]", "[b]"]
    exec(LAUNCHER.migrated("smtc").result, {"__name__": "__main__"})
    assert record.read_text().splitlines()[-2:] == ["[--name]", "[a b]"]
