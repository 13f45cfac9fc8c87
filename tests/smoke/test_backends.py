"""What a migrated script is run on. Interpreters are made up: shell scripts that answer as a Python would."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codemods.kit.targets import ALL, Target
from migrate.migration import MigrateError
from migrate.smoke import backends, environments
from migrate.smoke.backends import Needs, choose
from migrate.smoke.environments import MARKER, RECIPES
from migrate.smoke.record import Backend

SMTC, XLA = Target.parse("smtc"), Target.parse("torch-xla")


@pytest.fixture(autouse=True)
def no_interpreters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(backends, "own_interpreters", lambda: iter(()))


def interpreter(folder: Path, torch: str | None, torch_xla: str | None) -> Path:
    python = folder / f"python-{torch}-{torch_xla}"
    python.write_text(f"#!/bin/sh\necho '{json.dumps([torch, torch_xla])}'\n")
    python.chmod(0o755)
    return python


def make_ready(name: str) -> Path:
    recipe = RECIPES[name]
    folder = environments.folder_for(recipe, recipe.pythons[0])
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").touch()
    (folder / MARKER).write_text(recipe.digest)
    return folder / "bin" / "python"


def test_a_real_one_of_the_users_comes_first(tmp_path: Path) -> None:
    make_ready("2.9")
    python = interpreter(tmp_path, "2.9.1", "2.9.0")
    choice = choose(XLA, python=python)
    assert (choice.backend, choice.environment.python, choice.version) == (Backend.TORCH_XLA, python, "2.9.0")
    assert choice.sentence == f"real torch_xla 2.9.0 of {python}"


def test_an_older_script_runs_on_a_newer_one_that_has_its_names(tmp_path: Path) -> None:
    choice = choose(Target.parse("torch-xla==2.3"), python=interpreter(tmp_path, "2.8.0", "2.8.0"))
    assert choice.backend is Backend.TORCH_XLA
    assert choice.sentence.endswith(", for a script written for 2.3")


def test_a_container_of_the_training_compiler_serves_itself(tmp_path: Path) -> None:
    choice = choose(SMTC, python=interpreter(tmp_path, "1.13.1", "1.13.0+5b2f0b2"))
    assert choice.backend is Backend.TORCH_XLA


def test_a_real_one_without_the_names_is_passed_over(tmp_path: Path) -> None:
    python = interpreter(tmp_path, "2.9.1", "2.9.0")
    alone = choose(SMTC, python=python)
    assert (alone.backend, alone.version, alone.environment.python) == (Backend.STANDIN, "1.13", python)
    assert f"not the torch_xla 2.9.0 of {python}, which lacks torch_xla.amp.GradScaler" in alone.sentence
    oracle = make_ready("2.1")
    beside = choose(SMTC, python=python)
    assert (beside.backend, beside.version, beside.environment.python) == (Backend.TORCH_XLA, "2.1.0", oracle)


def test_a_real_one_without_the_names_can_be_asked_for(tmp_path: Path) -> None:
    python = interpreter(tmp_path, "2.9.1", "2.9.0")
    choice = choose(SMTC, "torch_xla", python, text="xm.xrt_world_size()")
    assert choice.backend is Backend.TORCH_XLA
    assert "which lacks torch_xla.core.xla_model.xrt_world_size: the script may fail" in choice.sentence


def test_same_names_can_mean_other_things(tmp_path: Path) -> None:
    """`autocast` takes a device first from 2.1 on, and only for 2.1 is that made up for."""
    choice = choose(SMTC, python=interpreter(tmp_path, "2.9.1", "2.9.0"), text="device = xm.xla_device()")
    assert choice.backend is Backend.STANDIN
    assert "means other things" in choice.sentence


def test_the_names_of_the_script_itself_count() -> None:
    make_ready("2.1")
    common, rare = "xm.xla_device()", "from torch_xla.amp import custom_fwd"
    assert choose(SMTC, text=common).version == "2.1.0"
    assert choose(SMTC).version == "2.1.0"
    assert choose(SMTC, "oracle", text=rare).sentence.endswith(
        "which lacks torch_xla.amp.custom_fwd: the script may fail for that alone"
    )
    assert choose(SMTC, text=rare).backend is Backend.STANDIN


def test_an_environment_without_the_names_is_no_oracle() -> None:
    make_ready("2.1")
    assert choose(XLA).backend is Backend.STANDIN
    assert choose(XLA, "oracle").version == "2.1.0"


def test_the_standin_takes_the_users_torch_first(tmp_path: Path) -> None:
    ready = make_ready("2.9")
    python = interpreter(tmp_path, "2.11.0", None)
    assert choose(XLA, "standin", python).environment.python == python
    assert choose(XLA, "standin").environment.python == ready
    assert choose(XLA, "standin").version == "2.9"


def test_says_what_to_build(tmp_path: Path) -> None:
    with pytest.raises(MigrateError, match=r"no torch to run scripts with: .* --provision 2\.9"):
        choose(XLA)
    with pytest.raises(MigrateError, match=r"--provision 2\.1"):
        choose(SMTC, "oracle")
    with pytest.raises(MigrateError, match=r"no torch_xla in .* --python"):
        choose(XLA, "torch_xla", interpreter(tmp_path, "2.9.0", None))
    with pytest.raises(MigrateError, match="does not start, or has no torch"):
        choose(XLA, python=interpreter(tmp_path, None, None))
    with pytest.raises(MigrateError, match="does not start, or has no torch"):
        choose(XLA, python=tmp_path / "missing")


def test_every_target_has_a_recipe_that_fits() -> None:
    for target in ALL:
        best = Needs.read(target, None).oracles[0]
        rare = {"torch_xla.amp.custom_fwd", "torch_xla.amp.custom_bwd"}
        assert set(Needs.read(target, None).lacking(best)) <= rare, target
