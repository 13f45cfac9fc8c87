"""`[tool.tc-migrate] models`: what the user says of libraries of their own, in the migration and in the judge."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from codemods.kit.meaning.libraries import models_state, roots, use_models
from migrate.cli import main
from migrate.config import ConfigError, load_config

SCRIPT = """\
import torch
from acme.nets import small
from acme.training import learn

device = torch.device("cuda")
model = small().to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(8, 3)), batch_size=4)
for (x,) in data:
    learn(model, optimizer, x.to(device))
"""
NETS = '''"""acme.nets: our networks."""

from torch.nn import Linear


def small():
    return Linear(3, 1)
'''
TRAINING = '''"""acme.training: a step."""


def learn(model, optimizer, batch):
    optimizer.zero_grad()
    model(batch).sum().backward()
    optimizer.step()
'''


@pytest.fixture(autouse=True)
def _ours_again() -> Iterator[None]:
    yield
    use_models(None)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    acme = tmp_path / "tools" / "models" / "acme"
    acme.mkdir(parents=True)
    (acme / "nets.py").write_text(NETS)
    (acme / "training.py").write_text(TRAINING)
    (tmp_path / "train.py").write_text(SCRIPT)
    configure(tmp_path, "tools/models")
    return tmp_path


def configure(folder: Path, models: str) -> None:
    (folder / "pyproject.toml").write_text(f"[tool.tc-migrate]\nmodels = {models!r}\n" if models else "")


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments], prog_name="tc-migrate", catch_exceptions=False)


@pytest.mark.parametrize("path", ["train.py", "program"])
def test_what_was_not_followed_is_shown(folder: Path, path: str) -> None:
    (folder / "program").mkdir()  # what lies below `.` with the models would find them there
    (folder / "train.py").rename(folder / path / "train.py" if path == "program" else folder / path)
    for models, said in (("tools/models", "1 training loop: 1 shown"), ("", " not shown)")) * 2:  # kept, too
        configure(folder, models)
        assert said in call(path, "--target", "torch-xla==2.9").stderr


def test_a_model_that_is_changed_counts(folder: Path) -> None:
    assert "1 training loop: 1 shown" in call(".", "--target", "torch-xla==2.9").stderr
    model = folder / "tools" / "models" / "acme" / "training.py"
    model.write_text(TRAINING.replace("    optimizer.step()\n", ""))
    assert "1 training loop: 1 shown (1 not shown)" in call(".", "--target", "torch-xla==2.9").stderr


def test_models_are_no_part_of_the_project(folder: Path) -> None:
    assert "tools/models" not in call(".", "--target", "torch-xla==2.9").stdout
    configure(folder, "")
    assert "tools/models" in call(".", "--target", "torch-xla==2.9").stdout


def test_workers_are_told(folder: Path) -> None:
    for number in range(6):
        (folder / f"train_{number}.py").write_text(SCRIPT)
    said = call(".", "--target", "torch-xla==2.9", "--jobs", "2", "--no-cache").stderr
    assert "7 training loops: 7 shown" in said


@pytest.mark.parametrize("command", [["train.py"], ["facts", "train.py"], ["verify", "train.py"]])
def test_a_model_that_is_not_python_is_said_in_a_sentence(folder: Path, command: list[str]) -> None:
    (folder / "tools" / "models" / "broken.py").write_text("def (\n")
    done = call(*command)
    assert done.exit_code == 2
    assert "broken.py: invalid syntax" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_what_the_folder_must_be(folder: Path) -> None:
    configure(folder, "elsewhere")
    with pytest.raises(ConfigError, match="is no folder"):
        load_config(folder).use_models()
    configure(folder, "../other")
    with pytest.raises(ConfigError, match="leads out of the project"):
        load_config(folder)
    assert (models_state(), len(roots())) == ("", 1)
