"""How the command ends that the world stops: a sentence, the code that says so, no traceback; and how it starts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_cli import call, folder
from tests.training_script import TRAIN

__all__ = ["folder"]
HOUSE = Path(__file__).parent.parent
SAY = (
    ["--help"],
    ["rules"],
    ["explain", "TC421"],
    ["train.py"],
    ["train.py", "--format", "json"],
    ["facts", "train.py"],
)
EACH = pytest.mark.parametrize("words", SAY, ids=lambda words: " ".join(words))


@pytest.fixture
def script(folder: Path) -> None:
    """`train.py`, in the current folder."""
    Path("train.py").write_text(TRAIN)


def shell(line: str, *words: str, path: str = str(HOUSE)) -> subprocess.CompletedProcess[str]:
    """A line for bash, in which `$TOOL` is the command."""
    tool = " ".join([sys.executable, "-m", "tc_migrate", *words])
    environment = {**os.environ, "PYTHONPATH": path, "TOOL": tool}
    return subprocess.run(["bash", "-c", line], env=environment, capture_output=True, text=True, check=False)


@EACH
def test_a_full_disk_is_trouble(words: list[str], script: None) -> None:
    done = shell("$TOOL > /dev/full", *words)
    assert done.returncode == 2
    assert "Error: standard output, or a file, cannot be written: no space left" in done.stderr
    assert "Traceback" not in done.stderr
    assert shell("$TOOL > /dev/full 2>&1", *words).returncode == 2


@EACH
def test_a_closed_pipe_is_trouble(words: list[str], script: None) -> None:
    done = shell("($TOOL; echo code $? >&2) | exec true", *words)
    # It may be written before `true` has ended.
    assert done.stderr.splitlines()[-1] in ("code 2", "code 0")
    assert "Traceback" not in done.stderr
    done = shell(f"{sys.executable} -c 'import os, sys; r, w = os.pipe(); os.close(r); os.dup2(w, 1);"
                 " os.execv(sys.argv[1], sys.argv[1:])' $TOOL", *words)  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.endswith("Error: who reads standard output has closed it\n")
    assert "Traceback" not in done.stderr


@EACH
def test_closed_streams_are_no_trouble(words: list[str], script: None) -> None:
    done = shell("$TOOL >&- <&-", *words)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert shell("$TOOL 2>&-", *words).returncode == 0


@pytest.mark.parametrize("words", [["train.py"], ["facts", "train.py"], ["verify", "train.py"]])
def test_what_may_not_be_read_is_trouble(words: list[str], script: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """As below a folder that may not be looked into; root may look into each."""

    def refuse(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "is_file", refuse)
    done = call(*words)
    assert done.exit_code == 2
    assert "pyproject.toml: permission denied" in done.stderr


@pytest.mark.parametrize("at", ["migrate.cli", "click", "migrate.cli_run", "libcst", "migrate.engine.judge", "difflib"])
def test_ctrl_c_is_130_from_the_first_instant(at: str, script: None) -> None:
    code = f"""\
import builtins, os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
real = builtins.__import__
def interrupted(name, *more):
    if name == {at!r}:
        builtins.__import__ = real
        os.kill(os.getpid(), signal.SIGINT)
    return real(name, *more)
builtins.__import__ = interrupted
sys.argv = ["tc-migrate", "train.py"]
from tc_migrate.__main__ import main
main()
"""
    variables = {**os.environ, "PYTHONPATH": str(HOUSE)}
    done = subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "stopped\n")


def test_ctrl_c_at_a_question_is_130(script: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*words: object, **more: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("click.termui.visible_prompt_func", interrupt)
    done = call("train.py", "-i")
    assert done.exit_code == 130
    assert done.stderr.endswith("stopped\n")
    assert Path("train.py").read_text() == TRAIN


def test_our_own_fault_is_not_taken_for_a_finding(script: None) -> None:
    code = "import migrate.cli_run as r; r.run = None; from tc_migrate.__main__ import main; main()"
    variables = {**os.environ, "PYTHONPATH": str(HOUSE)}
    done = subprocess.run(
        [sys.executable, "-c", code, "train.py"], env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.endswith("a fault of tc-migrate, not of the scripts: TypeError\n")


# --- the start --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["migrate", "codemods"])
def test_the_users_own_files_are_not_imported(name: str, script: None) -> None:
    Path(f"{name}.py").write_text("raise SystemExit('it was run')\n")
    Path("more").mkdir()
    Path("more/other.py").write_text(TRAIN)
    done = shell("$TOOL", "train.py", "more", "--check", "-j", "2", "--no-cache")
    assert (done.returncode, done.stdout.split()) == (1, ["train.py", "more/other.py"])
    done = shell("$TOOL", "train.py", path=f"{Path.cwd()}:{HOUSE}")
    assert done.returncode == 2
    assert done.stderr.startswith(f"tc-migrate: the package {name!r} would be {Path.cwd() / name}.py, which is not")
    assert done.stderr.count("\n") == 1
