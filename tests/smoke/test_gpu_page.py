"""What docs/gpu-smoke.md hands to a person works, as far as it can be tried without a GPU and an account."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from migrate.cli_smoke import smoke
from migrate.smoke import accelerator
from tests.smoke.test_accelerator import SCRIPT

PAGE = (Path(__file__).parents[2] / "docs" / "gpu-smoke.md").read_text(encoding="utf-8")
ENTRY_POINT, LAUNCHER = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_says_that_no_gpu_has_been_seen() -> None:
    assert "No GPU has been seen" in PAGE


def test_the_containers_python_can_read_them() -> None:
    for text in (ENTRY_POINT, LAUNCHER):
        ast.parse(text, feature_version=(3, 8))


@pytest.mark.parametrize(
    ("status", "written", "ends"), [(0, "{}", 0), (1, "{}", 0), (2, "{}", 0), (2, "", 2), (0, "", 1)]
)
def test_the_entry_point(
    status: int,
    written: str,
    ends: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Its command is one of the tool's; the report comes to the job's artefact whatever the verdict is."""
    called: list[list[str]] = []

    def call(command: list[str], stdout: Any = None) -> int:
        called.append(command)
        if stdout is not None:
            stdout.write(written)
        return status if stdout is not None else 0

    monkeypatch.setattr(subprocess, "check_call", call)
    monkeypatch.setattr(subprocess, "call", call)
    monkeypatch.setattr(sys, "argv", ["prove.py", "--epochs", "1"])
    monkeypatch.setenv("SM_MODEL_DIR", str(tmp_path))
    monkeypatch.setenv("SM_CHANNEL_TRAINING", "/opt/ml/input/data/training")
    names: dict[str, Any] = {"__name__": "prove", "__file__": str(tmp_path / "prove.py")}
    exec(ENTRY_POINT, names)
    with pytest.raises(SystemExit) as ended:
        names["main"]()
    assert ended.value.code == ends
    assert (tmp_path / "smoke.json").read_text() == written
    assert f"exit code of tc-migrate smoke: {status}" in capsys.readouterr().out
    *installs, command = called
    assert all(str(each[0]) == sys.executable for each in installs)
    assert command[:2] == ["/tmp/tc-migrate/bin/tc-migrate", "smoke"]
    assert command[-3:] == ["--", "--epochs", "1"]
    assert "SM_CHANNEL_TRAINING" in command
    (tmp_path / "train.py").write_text(SCRIPT)
    monkeypatch.setattr(accelerator, "has_driver", lambda: False)
    said = CliRunner().invoke(smoke, command[2:], env={"SM_CHANNEL_TRAINING": "x"})
    assert "No such option" not in said.output
    assert "--accelerator cuda: " in said.output, "it is understood, and there is no GPU here"


def test_the_commands_of_the_page_have_only_options_that_there_are() -> None:
    known = {name for parameter in smoke.params for name in parameter.opts}
    for line in PAGE.splitlines():
        if "tc-migrate smoke train.py" in line:
            assert set(re.findall(r"--[a-z-]+", line)) <= known
