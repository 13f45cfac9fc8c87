"""What is installed: the wheel has all it needs, its command and LibCST's runner work from it, the hooks are true."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from migrate.cli import main
from migrate.config import tomllib
from tests.test_laws import MODULES, imports, top

HOUSE = Path(__file__).parent.parent
SOURCE = "import torch\n\nmodel = torch.nn.Linear(3, 3).cuda()\n"
PROJECT = tomllib.loads((HOUSE / "pyproject.toml").read_text())["project"]
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
        for package in ("migrate", "codemods", "tc_migrate")
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


def test_the_licence_goes_with_it(installed: Path) -> None:
    (info,) = installed.glob("*.dist-info")
    assert (info / "licenses" / "LICENSE").read_text() == (HOUSE / "LICENSE").read_text()
    assert "License-File: LICENSE" in (info / "METADATA").read_text()


def test_every_package_that_is_required_is_used() -> None:
    """What only proposing pull requests needs is in its extra."""
    named = {"GitPython": "git", "tomli": "tomllib"}
    required = [re.split("[>=<;]", each)[0] for each in PROJECT["dependencies"]]
    every = {name.partition(".")[0] for module in MODULES for name in imports(module)}
    assert {each for each in required if named.get(each, each) not in every} == set()
    forge = ("migrate.bot", "migrate.campaign", "migrate.forge", "migrate.action")
    bot = {each for module in MODULES if module.startswith(forge) for each in top(imports(module))}
    rest = {each for module in MODULES if not module.startswith(forge) for each in top(imports(module))}
    assert "git" in bot - rest
    assert "GitPython" not in required


def test_a_campaign_without_its_extra_says_so(tmp_path: Path) -> None:
    code = "import sys; sys.modules['git'] = None; from migrate.cli import main; main(['campaign', 'x', '.'])"
    done = run(HOUSE, tmp_path, "-c", code)
    assert done.returncode == 2
    assert done.stderr == "Error: GitPython is not installed: pip install 'tc-migrate[bot]'\n"


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
