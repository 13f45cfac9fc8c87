"""The words of a command line that mean nothing, and those that were meant for others."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.test_cli import call, folder
from tests.training_script import TRAIN

__all__ = ["folder"]


@pytest.fixture
def script(folder: Path) -> None:
    """`train.py`, in the current folder."""
    Path("train.py").write_text(TRAIN)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["train.py", "--target", ""], "--target is empty"),
        (["train.py", "--target="], "--target is empty"),
        (["train.py", "--select", ""], "--select is empty"),
        (["train.py", "--select", ","], "'--select': it names nothing"),
        (["train.py", "--ignore", " "], "'--ignore': it names nothing"),
        (["train.py", "--report="], "--report is empty"),
        (["train.py", "-i", ""], "-i is empty"),
        (["", "--write"], "one of the words is empty"),
        (["smoke", "train.py", "--target", ""], "--target is empty"),
        (["verify", "train.py", "--target", ""], "--target is empty"),
        (["doctor", ""], "one of the words is empty"),
    ],
)
def test_an_empty_word_is_not_taken_for_none(words: list[str], said: str, script: None) -> None:
    done = call(*words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr
    assert Path("train.py").read_text() == TRAIN


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["fact", "train.py"], "the nearest command is 'facts'"),
        (["explian", "TC421"], "the nearest command is 'explain'"),
        (["--target", "smtc", "facts", "train.py"], "'facts' is a command, and goes first"),
    ],
)
def test_an_unknown_command_gets_a_suggestion(words: list[str], said: str, script: None) -> None:
    done = call(*words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr


def test_a_file_called_like_a_command_is_a_file(script: None) -> None:
    Path("fact").write_text(TRAIN)
    assert call("fact").exit_code == 0
    assert "no such file" in call("trian.py").stderr


@pytest.mark.parametrize("command", [["train.py"], ["smoke", "train.py"], ["verify", "train.py"]])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("target = 'foo'", "target: unknown target 'foo'"),
        ("target = ''", "target: unknown target ''"),
        ("select = ['TX']", "select: no codemod or rule is called 'TX'"),
        ("models = 'none'", "models: "),
        ("[tool.tc-migrate.per-file-ignores]\n'a.py' = ['TX']", "per-file-ignores of 'a.py': no codemod"),
    ],
)
def test_a_wrong_configuration_names_its_file(command: list[str], text: str, said: str, script: None) -> None:
    Path("pyproject.toml").write_text(f"[tool.tc-migrate]\n{text}\n")
    done = call(*command)
    assert done.exit_code == 2
    assert f"Error: {Path.cwd() / 'pyproject.toml'}: {said}" in done.stderr


def test_a_link_to_nowhere_is_no_failure_of_a_folder(script: None) -> None:
    Path("more.py").symlink_to("nowhere.py")
    assert call(".").exit_code == 0
    assert "no such file" in call("more.py").stderr
