"""`import migrate`: what other programs call."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import migrate

HOUSE = Path(__file__).parent.parent
SOURCE = "import torch\n\nmodel = torch.nn.Linear(3, 3).cuda()\ntorch.backends.cudnn.benchmark = True\n"


def test_a_script() -> None:
    done = migrate.migrate(SOURCE, target="torch-xla==2.9", path="train.py")
    assert done.status is migrate.Status.MIGRATED
    assert (done.path, done.target, done.source) == ("train.py", "torch-xla==2.9", SOURCE)
    assert "model = torch.nn.Linear(3, 3).to(device)" in done.result
    assert {type(each) for each in done.changes} == {migrate.Change}


def test_choosing_is_that_of_the_command_line() -> None:
    everything = migrate.migrate(SOURCE)
    some = migrate.migrate(SOURCE, ignore=["backend_flags"])
    assert {each.codemod for each in everything.changes} - {each.codemod for each in some.changes} == {"backend_flags"}
    assert migrate.migrate(SOURCE, select=["TC9"]).result == SOURCE
    exact = migrate.migrate(SOURCE, safety="exact")
    assert migrate.Safety.REVIEW not in {each.safety for each in exact.changes}


def test_a_project_is_linked() -> None:
    step = "def step(loss, optimizer):\n    loss.backward()\n    optimizer.step()\n"
    train = (
        "import torch\nfrom steps import step\n\nmodel = torch.nn.Linear(3, 3).cuda()\n"
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "for x in torch.utils.data.DataLoader(data):\n    step(model(x.cuda()).sum(), optimizer)\n"
    )
    done = migrate.migrate_project({"train.py": train, "steps.py": step}, target="torch-xla==2.9")
    assert list(done) == ["train.py", "steps.py"]
    assert {path: each.path for path, each in done.items()} == {path: path for path in done}
    assert "xm.optimizer_step(optimizer)" in done["steps.py"].result, "the loader of the other file executes the step"
    assert "barrier=True" in migrate.migrate(step, target="torch-xla==2.9").result


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "torch-xla==2.99"}, "the nearest is 'torch-xla==2.9'"),
        ({"select": ["optimiser_step"]}, "the nearest is 'optimizer_step'"),
        ({"safety": "sure"}, "'sure'"),
    ],
)
def test_a_wrong_option_is_a_value_error(options: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        migrate.migrate(SOURCE, **options)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=message):
        migrate.migrate_project({"train.py": SOURCE}, **options)  # type: ignore[arg-type]


def test_importing_it_is_cheap() -> None:
    code = (
        "import sys, migrate; migrate.__version__\n"
        "heavy = {'libcst', 'click', 'rich', 'codemods', 'ast', 'asyncio'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-S", "-c", code], check=True, cwd=HOUSE)


def test_every_name_it_offers_is_there() -> None:
    for name in migrate.__all__:
        assert getattr(migrate, name).__name__ == name
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = migrate.nothing
