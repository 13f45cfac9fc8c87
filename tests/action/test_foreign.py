"""A checkout that anybody may have written: none of it becomes a command to the runner, or a module of ours."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from migrate.action import step as action
from migrate.action.inputs import Inputs
from migrate.action.job import Job
from migrate.migration import MigrateError
from migrate.render.report import in_one_line
from tests.action import runner
from tests.action.conftest import SCRIPT, Checkout

COMMANDS = [
    "::error title=owned::owned",
    " \t::add-mask::owned",
    "\u2003::warning file=owned::owned",
    "x##[error]owned",
    "##[add-matcher]owned",
    "::stop-commands::owned",
    "::set-output name=sarif::owned",
    "\x1b[31m::notice::owned",
]
"""What would be obeyed at the beginning of a line, or anywhere in it."""
BREAKS = ["", "\n", "\r", "\r\n", "%0A", "%250A", "\x0b", "\x0c", "\x85", "\u2028", "\x1b[2K\n", "a,line=1::", "a::"]
HOSTILE = [f"{before}{command}" for at, before in enumerate(BREAKS) for command in (COMMANDS * 2)[at % 8 :][:3]]
KERNELS = "import torch\nimport cupy\n\nx = torch.zeros(3).cuda()\nloader = torch.utils.data.DataLoader(x)\n"


def hostile_files() -> dict[str, str | bytes]:
    files: dict[str, str | bytes] = {}
    for number, text in enumerate(HOSTILE):
        files[f"{number}{text}.py" if number % 2 else f"{text}{number}.py"] = KERNELS
        files[f"folder{text}/broken{number}.py"] = f"import torch\nx = torch.zeros(3).cuda()\nif {text}\n"
    files[os.fsdecode(b"::error::caf\xe9.py")] = KERNELS
    return files


def test_the_commands_would_be_obeyed() -> None:
    """Or the other tests say nothing."""
    for command in COMMANDS:
        log = runner.read(command.replace("\x1b[31m", "").encode())
        assert log.commands or log.is_stopped, command


@pytest.mark.parametrize("mode", ["check", "fix"])
def test_no_name_and_no_text_is_a_command(checkout: Checkout, mode: str) -> None:
    files = hostile_files()
    checkout.commit(files)
    done = checkout.step(mode=mode)
    names = {_as_told(name) for name in files}
    assert len(done.log.commands) > len(files), "each file has one at least"
    for command in done.log.commands:
        assert command.name in ("error", "warning", "notice")
        assert command.properties["title"].startswith("tc-migrate")
        assert command.properties.keys() <= {"file", "line", "title"}
        assert command.properties.get("file") in names | {None}
        assert command.properties.get("line", "1").isdigit()
    assert done.outputs["sarif"].startswith(str(checkout.temporary))
    assert "\x1b" not in done.summary


def _as_told(name: str) -> str:
    """A name as the runner has it from an annotation: line breaks and all, but nothing that acts on a terminal."""
    told = "".join(char if char in "\r\n" else in_one_line(char) for char in name)
    return told.encode("utf-8", "backslashreplace").decode()


@pytest.mark.parametrize("text", ["target = {}", "{} = 1", "select = [{}]"])
def test_settings_are_no_command(checkout: Checkout, text: str) -> None:
    settings = text.format(json.dumps("\n".join(["x", *COMMANDS])))
    checkout.commit({"train.py": SCRIPT, "pyproject.toml": f"[tool.tc-migrate]\n{settings}\n"})
    done = checkout.step()
    assert done.code == 2
    (command,) = done.log.commands
    assert (command.name, command.properties) == ("error", {"title": "tc-migrate"})
    assert "owned" in command.data


@pytest.mark.parametrize(
    ("error", "said"), [(RuntimeError, "broke down: the log has the traceback"), (MigrateError, "owned")]
)
def test_a_breakdown_is_no_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, error: type[Exception], said: str
) -> None:
    """What is said of it has the text of whatever file broke it, and may end in the middle of a line."""

    def break_down(inputs: Inputs, job: Job) -> int:
        print("\n".join(HOSTILE), end="")
        raise error("\n".join(HOSTILE))

    monkeypatch.setattr(action, "migrate", break_down)
    monkeypatch.setattr(sys, "stderr", sys.stdout)
    assert action.step({}) == 2
    printed = capsys.readouterr().out
    assert ("Traceback" in printed) is (error is RuntimeError)
    log = runner.read(printed.encode())
    assert not log.is_stopped
    (command,) = log.commands
    assert (command.name, command.properties) == ("error", {"title": "tc-migrate"})
    assert said in command.data


def test_a_module_of_the_checkout_is_not_imported(checkout: Checkout) -> None:
    trap = f"open({str(checkout.temporary / 'trap')!r}, 'w')\n"
    names = (
        "migrate/__init__.py",
        "migrate/action/__main__.py",
        "venv.py",
        "hashlib.py",
        "libcst.py",
        "usercustomize.py",
    )
    checkout.commit({"train.py": SCRIPT, **dict.fromkeys(names, trap)})
    assert checkout.step(variables={"PYTHONPATH": str(checkout.folder)}).outputs["changed"] == "1"
    assert not (checkout.temporary / "trap").exists()
    subprocess.run([sys.executable, "-m", "migrate.action"], cwd=checkout.folder, check=True)
    assert (checkout.temporary / "trap").exists(), "the trap is one"


@pytest.mark.parametrize("paths", [".", "link.py", "*.py", "sub/key.py"])
def test_a_link_that_leaves_the_checkout_is_not_read(checkout: Checkout, paths: str) -> None:
    """The job's token, say: it stood in the summary and in the SARIF, which others may see."""
    outside = checkout.temporary / "key.py"
    outside.write_text(SCRIPT + "SECRET = model\n")
    checkout.commit({"train.py": SCRIPT})
    (checkout.folder / "link.py").symlink_to(outside)
    (checkout.folder / "sub").symlink_to(checkout.temporary)
    done = checkout.step(paths=paths)
    assert done.code == 2
    sarif = Path(done.outputs["sarif"]).read_text() if "sarif" in done.outputs else ""
    assert "SECRET" not in f"{done.summary}{sarif}{done.log}"
    assert any("out of the" in each.data for each in done.log.annotations("error"))


def test_a_link_of_the_checkout_is_not_written_through(checkout: Checkout) -> None:
    outside = checkout.temporary / "outside.py"
    outside.write_text(SCRIPT)
    checkout.commit({"train.py": SCRIPT})
    (checkout.folder / "link.py").symlink_to(outside)
    (checkout.folder / "tc-migrate.sarif").symlink_to(outside)
    done = checkout.step(mode="fix")
    assert done.code == 2
    assert outside.read_text() == SCRIPT
    assert ".to(device)" in (checkout.folder / "train.py").read_text()
