"""`import migrate`: what other programs call."""

from __future__ import annotations

import doctest
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

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
        ({"select": "optimiser_step"}, "the nearest is 'optimizer_step'"),
        ({"safety": "sure"}, "'sure'"),
        ({"target": ""}, "unknown target"),
    ],
)
def test_a_wrong_option_is_a_value_error(options: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        migrate.migrate(SOURCE, **options)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=message):
        migrate.migrate_project({"train.py": SOURCE}, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"select": 5}, "select is no name and no list of names, but int"),
        ({"ignore": [5]}, "a name of ignore is no text, but int"),
        ({"target": 2.9}, "target is no text, but float"),
        ({"safety": None}, "safety is no text, but NoneType"),
        ({"source": b"x"}, "source is no text, but bytes"),
        ({"path": Path("x.py")}, "path is no text, but"),
    ],
)
def test_a_wrong_type_is_said(options: dict[str, Any], said: str) -> None:
    with pytest.raises(TypeError, match=said):
        migrate.migrate(**{"source": SOURCE, **options})


def test_a_project_is_a_mapping_of_texts() -> None:
    with pytest.raises(TypeError, match="sources is no mapping"):
        migrate.migrate_project([SOURCE])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"the text of a\.py is no text, but bytes"):
        migrate.migrate_project({"a.py": SOURCE.encode()})  # type: ignore[dict-item]


def test_names_may_be_a_text_as_on_the_command_line() -> None:
    assert (
        migrate.migrate(SOURCE, select="device, TC1").result == migrate.migrate(SOURCE, select=["device", "TC1"]).result
    )


def test_the_diff_applies_and_the_dictionary_is_json(tmp_path: Path) -> None:
    done = migrate.migrate(SOURCE.rstrip("\n"), path="train.py")
    (tmp_path / "train.py").write_text(done.source)
    subprocess.run(["git", "apply", "-"], input=done.diff.encode(), cwd=tmp_path, check=True)
    assert (tmp_path / "train.py").read_text() == done.result
    whole = json.loads(json.dumps(done.to_dict()))
    assert whole["changes"][0]["safety"] == done.changes[0].safety.value
    assert (whole["status"], whole["diff"]) == ("migrated", done.diff)


def test_the_examples_do_what_they_show() -> None:
    assert doctest.testmod(migrate).failed == 0


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
