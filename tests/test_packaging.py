"""What is installed: the wheel has all it needs, its command and LibCST's runner work from it, the hooks are true."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from migrate.cli import main

HOUSE = Path(__file__).parent.parent
SOURCE = "import torch\n\nmodel = torch.nn.Linear(3, 3).cuda()\n"
HOOKS = {hook["id"]: hook for hook in yaml.safe_load((HOUSE / ".pre-commit-hooks.yaml").read_text())}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the wheel installs, and nothing else of this project."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("wheel")
    words = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(words, check=True, cwd=HOUSE, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder / "site")
    return folder / "site"


def run(installed: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(installed), "PYTHONSAFEPATH": "1"}
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_the_wheel_has_every_file_of_the_packages(installed: Path) -> None:
    ours = {
        path.relative_to(HOUSE)
        for package in ("migrate", "codemods")
        for path in (HOUSE / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"
    }
    theirs = {path.relative_to(installed) for path in installed.rglob("*") if path.is_file()}
    assert {path for path in theirs if not path.parts[0].endswith(".dist-info")} == ours


def test_the_command_works_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SOURCE)
    where = run(installed, tmp_path, "-c", "import migrate, codemods; print(migrate.__file__, codemods.__file__)")
    assert where.stdout.count(str(installed)) == 2
    done = run(installed, tmp_path, "-m", "migrate.cli", "train.py", "--target", "torch-xla==2.9")
    assert (done.returncode, done.stderr) == (0, "1 file migrated; 1 edit\n")
    assert "+model = torch.nn.Linear(3, 3).to(device)" in done.stdout


def test_libcsts_runner_works_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SOURCE)
    words = "-m libcst.tool codemod -x migrate.libcst_commands.CudaMove --no-format --target torch-xla==2.9 train.py"
    done = run(installed, tmp_path, *words.split())
    assert done.returncode == 0, done.stderr
    assert "model = torch.nn.Linear(3, 3).to(device)" in (tmp_path / "train.py").read_text()


@pytest.mark.parametrize("hook", HOOKS)
def test_a_hook_fails_once_and_then_passes(hook: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As pre-commit calls it: a hook fails by its exit code or by having changed a file."""
    monkeypatch.chdir(tmp_path)
    subprocess.run(["git", "init", "-q"], check=True)
    script = Path("train.py")
    script.write_text(SOURCE)
    program, *words = shlex.split(HOOKS[hook]["entry"])
    assert program == "tc-migrate"

    def fails() -> bool:
        before = script.read_text()
        done = CliRunner().invoke(main, [*words, "train.py", "other.py"], prog_name=program, catch_exceptions=False)
        assert done.exit_code != 2, done.output
        return done.exit_code != 0 or script.read_text() != before

    Path("other.py").write_text("print('nothing of torch')\n")
    assert fails()
    CliRunner().invoke(main, ["--write", "--force", "train.py"], prog_name=program)
    assert not fails()
