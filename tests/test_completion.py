"""Completion: what the shell is told, and that bash, zsh and fish offer it where they are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from codemods.kit.targets import ALL
from migrate.cli import main


def offered(words: list[str], incomplete: str) -> list[str]:
    completion = ShellComplete(main, {}, "tc-migrate", "_TC_MIGRATE_COMPLETE")
    return [item.value for item in completion.get_completions(words, incomplete)]


@pytest.mark.parametrize(
    ("words", "incomplete", "expected"),
    [
        pytest.param([], "sm", "smoke", id="command"),
        pytest.param([], "--stat", "--statistics", id="option"),
        pytest.param(["rules"], "--f", "--format", id="option of a command"),
        pytest.param(["--format"], "sa", "sarif", id="choice"),
        pytest.param(["train.py", "--target"], "torch-xla==2.9", "torch-xla==2.9", id="target behind a path"),
        pytest.param(["smoke", "train.py", "--target"], "smtc==", "smtc==1.12", id="target of a command"),
        pytest.param(["--select"], "optim", "optimizer_step", id="codemod"),
        pytest.param(["--ignore"], "device,TC40", "device,TC401", id="rule behind a comma"),
        pytest.param(["explain"], "tc40", "TC401", id="rule in small letters"),
    ],
)
def test_offers(words: list[str], incomplete: str, expected: str) -> None:
    assert expected in offered(words, incomplete)


def test_offers_paths_beside_commands() -> None:
    completion = ShellComplete(main, {}, "tc-migrate", "_TC_MIGRATE_COMPLETE")
    assert "file" in {item.type for item in completion.get_completions([], "x")}


def test_offers_every_target() -> None:
    assert offered(["--target"], "") == [target.name for target in ALL]


def test_targets_are_offered_without_a_parser() -> None:
    code = "import sys\nfrom migrate.cli_completion import complete_target as c\nc(None, None, '')\n"
    check = f"{code}assert not {{'libcst', 'rich', 'migrate.pipeline'}} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", check], check=True)


# Each loads the completion it is given and asks it for what may follow `tc-migrate --target sm`. zsh has its completion
# functions only at a prompt: those that are called stand here.
SHELLS = {
    "bash": """source "$1"; COMP_WORDS=(tc-migrate --target sm); COMP_CWORD=2; _tc_migrate_completion tc-migrate
        printf "%s\\n" "${COMPREPLY[@]}" """,
    "zsh": """compdef() {}; compadd() { local name=${@[-1]}; print -l -- ${(P)name}; }
        words=(tc-migrate --target sm); CURRENT=3; source "$1"; _tc_migrate_completion""",
    "fish": """source $argv[1]; complete -C 'tc-migrate --target sm'""",
}


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_itself(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    command = tmp_path / "bin" / "tc-migrate"
    command.parent.mkdir()
    command.write_text(f"#!{sys.executable}\nfrom migrate.cli import main\nmain(prog_name='tc-migrate')\n")
    command.chmod(0o755)
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    house = str(Path(__file__).parent.parent)
    environment = {**os.environ, "PATH": path, "PYTHONPATH": house, "HOME": str(tmp_path)}

    def run(words: list[str], **more: str) -> str:
        done = subprocess.run(words, env={**environment, **more}, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout

    source = tmp_path / "completion"
    source.write_text(run(["tc-migrate"], _TC_MIGRATE_COMPLETE=f"{shell}_source"))
    name = [] if shell == "fish" else [shell]
    words = [shell, "-c", SHELLS[shell], *name, str(source)]
    assert "smtc==1.12" in run(words).split()
