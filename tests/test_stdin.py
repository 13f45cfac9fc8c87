"""`-`: a script from standard input, as editors and formatters-on-save give it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from migrate import migrate
from migrate.cli import main

STEPS = "def step(loss, optimizer):\n    loss.backward()\n    optimizer.step()\n"
SOURCE = """\
import torch
from steps import step

model = torch.nn.Linear(3, 3).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in torch.load("data.pt"):
    step(model(x.cuda()).sum(), optimizer)
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project beside the current folder. What is on disk is not what is in the editor."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text(
        '[tool.tc-migrate]\ntarget = "torch-xla==2.1"\n[tool.tc-migrate.per-file-ignores]\n"notes.py" = ["TC"]\n'
    )
    (folder / "steps.py").write_text(STEPS)
    (folder / "train.py").write_text("saved = 'long ago'\n")
    return folder


def call(*arguments: str, input: str = SOURCE) -> Result:
    return CliRunner().invoke(main, arguments, input=input, prog_name="tc-migrate", catch_exceptions=False)


def test_prints_a_diff_or_the_script(project: Path) -> None:
    assert call("-").stdout.startswith("--- a/stdin\n+++ b/stdin\n")
    assert call("-", "--write").stdout == migrate(SOURCE).result
    assert call("-", "--check").stdout == "-\n"


def test_a_name_brings_the_settings_and_the_imports_of_its_folder(project: Path) -> None:
    named = call("-", "--write", "--stdin-filename", str(project / "train.py"))
    assert "xm.mark_step()" in named.stdout, "the target of the project, and the step of the other file"
    assert "mark_step" not in call("-", "--write", "--target", "torch-xla==2.1").stdout
    assert (project / "train.py").read_text() == "saved = 'long ago'\n"
    assert call("-", "--write", "--stdin-filename", str(project / "notes.py")).stdout == SOURCE


def test_a_name_is_what_the_report_says(project: Path) -> None:
    name = str(project / "new.py")
    found = call("-", "--stdin-filename", name)
    assert found.stdout.startswith(f"--- a{name}\n+++ b{name}\n")
    assert found.stderr.startswith(f"{name}:") or "1 file migrated" in found.stderr
    assert not (project / "new.py").exists()
    assert call("-", "--stdin-filename", name, input="import torch\n)(\n").exit_code == 2


def test_a_name_is_for_standard_input_only(project: Path) -> None:
    assert call("train.py", "--stdin-filename", "x.py").exit_code == 2
